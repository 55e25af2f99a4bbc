"""The ring buffers of the log daemon."""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

LEVELS = "VDIWEF"
BUFFERS = {"main": 0, "radio": 1, "events": 2, "system": 3, "crash": 4, "kernel": 7}
"""The buffers with Android's numbers. Nothing on this phone writes to radio, events and kernel."""
DEFAULT_BUFFERS = ("main", "system", "crash")
CAPACITY = 10_000
"""The number of entries in a buffer; the oldest are dropped."""
MESSAGE_LIMIT = 4000
"""The length of an entry's tag and message in characters, close to Android's limit."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The process that writes an entry."""

    pid: int
    uid: int
    tid: int = 0
    """0 is its main thread."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    number: int
    """Increases across all buffers: the order of arrival, independent of the clock."""
    buffer: str
    time: datetime
    pid: int
    tid: int
    uid: int
    level: str
    tag: str
    message: str


class Logs:
    """The log of one phone."""

    def __init__(self, now: Callable[[], datetime], capacity: int = CAPACITY) -> None:
        self._now = now
        self._rings = {name: deque[LogEntry](maxlen=capacity) for name in BUFFERS}
        self._count = 0
        self._waiters: set[asyncio.Event] = set()

    @property
    def count(self) -> int:
        """The number of the last entry."""
        return self._count

    def write(
        self, writer: Writer, level: str, tag: str, message: str, buffer: str = "main"
    ) -> None:
        if level not in LEVELS:
            raise ValueError(f"no such level: {level}")
        self._count += 1
        entry = LogEntry(
            self._count,
            buffer,
            self._now(),
            writer.pid,
            writer.tid or writer.pid,
            writer.uid,
            level,
            tag,
            message[: MESSAGE_LIMIT - len(tag)],
        )
        self._rings[buffer].append(entry)
        for waiter in self._waiters:
            waiter.set()

    def read(self, buffers: Iterable[str] = BUFFERS, after: int = 0) -> list[LogEntry]:
        """The entries after number `after`, in order of arrival."""
        rings = [self._rings[name] for name in dict.fromkeys(buffers)]
        merged = heapq.merge(*rings, key=lambda entry: entry.number)
        return [entry for entry in merged if entry.number > after]

    def clear(self, buffers: Iterable[str] = BUFFERS) -> None:
        for name in buffers:
            self._rings[name].clear()

    async def wait(self, after: int) -> None:
        """Wait for an entry with a number above `after`."""
        waker = asyncio.Event()
        self._waiters.add(waker)
        try:
            while self._count <= after:
                await waker.wait()
                waker.clear()
        finally:
            self._waiters.discard(waker)
