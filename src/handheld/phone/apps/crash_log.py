"""Crashes in the phone's crash log: uncaught exceptions, and signals."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from .logs import LogLine, parse_logs

TOGETHER = timedelta(seconds=15)
"""Entries of one process within this time belong to one crash: Android does not reuse the pid so
soon."""
_FATAL = re.compile(r"(?:\*\*\* )?FATAL EXCEPTION(?: IN SYSTEM PROCESS)?: .*")
_IN_SYSTEM = "*** FATAL EXCEPTION IN SYSTEM PROCESS"
_PROCESS = re.compile(r"Process: (\S{1,300}), PID: (\d{1,9})", re.ASCII)
_NATIVE = re.compile(r"pid: (\d{1,9}), tid: \d{1,9}, name: .{0,40}  >>> (\S{1,300}) <<<", re.ASCII)
_STARS = "*** *** ***"
_MOST_LINES = 5000
"""The maximum number of lines of one crash."""


class LoggedCrash(NamedTuple):
    native: bool
    process: str
    pid: int
    uid: int | None
    time: datetime
    """The time on the phone's clock."""
    lines: list[str]
    """The lines from the exception on, or the whole tombstone."""


def read_crash_log(text: str, now: datetime) -> list[LoggedCrash]:
    """Parse crashes, oldest first. Any app may write into this log, but not as another process: an
    exception counts only if its own process wrote it, a signal only if its own uid did."""
    found: list[LoggedCrash] = []
    java: dict[int, LoggedCrash] = {}
    native: dict[int, tuple[LogLine, datetime, list[str]]] = {}
    fatal: dict[int, tuple[str, datetime]] = {}
    for line in parse_logs(text):
        time = line.local_time(now)
        if time is None:
            continue
        if line.tag == "AndroidRuntime" and line.level == "E":
            _read_java(line, time, java, fatal, found)
        elif line.tag == "DEBUG" and line.level == "F":
            _read_native(line, time, native, found)
    return [crash for crash in found if crash.process]


def _read_java(
    line: LogLine,
    time: datetime,
    open_now: dict[int, LoggedCrash],
    fatal: dict[int, tuple[str, datetime]],
    found: list[LoggedCrash],
) -> None:
    crash = open_now.get(line.pid)
    if crash is not None and time - crash.time > TOGETHER:
        crash = open_now.pop(line.pid)
        crash = None
    if crash is not None:
        if len(crash.lines) < _MOST_LINES:
            crash.lines.append(line.message)
    elif _FATAL.fullmatch(line.message):
        fatal[line.pid] = (line.message, time)
        if line.message.startswith(_IN_SYSTEM):
            _open_java(line, fatal.pop(line.pid)[1], "system_server", open_now, found)
    elif line.pid in fatal:
        named = _PROCESS.fullmatch(line.message)
        began = fatal.pop(line.pid)[1]
        if named is not None and int(named[2]) == line.pid:
            _open_java(line, began, named[1], open_now, found)


def _open_java(
    line: LogLine,
    time: datetime,
    process: str,
    open_now: dict[int, LoggedCrash],
    found: list[LoggedCrash],
) -> None:
    crash = LoggedCrash(False, process, line.pid, line.uid, time, [])
    open_now[line.pid] = crash
    found.append(crash)


def _read_native(
    line: LogLine,
    time: datetime,
    dumps: dict[int, tuple[LogLine, datetime, list[str]]],
    found: list[LoggedCrash],
) -> None:
    """Collect one dump, whose lines have the pid of the dumping program."""
    if line.message.startswith(_STARS):
        dumps[line.pid] = (line, time, [line.message])
        return
    if line.pid not in dumps:
        return
    first, began, lines = dumps[line.pid]
    if time - began > TOGETHER or len(lines) >= _MOST_LINES:
        del dumps[line.pid]
        return
    lines.append(line.message)
    if named := _NATIVE.fullmatch(line.message):
        if any(crash.lines is lines for crash in found):
            return  # a second dump is of another thread
        found.append(LoggedCrash(True, named[2], int(named[1]), first.uid, began, lines))
