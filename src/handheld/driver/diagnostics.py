"""Crashes and performance of apps: the protocol and its values.

Android has three places with records of apps that crashed, hung or were killed: the exit records
(since Android 11), the drop box, and the crash log. The same death may be in each of them.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol


class Memory(NamedTuple):
    """In kilobytes; None if this Android does not report it."""

    total: int | None = None
    """The memory of the process, including its share of shared pages (PSS)."""
    resident: int | None = None
    java_heap: int | None = None
    native_heap: int | None = None
    code: int | None = None
    stack: int | None = None
    graphics: int | None = None
    private_other: int | None = None
    system: int | None = None
    swapped: int | None = None


class Frames(NamedTuple):
    """Frames that Android's own toolkit drew since the process was started."""

    rendered: int
    janky: int | None
    percentiles: dict[int, int]
    """Milliseconds within which that percentage of the frames was drawn."""

    @property
    def janky_percent(self) -> float | None:
        if self.janky is None:
            return None
        return round(100 * self.janky / self.rendered, 2) if self.rendered else 0.0


class ProcessUse(NamedTuple):
    name: str
    pid: int
    memory: Memory | None
    frames: Frames | None
    cpu: float | None
    """Percent of one CPU core; None if it is not among the active processes."""


class CpuSpan(NamedTuple):
    """The interval in which CPU use was measured."""

    began: str
    ended: str


class Start(NamedTuple):
    """The last start of an activity of the app, and its duration."""

    time: datetime
    activity: str
    ms: int


class Performance(NamedTuple):
    processes: tuple[ProcessUse, ...]
    """Empty if the app does not run."""
    cpu: CpuSpan | None
    start: Start | None


class ExitRecord(NamedTuple):
    """Why a process ended."""

    package: str
    process: str
    pid: int
    uid: int | None
    time: datetime
    """The phone's local time, like all times here."""
    reason: int
    """A reason number of ApplicationExitInfo."""
    status: int
    """The exit code, or the signal."""
    importance: int | None
    description: str


class DropRecord(NamedTuple):
    """An entry of the drop box."""

    time: datetime
    tag: str
    process: str
    pid: int
    """0 if unknown."""
    uid: int | None
    packages: tuple[str, ...]
    foreground: bool | None
    subject: str
    body: str | None
    """The report or its first lines; None if it could not be read."""


class CrashRecords(NamedTuple):
    exits: Sequence[ExitRecord]
    drops: Sequence[DropRecord]
    log: str
    """The crash log, as `LogDriver.logs` returns it."""
    zone: timedelta | None
    """The offset of the phone's clock from UTC; None if unknown."""
    unread: tuple[str, ...]
    """The places that could not be read, by names for the user."""


class DiagnosticDriver(Protocol):
    async def crash_records(self, package: str | None, near: datetime | None) -> CrashRecords:
        """Return the crash records of an app, as far as Android can separate them, or of all apps.
        Only with `near` are reports whole, and then only those of that time are returned."""
        ...

    async def performance(self, package: str) -> Performance:
        """Return the app's current use of resources."""
        ...
