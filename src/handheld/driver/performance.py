"""What an app uses of the phone, as values."""

from datetime import datetime
from typing import NamedTuple


class Memory(NamedTuple):
    """In kilobytes; None where this Android does not tell."""

    total: int | None = None
    """What the process uses, with its share of what it shares (PSS)."""
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
    """Since the process was started, of what Android's own toolkit drew."""

    rendered: int
    janky: int | None
    percentiles: dict[int, int]
    """Milliseconds within which so many of a hundred frames were drawn."""


class ProcessUse(NamedTuple):
    name: str
    pid: int
    memory: Memory | None
    frames: Frames | None
    cpu: float | None
    """Percent of one processor core; None if it is not among those that did something."""


class CpuSpan(NamedTuple):
    """Between which times the processor's use was measured."""

    began: str
    ended: str


class Start(NamedTuple):
    """When an activity of the app was last shown anew, and how long that took."""

    time: datetime
    activity: str
    ms: int


class Performance(NamedTuple):
    processes: tuple[ProcessUse, ...]
    """None are there if the app does not run."""
    cpu: CpuSpan | None
    start: Start | None
