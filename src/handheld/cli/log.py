"""`handheld log`."""

import argparse
import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ..audit import AuditEntry, AuditError, AuditReader
from ..audit.export import jsonl, pytest_script
from ..audit.reading import MOST_ENTRIES
from ..clock import SYSTEM_CLOCK, Clock
from ..settings import Settings
from ..ui.text import cut, tidy
from .exit_codes import USAGE_ERROR
from .terminal import complain, note, say

_LOOK_SECONDS = 0.25
_LIMIT = 50
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_ARGUMENTS, _RESULT, _WHO = 80, 120, 40


async def log(given: argparse.Namespace, settings: Settings, clock: Clock = SYSTEM_CLOCK) -> int:
    """Reads beside servers that write."""
    if given.export and given.follow:
        complain("--export writes what is there; it does not go with --follow.")
        return USAGE_ERROR
    if given.export and given.export[0] not in ("jsonl", "pytest"):
        complain(f"--export takes jsonl or pytest, and a file; not {given.export[0]!r}.")
        return USAGE_ERROR
    try:
        asked = _asked(given, clock.time())
    except ValueError as problem:
        complain(str(problem))
        return USAGE_ERROR
    reader = AuditReader(settings.folders.audit)
    try:
        if given.export:
            form, file = given.export
            return _export(form, file, reader.entries(**asked))
        entries = reader.entries(**asked)
        for entry in entries:
            _print(entry, given.json)
        if given.follow:
            await _follow(reader, asked, entries, given.json, clock)
        elif not entries:
            note(_nothing(given, settings))
        return 0
    except AuditError as problem:
        complain(str(problem))
        return 1
    finally:
        reader.close()


def _asked(given: argparse.Namespace, now: float) -> dict[str, Any]:
    """Raises ValueError."""
    most = MOST_ENTRIES if given.export else _LIMIT
    if given.limit is not None:
        if not re.fullmatch(r"\d{1,9}", given.limit, re.ASCII) or not int(given.limit):
            raise ValueError(f"--limit takes a whole number above 0, not {given.limit!r}.")
        most = min(int(given.limit), MOST_ENTRIES)
    tool = (given.tool or "").removeprefix("android_")
    since = read_since(given.since, now) if given.since else 0.0
    return {"limit": most, "tool": tool, "phone": given.of_phone or "", "since": since}


def read_since(text: str, now: float) -> float:
    """Seconds since 1970. Raises ValueError with a sentence."""
    if found := re.fullmatch(r"(\d{1,6})([smhd])", text, re.ASCII):
        return now - int(found[1]) * _UNITS[found[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise ValueError(
            f"--since takes a span such as 90s, 15m, 1h or 2d, or a time such as 2026-11-15T08:30;"
            f" not {text!r}."
        ) from None


def _export(form: str, file: str, entries: Sequence[AuditEntry]) -> int:
    text = (
        pytest_script(entries)
        if form == "pytest"
        else "".join(f"{one}\n" for one in jsonl(entries))
    )
    if file == "-":
        say(text.removesuffix("\n"))
        return 0
    try:
        with open(file, "w", encoding="utf-8", opener=_open_private) as stream:
            stream.write(text)
    except OSError as problem:
        complain(f"{file} cannot be written: {problem.strerror}.")
        return 1
    note(f"{len(entries)} calls are in {file}.")
    return 0


def _open_private(file: str, flags: int) -> int:
    """Screens are in it: what is made anew is for this user alone, as the record is."""
    return os.open(file, flags, 0o600)


async def _follow(
    reader: AuditReader,
    asked: dict[str, Any],
    shown: Sequence[AuditEntry],
    as_json: bool,
    clock: Clock,
) -> None:
    """Print each call once more when it ends, and new ones as they come."""
    asked = {**asked, "limit": MOST_ENTRIES}
    last = max((entry.id for entry in shown), default=0)
    if not shown:
        last = max((entry.id for entry in reader.entries(limit=1)), default=0)
    running = {entry.id for entry in shown if entry.state == "running"}
    while True:
        await clock.sleep(_LOOK_SECONDS)
        for id in sorted(running):
            entry = reader.entry(id)
            if entry is None or entry.state != "running":
                running.discard(id)
                if entry is not None:
                    _print(entry, as_json)
        for entry in reader.entries(after=last, **asked):
            last = entry.id
            if entry.state == "running":
                running.add(entry.id)
            else:
                _print(entry, as_json)


def _print(entry: AuditEntry, as_json: bool) -> None:
    say(json.dumps(entry.as_json(), ensure_ascii=False) if as_json else line(entry))


def line(entry: AuditEntry) -> str:
    """When, who, what, and how it ended, with nothing in it that a terminal would obey."""
    when = datetime.fromtimestamp(entry.at, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    who = cut(tidy(entry.client or entry.door), _WHO)
    if entry.person:
        who += " (a person)"
    elif entry.token:
        who += f" ({cut(tidy(entry.token), _WHO)})"
    given = " ".join(f"{name}={_short(value)}" for name, value in entry.arguments.items())
    spent = "" if entry.milliseconds is None else f" {entry.milliseconds:.0f} ms"
    called = f"{tidy(entry.tool)} {cut(tidy(given), _ARGUMENTS)}".rstrip()
    ended = f"{entry.state}{spent}"
    if entry.state != "done":
        why = cut(tidy(" ".join((*entry.result, entry.note))), _RESULT)
        ended += f": {why}" if why else ""
    said = f"{when}  {who}  {tidy(entry.phone) or '-'}  {called}  {ended}"
    # Among what is left are marks that turn the direction of a line around.
    return "".join(character if character.isprintable() else " " for character in said)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(text, _ARGUMENTS)


def _nothing(given: argparse.Namespace, settings: Settings) -> str:
    if given.since or given.tool or given.of_phone:
        return "No recorded call is like that."
    if settings.audit.off:
        return "Nothing is recorded: the setting audit.off is on."
    return "Nothing has been recorded yet."
