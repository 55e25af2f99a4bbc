"""Why an app's process ended, by what Android noted and logged of it. Only asked once one did.

Since API 30 Android keeps why each process ended, and forgets it with the package. What is vague
there, or not there, may be in the log.
"""

import re
from datetime import datetime, timedelta

from ..adb import shell
from ..adb.link import AdbError, Link

SECONDS = 5.0
LIMIT = 4 * 1024 * 1024
_DATE = ("date", "+%s %Y-%m-%d %H:%M:%S")
_NOTED = ("dumpsys", "activity", "exit-info")
_LOG = ("logcat", "-d", "-v", "epoch", "-b", "system,crash")
_FILTERS = ("ActivityManager:I", "AndroidRuntime:E", "*:S")
_NOW = re.compile(r"([0-9]{1,12}) (\S+ \S+)\s*")
_TIME = re.compile(r"((?:19|20)\d\d-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.\d+)?")
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
    # Said of the old package by both, after the line that says which.
    ("pkg removed", _EITHER),
    ("anr", _HUNG),
    ("stop ", _STOPPED),
    ("from pid", _STOPPED),
)
_RECORD = re.compile(r"ApplicationExitInfo #\d+:")
_STAMP = re.compile(r"(?<!\w)timestamp=(\S+ \S+)")
_REASON = re.compile(r"(?<!\w)reason=(\d{1,9})")
_STATUS = re.compile(r"(?<!\w)status=(\d{1,9})")
_DESCRIPTION = re.compile(r"(?<!\w)description=(.*?)(?: state=|$)", re.MULTILINE)
"""Each on a line of its own on API 30, several on a line on 34."""
_CODES = {
    1: "ended by itself",
    3: "was ended by Android, which needed its memory",
    4: _CRASHED,
    5: _CRASHED,
    6: _HUNG,
    8: "was ended by Android because its permissions changed",
    16: _UPDATED,
}
"""Reasons of ApplicationExitInfo that say enough by themselves."""
_SIGNALED = 2


async def find_ending(link: Link, package: str, within_ms: int) -> str:
    """What became of the app in that time, as a predicate; "" where the phone does not say."""
    now = _NOW.fullmatch(await _ask(link, _DATE))
    if now is None:
        return ""
    ago = within_ms // 1000 + 2
    said = read_noted(await _ask(link, (*_NOTED, package)), now[2], ago)
    if said not in ("", _STOPPED, _ENDED):
        return said
    log = await _ask(link, (*_LOG, *_FILTERS))
    return read_ending(log, package, int(now[1]) - ago) or said


async def _ask(link: Link, words: tuple[str, ...]) -> str:
    """What a command prints; "" for one that fails, which keeps nothing from the others."""
    try:
        result = await shell.run(link, words, timeout=SECONDS, limit=LIMIT)
    except AdbError:
        return ""
    return result.stdout.decode(errors="replace")


def read_noted(printed: str, now: str, ago: int) -> str:
    """From `dumpsys activity exit-info PACKAGE`: by the newest record that is not older than so
    many seconds. Its times, like `now`, are the phone's own."""
    since = _time(now)
    if since is None:
        return ""
    newest, said = since - timedelta(seconds=ago), ""
    for record in _RECORD.split(printed)[1:]:
        at = _time(_find(_STAMP, record))
        if at is not None and at >= newest:
            newest, said = at, _tell_noted(record) or said
    return said


def _find(pattern: re.Pattern[str], record: str) -> str:
    match = pattern.search(record)
    return "" if match is None else match[1]


def _time(text: str) -> datetime | None:
    match = _TIME.fullmatch(text)
    try:
        return None if match is None else datetime.fromisoformat(match[1])
    except ValueError:
        return None


def _tell_noted(record: str) -> str:
    code = _find(_REASON, record)
    if not code:
        return ""
    if int(code) == _SIGNALED:
        return f"was ended by signal {_find(_STATUS, record)}".rstrip()
    return _CODES.get(int(code)) or _explain(_find(_DESCRIPTION, record))


def read_ending(log: str, package: str, since: int) -> str:
    """By the last line about it that is not older."""
    found = ""
    for line in log.splitlines():
        told = _LINE.fullmatch(line)
        if told is not None and int(told[1]) >= since:
            said = _tell(told[3], package)
            if said == _EITHER and found in (_REMOVED, _UPDATED):
                continue
            if found and told[3].endswith(f": stop {package}"):
                continue  # until API 29 the line before has the cause of it
            found = said or found
    return found


def _tell(words: str, package: str) -> str:
    if (crash := _CRASH.fullmatch(words)) and crash[1] == package:
        return _CRASHED
    ended = _KILL.fullmatch(words) or _STOP.fullmatch(words)
    return _explain(ended[2]) if ended is not None and ended[1] == package else ""


def _explain(reason: str) -> str:
    return next((said for word, said in _REASONS if word in reason), _ENDED)
