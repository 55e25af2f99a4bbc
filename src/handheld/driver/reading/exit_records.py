"""Parse `dumpsys activity exit-info`: the last exits of each app's processes, since Android 11."""

import re
from datetime import datetime

from ..diagnostics import ExitRecord

HEADED = "ACTIVITY MANAGER PROCESS EXIT INFO"

_PACKAGE = re.compile(r" {2}package: ([A-Za-z][\w.]{0,254})", re.ASCII)
_RECORD = re.compile(r" {4,12}ApplicationExitInfo #\d{1,6}:")
_TIME = re.compile(r"(?<!\w)timestamp=(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})(?!\d)", re.ASCII)
_PROCESS = re.compile(r"(?<!\w)process=(\S{1,300})")
_DESCRIPTION = re.compile(r"(?<!\w)description=")
_STATE = re.compile(r"\n?(?<! ) +state=(?:empty|\d+ bytes)(?:\s|\Z)")
"""The field after the description, in some records."""
_LONGEST_RECORD = 2000


def read_exit_records(printed: str) -> list[ExitRecord]:
    """Return the records; incomplete ones and other lines are skipped."""
    found: list[ExitRecord] = []
    package, record = "", list[str]()

    def close() -> None:
        if record and package and (read := _read(package, "\n".join(record)[:_LONGEST_RECORD])):
            found.append(read)
        record.clear()

    for line in printed.split("\n"):
        if heading := _PACKAGE.fullmatch(line):
            close()
            package = heading[1]
        elif _RECORD.fullmatch(line):
            close()
            record.append("")
        elif record:
            record.append(line)
    close()
    return found


def _read(package: str, record: str) -> ExitRecord | None:
    time, process = _TIME.search(record), _PROCESS.search(record)
    pid, reason = _find("pid", record), _find("reason", record)
    if time is None or process is None or pid is None or reason is None:
        return None
    try:
        at = datetime.fromisoformat(time[1])
    except ValueError:
        return None
    said = _DESCRIPTION.search(record)
    description = _STATE.split(record[said.end() :], 1)[0].strip() if said is not None else ""
    return ExitRecord(
        package,
        process[1],
        pid,
        _find("realUid", record),
        at,
        reason,
        _find("status", record) or 0,
        _find("importance", record),
        "" if description == "null" else description,
    )


def _find(name: str, record: str) -> int | None:
    """Return the first match: numbers come before the description, which may contain an app's
    text."""
    match = re.search(rf"(?<!\w){name}=(\d{{1,9}})(?!\d)", record, re.ASCII)
    return None if match is None else int(match[1])
