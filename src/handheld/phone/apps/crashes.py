"""Crashes, hangs and kills of apps: one list from all of Android's records, each death once."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...driver.diagnostics import CrashRecords, DropRecord, ExitRecord
from ...driver.packages import PACKAGE
from ...errors import ActionFailed, ElementNotFound, InvalidParams
from ...screen.text import brief
from .crash_ids import NEAR, Key, find_by_id, parse_id
from .crash_log import TOGETHER, LoggedCrash, read_crash_log
from .package_names import check_package

if TYPE_CHECKING:
    from ..phone import Phone

Kind = Literal[
    "crash",
    "native_crash",
    "anr",
    "low_memory",
    "excessive_resource",
    "initialization_failure",
    "signaled",
]
_BY_REASON: dict[int, Kind] = {
    2: "signaled",
    3: "low_memory",
    4: "crash",
    5: "native_crash",
    6: "anr",
    7: "initialization_failure",
    9: "excessive_resource",
}
"""The reasons of abnormal exits, by ApplicationExitInfo's numbers."""
_IN_WORDS: dict[Kind, str] = {
    "low_memory": "Android needed its memory while it was in use",
    "excessive_resource": "it used too much CPU in the background",
    "initialization_failure": "it did not start in time",
}
_HOUSEKEEPING: frozenset[Kind] = frozenset({"low_memory", "signaled"})
"""Happens to every unused app: reported only for apps that were in use."""
_AT_ONCE: frozenset[Kind] = frozenset({"crash", "native_crash", "signaled"})
"""Ends the process immediately."""
_CACHED = 400
"""From this importance on, a process is only cached."""
_SHOWN = 200
"""Up to this importance, an app is visible, or runs a service that users notice."""
_HANGS = timedelta(hours=1)
"""The time within which an app may be closed after a hang."""
_SAME_HANG = timedelta(seconds=2)
LONGEST_REASON = 300
LONGEST_LINE = 2000
KEPT = "Android keeps them 3 days"


@dataclass
class Crash:
    """One death or hang, with its records."""

    kind: Kind
    pid: int
    process: str
    id: str = ""
    exit: ExitRecord | None = None
    drops: list[DropRecord] = field(default_factory=list[DropRecord])
    logged: LoggedCrash | None = None

    @property
    def time(self) -> datetime:
        """The time on the phone's clock, from the record that comes first and stays the longest."""
        if self.drops:
            return min(drop.time for drop in self.drops)
        if self.logged is not None:
            return self.logged.time
        assert self.exit is not None
        return self.exit.time

    @property
    def package(self) -> str:
        """The app according to Android, or else to the process name; "" for a program that does
        not belong to an app."""
        if self.exit is not None:
            return self.exit.package
        base = self.process.partition(":")[0]
        packages = [package for drop in self.drops for package in drop.packages]
        if packages:
            return base if base in packages else packages[0]
        if base == "system_server":
            return "android"
        return base if "." in base and PACKAGE.fullmatch(base) else ""

    @property
    def packages(self) -> frozenset[str]:
        """All apps whose code ran in the process."""
        named = {self.package, self.process.partition(":")[0]}.union(
            *(drop.packages for drop in self.drops)
        )
        return frozenset(named - {""})

    @property
    def uids(self) -> frozenset[int]:
        sources = (self.exit, self.logged, *self.drops)
        uids = (source.uid for source in sources if source is not None)
        return frozenset(uid for uid in uids if uid is not None)

    @property
    def foreground(self) -> bool | None:
        """Whether it was on the screen; None if unknown."""
        for drop in self.drops:
            if drop.foreground is not None:
                return drop.foreground
        if self.exit is not None and self.exit.importance:
            return self.exit.importance <= _SHOWN
        return None

    @property
    def reason(self) -> str:
        """The reason in the words of Android or the app."""
        subjects = [drop.subject for drop in self.drops if drop.subject]
        if subjects:
            return subjects[0]
        lines = self.trace
        if self.kind == "native_crash":
            signs = [line for line in lines if line.startswith("signal ")]
            said = [line for line in lines if line.startswith("Abort message: ")]
            if signs:
                return ". ".join([signs[0], *said[:1]])
        elif lines and self.kind == "crash":
            return lines[0]
        if self.exit is None:
            return ""
        if self.kind in ("signaled", "native_crash") and self.exit.status:
            return f"signal {self.exit.status}"
        said = self.exit.description
        return said if said and said != "crash" else _IN_WORDS.get(self.kind, "")

    @property
    def trace(self) -> list[str]:
        """The stack from the best record: the drop box has the whole stack, the log may be cut.
        For a native crash, the shorter of the two reports has the crashed thread."""
        bodies = [drop for drop in self.drops if drop.body]
        bodies.sort(key=lambda drop: drop.tag == "SYSTEM_TOMBSTONE")
        for drop in bodies:
            if lines := _lines(drop.body or ""):
                return lines
        return [] if self.logged is None else [line.rstrip() for line in self.logged.lines]

    @property
    def keys(self) -> list[Key]:
        """The identities of the records."""
        whose = f"{self.kind} {self.pid} {self.process}"
        found: list[Key] = [(f"{whose} {drop.tag}", drop.time) for drop in self.drops]
        if self.logged is not None:
            found.append((f"{whose} log", self.logged.time))
        if self.exit is not None:
            found.append((f"{whose} exit", self.exit.time))
        return found


