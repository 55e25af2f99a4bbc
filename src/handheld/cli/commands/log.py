"""`handheld log`."""

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...audit import AuditEntry, AuditError, AuditReader
from ...audit.export import jsonl, pytest_script
from ...audit.reading import MOST_ENTRIES
from ...clock import SYSTEM_CLOCK, Clock
from ...screen.text import cut, tidy
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..shared_arguments import add_fleet_arguments, fleet_error
from ..terminal import print_error, print_line, print_note
from .chain import chain, describe_calls, told

if TYPE_CHECKING:
    from ...audit.copies import CopyVerification
    from ...fleet.fleet_record import FleetEntry

_POLL_SECONDS = 0.25
_LIMIT = 50
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_ARGUMENTS, _RESULT, _NOTE, _WHO = 80, 120, 600, 40


def add_log_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--follow", action="store_true", help="keep printing new calls")
    command.add_argument(
        "--since", metavar="TIME", help="such as 90s, 15m, 1h, 2d, or 2026-11-15T08:30"
    )
    command.add_argument("--tool", metavar="TOOL", help="only calls of this tool, such as tap")
    command.add_argument(
        "--phone", dest="of_phone", metavar="PHONE", help="only on this phone, by slug or serial"
    )
    command.add_argument("--limit", metavar="N", help="only the last N calls; defaults to 50")
    command.add_argument("--json", action="store_true", help="print each call as a line of JSON")
    command.add_argument(
        "--export",
        nargs=2,
        metavar=("FORMAT", "FILE"),
        help="write the calls to a file (- is stdout): as jsonl, or as a pytest script that replays"
        " them on a virtual phone",
    )
    command.add_argument(
        "--verify",
        nargs="?",
        const="",
        metavar="HEAD",
        help="check that no call was removed or changed, and that the record still leads to a HEAD"
        " that you kept",
    )
    command.add_argument(
        "--head",
        action="store_true",
        help="print the head of the record's chain of hashes, to keep it somewhere else",
    )
    add_fleet_arguments(command, "the calls at all hosts of an engine")
    command.add_argument(
        "--host", dest="of_host", metavar="HOST", help="with --fleet: only at this host"
    )
    command.add_argument(
        "--token", dest="of_token", metavar="NAME", help="with --fleet: only of this token"
    )


async def log(given: argparse.Namespace, settings: Settings, clock: Clock = SYSTEM_CLOCK) -> int:
    """Print recorded calls; running servers may be writing at the same time."""
    modes = {"export": given.export, "follow": given.follow, "head": given.head}
    alone = [f"--{name}" for name, value in modes.items() if value]
    alone += ["--verify"] * (given.verify is not None)
    if len(alone) > 1:
        print_error(f"{' and '.join(alone)} cannot be combined.")
        return USAGE_ERROR
    hosts = ("of_host:host", "of_token:token")
    if error := fleet_error(given, hosts, never=("follow", "head", "export")):
        print_error(error)
        return USAGE_ERROR
    if given.fleet and given.verify:
        print_error("--verify takes no HEAD with --fleet: each host has its own.")
        return USAGE_ERROR
    if given.export and given.export[0] not in ("jsonl", "pytest"):
        print_error(
            f"--export takes the format jsonl or pytest, and a file; not {given.export[0]!r}."
        )
        return USAGE_ERROR
    if not given.fleet and (given.head or given.verify is not None):
        return chain(given, settings)
    try:
        query = _query(given, clock.time())
    except ValueError as problem:
        print_error(str(problem))
        return USAGE_ERROR
    if given.fleet:
        return await _fleet_log(given, settings, query)
    reader = AuditReader(settings.folders.audit)
    try:
        if given.export:
            form, file = given.export
            return _export(form, file, reader.entries(**query))
        entries = reader.entries(**query)
        if not given.json and not given.tool and not given.of_phone:
            for dropped in reader.dropped():
                print_note(told(dropped))
        for entry in entries:
            _print(entry, given.json)
        if given.follow:
            await _follow(reader, query, entries, given.json, clock)
        elif not entries:
            print_note(_why_empty(given, settings))
        return 0
    except AuditError as problem:
        print_error(str(problem))
        return 1
    finally:
        reader.close()


def _query(given: argparse.Namespace, now: float) -> dict[str, Any]:
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
    """Parse --since to seconds since 1970. Raises ValueError."""
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
    from ...tools.agent.catalog import AGENT_CATALOG  # slow to import, and only needed here
    from ...tools.main import CATALOG

    text = (
        pytest_script(entries, (*CATALOG, *AGENT_CATALOG))
        if form == "pytest"
        else "".join(f"{row}\n" for row in jsonl(entries))
    )
    if file == "-":
        print_line(text.removesuffix("\n"))
        return 0
    try:
        with open(file, "w", encoding="utf-8", opener=_open_private) as stream:
            stream.write(text)
    except OSError as problem:
        print_error(f"{file} cannot be written: {problem.strerror}.")
        return 1
    print_note(f"Wrote {len(entries)} calls to {file}.")
    return 0


def _open_private(file: str, flags: int) -> int:
    """A new file is readable by this user only, as the record is: it holds screen contents."""
    return os.open(file, flags, 0o600)


