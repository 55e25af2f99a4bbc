"""Parse `dumpsys dropbox`.

Its output is not escaped: a report contains whatever an app put into its exception. So the entries
are taken from the list of files, which contains no text of apps, and a report belongs to an entry
only if its first line occurs exactly as often as in the list.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from ..diagnostics import DropRecord

RULE = "=" * 40
HEADED = "Drop box contents:"
TAGS = (
    *(
        f"{who}_{what}"
        for who in ("data_app", "system_app", "system_server")
        for what in ("crash", "anr", "native_crash")
    ),
    "SYSTEM_TOMBSTONE",
)
"""The tags of crashes and hangs."""

_ENTRY = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (\w{1,60})"
    r" \((?:compressed )?(?:text|data), \d{1,12} bytes\)",
    re.ASCII,
)
_FILE = re.compile(r" {4}/\S{1,300}@(\d{10,16})\.\w+(?:\.\w+)?", re.ASCII)
_PACKAGE = re.compile(r"([A-Za-z][\w.]*)(?: v\d++.*)?", re.ASCII)
_NATIVE = re.compile(
    r"^pid: (\d{1,9}), tid: \d{1,9}, name: .{0,40}  >>> (\S{1,300}) <<<$", re.MULTILINE
)
_UID = re.compile(r"^uid: (\d{1,9})$", re.MULTILINE)
_MOST_HEADERS = 60


class _Entry(NamedTuple):
    line: str
    time: datetime
    tag: str


def read_drop_box(listed: str, printed: str) -> list[DropRecord]:
    """Parse the output of `dumpsys dropbox --file` and of `--print`, whose parts may be missing."""
    entries = [entry for entry in _read_list(listed) if entry.tag in TAGS]
    reports = _split_reports(printed)
    known = Counter(entry.line for entry in entries)
    taken = Counter[str]()
    found: list[DropRecord] = []
    for entry in entries:
        texts = reports.get(entry.line, [])
        # More than are listed: an app printed such a line, and nothing tells them apart.
        text = texts[taken[entry.line]] if len(texts) == known[entry.line] else None
        taken[entry.line] += 1
        found.append(_read_report(entry, text))
    return found


def _read_list(listed: str) -> Iterator[_Entry]:
    lines = listed.split("\n")
    for number, line in enumerate(lines):
        match = _ENTRY.fullmatch(line)
        time = _parse_time(match[1]) if match is not None else None
        if match is None or time is None:
            continue
        file = _FILE.fullmatch(lines[number + 1]) if number + 1 < len(lines) else None
        # The file's name contains the same time with milliseconds.
        ms = int(file[1]) % 1000 if file is not None else 0
        yield _Entry(line, time.replace(microsecond=ms * 1000), match[2])


def _parse_time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _split_reports(printed: str) -> Mapping[str, list[str]]:
    """Return the text after each line that looks like the first line of an entry."""
    lines = printed.split("\n")
    starts = [
        number
        for number in range(len(lines) - 1)
        if lines[number] == RULE and _ENTRY.fullmatch(lines[number + 1])
    ]
    found: dict[str, list[str]] = {}
    for start, end in pairwise([*starts, len(lines)]):
        found.setdefault(lines[start + 1], []).append("\n".join(lines[start + 2 : end]))
    return found


def _read_report(entry: _Entry, text: str | None) -> DropRecord:
    heads: dict[str, str] = {}
    packages: list[str] = []
    body = None
    if text is not None:
        head, _, body = text.partition("\n\n")
        for line in head.split("\n")[:_MOST_HEADERS]:
            name, colon, value = line.partition(": ")
            if name == "Package" and (package := _PACKAGE.fullmatch(value)):
                packages.append(package[1])
            elif colon:
                # The first match counts: Android prints its lines about the process before an app's
                # text.
                heads.setdefault(name, value.strip())
    process, pid = heads.get("Process", ""), _number(heads.get("PID", ""))
    uid = _number(heads.get("UID", "")) or None
    if body is not None and not process and (native := _NATIVE.search(body)):
        process, pid = native[2], int(native[1])
        owner = _UID.search(body)
        uid = int(owner[1]) if owner is not None else None
    shown = {"Yes": True, "No": False}.get(heads.get("Foreground", ""))
    return DropRecord(
        entry.time,
        entry.tag,
        process,
        pid,
        uid,
        tuple(packages),
        shown,
        heads.get("Subject", ""),
        body,
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