def _lines(body: str) -> list[str]:
    lines = [line.rstrip() for line in body.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def merge(records: CrashRecords, now: datetime) -> list[Crash]:
    """Merge records into crashes, newest first. Several records of a death make one crash."""
    merging = _Merging()
    for drop in sorted(records.drops, key=lambda drop: drop.time):
        merging.add_drop(drop)
    for logged in read_crash_log(records.log, now):
        merging.add_logged(logged)
    for exit in sorted(records.exits, key=lambda exit: exit.time):
        merging.add_exit(exit)
    return sorted(merging.crashes, key=lambda crash: crash.time, reverse=True)


class _Merging:
    """The crashes found so far."""

    def __init__(self) -> None:
        self.crashes: list[Crash] = []
        # A record is compared only with those of its process: there may be thousands.
        self._by_pid: dict[int, list[Crash]] = {}
        self._by_name: dict[str, list[Crash]] = {}
        """The crashes without a known pid."""

    def add_drop(self, drop: DropRecord) -> None:
        kind: Kind = "crash"
        if drop.tag.endswith("_anr"):
            kind = "anr"
        elif drop.tag.endswith(("_native_crash", "TOMBSTONE")):
            kind = "native_crash"
        if not drop.process:
            return  # the unreadable record is the only one
        for crash in self._near(drop.pid, drop.process, drop.time):
            again = any(each.tag == drop.tag for each in crash.drops)
            # A hang may be followed by another; an immediate one is the same.
            if crash.kind != kind or (kind == "anr" and drop.time - crash.time > _SAME_HANG):
                continue
            if not again:
                crash.drops.append(drop)
            if not again or kind == "anr":
                return
        self._add(Crash(kind, drop.pid, drop.process, drops=[drop]))

    def add_logged(self, logged: LoggedCrash) -> None:
        kind: Kind = "native_crash" if logged.native else "crash"
        for crash in self._near(logged.pid, logged.process, logged.time):
            # Any app can log a crash of another app, but not under its uid.
            foreign = logged.uid is not None and crash.uids and logged.uid not in crash.uids
            if crash.kind == kind and crash.logged is None and not foreign:
                crash.logged = logged
                return
        self._add(Crash(kind, logged.pid, logged.process, logged=logged))

    def add_exit(self, exit: ExitRecord) -> None:
        kind = _BY_REASON.get(exit.reason)
        if kind is None:
            return
        died: list[Crash] = []
        for crash in self._by_pid.get(exit.pid, ()):
            if crash.exit is not None or crash.process != exit.process:
                continue
            later = exit.time - crash.time
            hung = kind == crash.kind == "anr" and -NEAR <= later <= _HANGS
            crashed = kind in _AT_ONCE and crash.kind in _AT_ONCE and abs(later) <= TOGETHER
            if hung or crashed:
                died.append(crash)
        if died:
            min(died, key=lambda crash: abs(exit.time - crash.time)).exit = exit
            return
        in_use = exit.importance is not None and exit.importance < _CACHED
        if kind not in _HOUSEKEEPING or in_use:
            self._add(Crash(kind, exit.pid, exit.process, exit=exit))

    def _add(self, crash: Crash) -> None:
        self.crashes.append(crash)
        if crash.pid:
            self._by_pid.setdefault(crash.pid, []).append(crash)
        else:
            self._by_name.setdefault(crash.process, []).append(crash)

    def _near(self, pid: int, process: str, time: datetime) -> list[Crash]:
        """Return crashes of the same process near this time, the nearest first."""
        known = [*self._by_pid.get(pid, ()), *self._by_name.get(process, ())]
        if not pid:
            known += [crash for crash in self.crashes if crash.pid and crash.process == process]
        near = [crash for crash in known if abs(time - crash.time) <= TOGETHER]
        return sorted(near, key=lambda crash: abs(time - crash.time))


class CrashList(NamedTuple):
    crashes: list[Crash]
    """Newest first."""
    more: int
    """The number of further crashes."""
    note: str


async def list_crashes(
    phone: "Phone", package: str | None, since: datetime | None, limit: int
) -> CrashList:
    """Raises ToolError."""
    if package is not None:
        check_package(package)
    records = await phone.driver.crash_records(package, None)
    crashes = await _read(phone, records)
    if package is not None:
        crashes = [crash for crash in crashes if package in crash.packages]
    if since is not None:
        start = since
        if since.tzinfo is not None:
            if records.zone is None:
                raise ActionFailed(
                    "The phone does not report its time zone: give since without one."
                )
            start = since.astimezone(UTC).replace(tzinfo=None) + records.zone
        crashes = [crash for crash in crashes if crash.time >= start]
    note = ""
    if not crashes:
        whose = f" of {package}" if package else ""
        when = f" since {since:%Y-%m-%d %H:%M:%S}" if since is not None else ""
        note = f"No crash{whose}{when} is on record ({KEPT})."
    unread = list(records.unread)
    if lost := sum(not drop.process for drop in records.drops):
        unread.append(f"{lost} reports of the drop box")
    if unread:
        told = f"{' and '.join(unread)} could not be read: crashes may be missing."
        note = f"{note} {told[0].upper()}{told[1:]}".strip()
    return CrashList(crashes[:limit], max(0, len(crashes) - limit), note)


async def find_crash(phone: "Phone", id: str) -> Crash:
    """Return it with its whole trace. Raises ElementNotFound, InvalidParams."""
    ref = parse_id(id)
    if ref is None:
        raise InvalidParams(f"'{brief(id)}' is not a crash id. The list of crashes has them.")
    crashes = await _read(phone, await phone.driver.crash_records(None, ref.time))
    crash = find_by_id(crashes, id)
    if crash is None:
        raise ElementNotFound(
            f"Crash {id} is not on record ({KEPT}), or no longer distinguishable from another."
            " List the crashes again."
        )
    return crash


async def _read(phone: "Phone", records: CrashRecords) -> list[Crash]:
    """Return the crashes that the caller may see."""
    now = datetime.fromtimestamp(phone.clock.time(), UTC)
    # In a thread: the log and the reports of a bad day are megabytes.
    crashes = await asyncio.to_thread(merge, records, now)
    phone.crash_ids.name(crashes)
    hidden = await phone.hidden_processes()
    return [
        crash
        for crash in crashes
        if not any(map(phone.hides, crash.packages)) and not crash.uids & hidden.uids
    ]
