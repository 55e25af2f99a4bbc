"""Why an app's process ended, out of the phone's log. Only asked once one did."""

import re

from ..adb import shell
from ..adb.link import AdbError, Link

SECONDS = 5.0
LIMIT = 4 * 1024 * 1024
_LOG = ("logcat", "-d", "-v", "epoch", "-b", "system,crash")
_FILTERS = ("ActivityManager:I", "AndroidRuntime:E", "*:S")
_LINE = re.compile(r"\s*(\d{1,12})\.\d+ +\d+ +\d+ [A-Z] (ActivityManager|AndroidRuntime)\s*: (.*)")
_CRASH = re.compile(r"Process: ([\w.]+)(?::\w+)?, PID: \d+")
_KILL = re.compile(r"Killing \d+:([\w.]+)(?::\w+)?/\S+ \(adj -?\d+\): (.*)")
_STOP = re.compile(r"Force stopping ([\w.]+) appid=\d+ user=-?\d+: (.*)")
_REASONS = (
    ("crash", "crashed"),
    ("deletePackage", "was removed from the phone"),
    ("uninstall", "was removed from the phone"),
    ("installPackage", "was updated"),
    ("replace", "was updated"),
    ("anr", "hung, and Android ended it"),
    ("stop ", "was stopped"),
    ("from pid", "was stopped"),
)


async def find_ending(link: Link, package: str, within_ms: int) -> str:
    """What became of the app in that time, as a predicate; "" where the phone does not say."""
    try:
        date = await shell.run(link, ("date", "+%s"), timeout=SECONDS, limit=LIMIT)
        log = await shell.run(link, (*_LOG, *_FILTERS), timeout=SECONDS, limit=LIMIT)
    except AdbError:
        return ""
    now = date.stdout.decode(errors="replace").strip()
    if not re.fullmatch(r"[0-9]{1,12}", now):
        return ""
    since = int(now) - within_ms // 1000 - 2
    return read_ending(log.stdout.decode(errors="replace"), package, since)


def read_ending(log: str, package: str, since: int) -> str:
    """By the last line about it that is not older."""
    found = ""
    for line in log.splitlines():
        told = _LINE.fullmatch(line)
        if told is not None and int(told[1]) >= since:
            found = _tell(told[3], package) or found
    return found


def _tell(words: str, package: str) -> str:
    if (crash := _CRASH.fullmatch(words)) and crash[1] == package:
        return "crashed"
    ended = _KILL.fullmatch(words) or _STOP.fullmatch(words)
    if ended is None or ended[1] != package:
        return ""
    reason = ended[2]
    return next((said for word, said in _REASONS if word in reason), "was ended by Android")
