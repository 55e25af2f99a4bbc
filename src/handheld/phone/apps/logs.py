"""The phone's log: parses the output of logcat and returns the newest matching lines."""

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ...clock import Clock
from ...driver import Driver
from ...driver.apps import AppProcesses

LEVELS = "VDIWEF"
FIRST_READ = 2000
"""The number of entries in the first read: the whole log may have megabytes."""

_LINE = re.compile(
    r"(?:(?P<year>\d{4})-)?(?P<stamp>\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\d*"
    r"(?: (?P<zone>[+-]\d{4}))?"
    r" +(?:(?P<uid>[a-z0-9_]{1,32}) +)?(?P<pid>\d{1,9}) +(?P<tid>\d{1,9}) (?P<level>[VDIWEFS]) ",
    re.ASCII,
)
_TAG_ENDS = re.compile(r":(?: |\Z)")
_DIVIDER = re.compile(r"--------- (?:beginning of|switch to) \w+\r?")
_BREAKS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_APP = re.compile(r"u(\d+)_a(\d+)", re.ASCII)
_USERS = {"root": 0, "radio": 1001, "wifi": 1010, "nfc": 1027, "shell": 2000}
"""Users whose names are short enough for logcat to print them instead of the number."""
_PLAIN_TAG = re.compile(r"[A-Za-z0-9._]+", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?", re.ASCII
)
_FUTURE = timedelta(days=1)
"""A date without a year that is further in the future counts as last year's."""


class LogLine(NamedTuple):
    year: int | None
    stamp: str
    """`02-11 16:30:00.123`, on the phone's clock and in its zone."""
    zone: str
    """`+0100`, or empty if logcat did not print it."""
    uid: int | None
    pid: int
    level: str
    tag: str
    message: str

    def __str__(self) -> str:
        # Line breaks become spaces, so that no app can forge a second line.
        return _BREAKS.sub(" ", f"{self.stamp} {self.level}/{self.tag}: {self.message}")

    def local_time(self, now: datetime) -> datetime | None:
        """Return the time on the phone's clock; None for an invalid date. Without a year, the
        latest that is not after `now`."""
        if self.year is not None:
            return _dated(self.year, self.stamp)
        latest = now.replace(tzinfo=None) + _FUTURE
        for year in range(latest.year, now.year - 8, -1):
            time = _dated(year, self.stamp)
            if time is not None and time <= latest:
                return time
        return None

    def time(self, now: datetime) -> datetime | None:
        """Return the instant. Without a time zone, in the zone of `now`."""
        local = self.local_time(now)
        if local is None:
            return None
        if not self.zone:
            return local.replace(tzinfo=now.tzinfo)
        offset = timedelta(hours=int(self.zone[1:3]), minutes=int(self.zone[3:]))
        try:
            return (local + offset if self.zone[0] == "-" else local - offset).replace(tzinfo=UTC)
        except OverflowError:  # before the year 1, or after 9999
            return None


def _dated(year: int, stamp: str) -> datetime | None:
    try:
        return datetime.fromisoformat(f"{year:04d}-{stamp}")
    except ValueError:
        return None


def parse_logs(text: str) -> Iterator[LogLine]:
    """Parse logcat's `threadtime` format, with or without year, zone and uid. A line without a
    header continues the entry before it."""
    last: LogLine | None = None
    for line in text.split("\n"):
        match = _LINE.match(line)
        ends = _TAG_ENDS.search(line, match.end()) if match is not None else None
        if match is not None and ends is not None:
            year, uid = match["year"], match["uid"]
            last = LogLine(
                int(year) if year else None,
                match["stamp"],
                match["zone"] or "",
                _uid(uid) if uid else None,
                int(match["pid"]),
                match["level"],
                line[match.end() : ends.start()].rstrip(" "),
                line[ends.end() :],
            )
            yield last
        elif last is not None and line.strip() and not _DIVIDER.fullmatch(line):
            yield LogLine(*last[:-1], line)


def _uid(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
    if app := _APP.fullmatch(text):
        return int(app[1]) * 100_000 + 10_000 + int(app[2])
    return _USERS.get(text)


def parse_moment(text: str) -> datetime | None:
    """Parse an ISO 8601 time, with a zone or, for the phone's clock, without; None if invalid."""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


class Processes(NamedTuple):
    """The uids and pids of several apps, without uids that they share with others."""

    uids: frozenset[int] = frozenset()
    pids: frozenset[int] = frozenset()

    @classmethod
    def of(cls, apps: Iterable[AppProcesses | None]) -> "Processes":
        known = [app for app in apps if app is not None]
        pids = frozenset(pid for app in known for pid in app.pids)
        return cls(frozenset(app.uid for app in known if not app.shared), pids)


_NONE = Processes()


class LogFilter(NamedTuple):
    """Which lines to return."""

    level: str = "V"
    tag: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    owner: AppProcesses | None = None
    """The app that wrote them."""
    hidden: Processes = _NONE
    """The processes whose lines are hidden."""

    def matches(self, line: LogLine, now: datetime) -> bool:
        return (
            LEVELS.find(line.level) >= LEVELS.index(self.level)
            and self.tag in (None, line.tag)
            and (self.owner is None or _wrote(self.owner, line))
            and line.uid not in self.hidden.uids
            and line.pid not in self.hidden.pids
            and self._spans(line, now)
        )

    def _spans(self, line: LogLine, now: datetime) -> bool:
        if self.since is not None:
            time = _comparable(line, self.since, now)
            if time is None or time < self.since:
                return False
        if self.until is not None:
            time = _comparable(line, self.until, now)
            if time is None or time > self.until:
                return False
        return True


def _wrote(app: AppProcesses, line: LogLine) -> bool:
    if line.uid is None:
        return line.pid in app.pids
    return line.uid == app.uid and (not app.shared or line.pid in app.pids)


def _comparable(line: LogLine, bound: datetime, now: datetime) -> datetime | None:
    """Return the line's time in the form of `bound`: on the phone's clock, or as an instant."""
    return line.local_time(now) if bound.tzinfo is None else line.time(now)


def newest(text: str, wanted: LogFilter, most: int, now: datetime) -> tuple[list[str], bool]:
    """Return the last `most` matching lines, in the log's order, and whether there were more. A
    clock that was set back does not change the order."""
    kept: deque[LogLine] = deque(maxlen=most + 1)
    before: tuple[object, ...] | None = None
    matched = False
    for line in parse_logs(text):
        # An entry of many lines is filtered once.
        if line[:-1] != before:
            before, matched = line[:-1], wanted.matches(line, now)
        if matched:
            kept.append(line)
    more = len(kept) > most
    if more:
        kept.popleft()
    return [str(line) for line in kept], more


async def find_logs(
    driver: Driver, wanted: LogFilter, most: int, clock: Clock
) -> tuple[list[str], bool]:
    """Return the newest matching lines of the phone's log, and whether there were more."""
    filters = _filters(wanted)
    for last in (max(FIRST_READ, 10 * most), None):
        text = await driver.logs(filters, last)
        now = datetime.fromtimestamp(clock.time(), UTC)
        # In a thread: a whole log has a hundred thousand lines.
        lines, more = await asyncio.to_thread(newest, text, wanted, most, now)
        if more:
            return lines, more
    return lines, more


def _filters(wanted: LogFilter) -> list[str]:
    """Return filters for logcat itself. It cuts a tag at its first colon or space, so such a tag is
    matched only here."""
    if wanted.tag is not None and _PLAIN_TAG.fullmatch(wanted.tag):
        return [f"{wanted.tag}:{wanted.level}", "*:S"]
    return [f"*:{wanted.level}"]
