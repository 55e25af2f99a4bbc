"""An app's use of the phone's resources, as values."""

from datetime import datetime
from typing import NamedTuple


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