async def _follow(
    reader: AuditReader,
    query: dict[str, Any],
    shown: Sequence[AuditEntry],
    as_json: bool,
    clock: Clock,
) -> None:
    """Print new calls when they end, and those that were running before."""
    query = {**query, "limit": MOST_ENTRIES}
    last = max((entry.id for entry in shown), default=0)
    if not shown:
        last = max((entry.id for entry in reader.entries(limit=1)), default=0)
    running = {entry.id for entry in shown if entry.state == "running"}
    while True:
        await clock.sleep(_POLL_SECONDS)
        for id in sorted(running):
            entry = reader.entry(id)
            if entry is None or entry.state != "running":
                running.discard(id)
                if entry is not None:
                    _print(entry, as_json)
        for entry in reader.entries(after=last, **query):
            last = entry.id
            if entry.state == "running":
                running.add(entry.id)
            else:
                _print(entry, as_json)


def _print(entry: AuditEntry, as_json: bool) -> None:
    print_line(json.dumps(entry.as_json(), ensure_ascii=False) if as_json else line(entry))


def line(entry: AuditEntry) -> str:
    """Time, client, phone, call and result, without terminal control characters."""
    when = datetime.fromtimestamp(entry.at, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    who = cut(tidy(entry.client or entry.transport), _WHO)
    if entry.person:
        who += " (a person)"
    elif entry.token:
        who += f" ({cut(tidy(entry.token), _WHO)})"
    given = " ".join(f"{name}={_short(value)}" for name, value in entry.arguments.items())
    spent = "" if entry.milliseconds is None else f" {entry.milliseconds:.0f} ms"
    call = f"{tidy(entry.tool)} {cut(tidy(given), _ARGUMENTS)}".rstrip()
    result = f"{entry.state}{spent}"
    if entry.state != "done":
        # What a note tells the owner, such as what allows a call, is told whole.
        why = cut(tidy(entry.note), _NOTE) or cut(tidy(" ".join(entry.result)), _RESULT)
        result += f": {why}" if why else ""
    text = f"{when}  {who}  {tidy(entry.phone) or '-'}  {call}  {result}"
    # What is left may include marks that reverse the direction of text.
    return "".join(character if character.isprintable() else " " for character in text)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(text, _ARGUMENTS)


def _why_empty(given: argparse.Namespace, settings: Settings) -> str:
    if given.since or given.tool or given.of_phone:
        return "No recorded call matches."
    if settings.audit.off:
        return "No calls are recorded: audit.off is set."
    return "No calls have been recorded yet."


async def _fleet_log(given: argparse.Namespace, settings: Settings, query: dict[str, Any]) -> int:
    """Print the calls at all hosts of an engine, from its copies. `query` is what both records can
    be asked. Raises EngineError.
    """
    from ...fleet.fleet_record import FleetRecord  # with NATS, which no other log needs
    from ..fleet.reach import open_engine

    async with open_engine(given, settings) as wire:
        record = FleetRecord(wire)
        if given.verify is not None:
            return _tell_copies(await record.verify())
        newest = await record.newest(**query, host=given.of_host or "", token=given.of_token or "")
    for each in newest.entries:
        print_line(_fleet_json(each) if given.json else _fleet_line(each))
    if not newest.entries:
        print_note("No call that was copied to the engine matches.")
    if newest.more and len(newest.entries) < query["limit"]:
        print_note("Older calls were not looked at: narrow the search with --host or --since.")
    return 0


def _fleet_json(found: "FleetEntry") -> str:
    whose = {"host": found.host_name, "host_id": found.host}
    return json.dumps({**whose, **found.entry.as_json()}, ensure_ascii=False)


def _fleet_line(found: "FleetEntry") -> str:
    entry = found.entry
    return line(entry._replace(phone=f"{found.host_name}/{entry.phone or '-'}"))


def _tell_copies(hosts: Mapping[str, "CopyVerification"]) -> int:
    for id, found in sorted(hosts.items(), key=lambda each: (each[1].host, each[0])):
        print_line(f"{tidy(found.host)} ({id}): {_sentence(found)}")
        for detail in _details(found):
            print_line(f"  {detail}")
    if not hosts:
        print_note("No call was copied to the engine.")
    bad = any(found.problems for found in hosts.values())
    if hosts and not bad:
        print_note(
            "At a host, `handheld log --verify HEAD` tells whether its own record leads there."
        )
    return int(bad)


def _sentence(found: "CopyVerification") -> str:
    if found.problems:
        return "The copies are not all that the host has recorded, as it recorded it."
    unfinished = f", {found.unfinished} of them without an end" if found.unfinished else ""
    return f"OK: {describe_calls(found.calls)}{unfinished}."


def _details(found: "CopyVerification") -> Iterator[str]:
    yield from map(tidy, found.problems)
    if found.more:
        yield f"{found.more} more are not listed."
    if found.first > 1:
        yield f"The copies begin with link {found.first}: older ones were not made, or have gone."
    if found.uncopied:
        yield f"{found.uncopied} links were dropped at the host before they were copied."
    if found.shortened:
        yield f"{found.shortened} copies are without values that were too large."
    yield from (f"At the host: {told(dropped)}" for dropped in found.dropped)
    if found.head:
        yield f"Head: {found.head}"
