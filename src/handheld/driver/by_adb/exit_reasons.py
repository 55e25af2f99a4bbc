"""Why an app's process exited, from Android's exit info and log. Only queried after an exit.

Since API 30 Android keeps the exit reason of each process until the package is removed. If it is
vague or missing, the log may have the reason.
"""

import re
from datetime import datetime, timedelta

from ...adb import shell
from ...adb.link import AdbError, Link
from ..diagnostics import ExitRecord
from ..reading.exit_records import read_exit_records

SECONDS = 5.0
LIMIT = 4 * 1024 * 1024
_DATE = ("date", "+%s %Y-%m-%d %H:%M:%S")
_NOTED = ("dumpsys", "activity", "exit-info")
_LOG = ("logcat", "-d", "-v", "epoch", "-b", "system,crash")
_FILTERS = ("ActivityManager:I", "AndroidRuntime:E", "*:S")
_NOW = re.compile(r"([0-9]{1,12}) (\S+ \S+)\s*")
_TIME = re.compile(r"(?:19|20)\d\d-\d\d-\d\d \d\d:\d\d:\d\d")
_LINE = re.compile(r"\s*(\d{1,12})\.\d+ +\d+ +\d+ [A-Z] (ActivityManager|AndroidRuntime)\s*: (.*)")
_CRASH = re.compile(r"Process: ([\w.]+)(?::\w+)?, PID: \d+")
_KILL = re.compile(r"Killing \d+:([\w.]+)(?::\w+)?/\S+ \(adj -?\d+\): (.*)")
_STOP = re.compile(r"Force stopping ([\w.]+) appid=\d+ user=-?\d+: (.*)")
_CRASHED, _HUNG = "crashed", "hung, and Android ended it"
_STOPPED, _ENDED = "was stopped", "was ended by Android"
_REMOVED, _UPDATED = "was removed from the phone", "was updated"
_EITHER = "was updated or removed from the phone"
_REASONS = (
    ("crash", _CRASHED),
    ("deletePackage", _REMOVED),
    ("uninstall", _REMOVED),
    ("installPackage", _UPDATED),
    ("PackageUpdate", _UPDATED),
    ("replace", _UPDATED),
    # Printed for the old package in both cases, after the line with the actual reason.
    ("pkg removed", _EITHER),
    ("anr", _HUNG),
    ("stop ", _STOPPED),
    ("from pid", _STOPPED),
)
_CODES = {
    1: "ended by itself",
    3: "was ended by Android, which needed its memory",
    4: _CRASHED,
    5: _CRASHED,
    6: _HUNG,
    8: "was ended by Android because its permissions changed",
    16: _UPDATED,
}
"""Reasons of ApplicationExitInfo that need no further detail."""
_SIGNALED = 2


async def find_exit_reason(link: Link, package: str, within_ms: int) -> str:
    """Return why the app exited in that time, as a predicate; "" if unknown."""
    now = _NOW.fullmatch(await _ask(link, _DATE))
    if now is None:
        return ""
    ago = within_ms // 1000 + 2
    reason = read_exit_info(await _ask(link, (*_NOTED, package)), now[2], ago)
    if reason not in ("", _STOPPED, _ENDED):
        return reason
    log = await _ask(link, (*_LOG, *_FILTERS))
    return read_exit_log(log, package, int(now[1]) - ago) or reason


async def _ask(link: Link, command: tuple[str, ...]) -> str:
    """Return a command's output; "" when it fails, so that the others still run."""
    try:
        result = await shell.run(link, command, timeout=SECONDS, limit=LIMIT)
    except AdbError:
        return ""
    return result.stdout.decode(errors="replace")


def read_exit_info(printed: str, now: str, ago: int) -> str:
    """Parse `dumpsys activity exit-info PACKAGE`: the reason in the newest record of the last `ago`
    seconds. Its times, like `now`, are the phone's local time."""
    if not _TIME.fullmatch(now):
        return ""
    try:
        newest, reason = datetime.fromisoformat(now) - timedelta(seconds=ago), ""
    except ValueError:
        return ""
    for record in read_exit_records(printed):
        if record.time >= newest:
            newest, reason = record.time, _explain_record(record)
    return reason


def _explain_record(record: ExitRecord) -> str:
    if record.reason == _SIGNALED:
        return f"was ended by signal {record.status}"
    return _CODES.get(record.reason) or _explain(record.description)


def read_exit_log(log: str, package: str, since: int) -> str:
    """Return the reason in the last line about the package that is not older than `since`."""
    found = ""
    for line in log.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None and int(match[1]) >= since:
            reason = _explain_line(match[3], package)
            if reason == _EITHER and found in (_REMOVED, _UPDATED):
                continue
            if found and match[3].endswith(f": stop {package}"):
                continue  # until API 29 the line before has the cause
            found = reason or found
    return found


def _explain_line(line: str, package: str) -> str:
    if (crash := _CRASH.fullmatch(line)) and crash[1] == package:
        return _CRASHED
    match = _KILL.fullmatch(line) or _STOP.fullmatch(line)
    return _explain(match[2]) if match is not None and match[1] == package else ""


def _explain(description: str) -> str:
    return next((reason for word, reason in _REASONS if word in description), _ENDED)
