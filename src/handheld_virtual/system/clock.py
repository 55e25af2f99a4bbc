"""The virtual phone's time: real, or controlled by a test."""

import asyncio
import heapq
import time
from typing import Protocol


class Clock(Protocol):
    """A clock that counts milliseconds from boot."""

    def now(self) -> float: ...

    async def sleep(self, ms: float) -> None: ...


class RealClock:
    def __init__(self, speed: float = 1.0) -> None:
        """`speed` is the ratio to the machine's clock."""
        self._start = time.monotonic()
        self._per_second = 1000 * speed

    def now(self) -> float:
        return (time.monotonic() - self._start) * self._per_second

    async def sleep(self, ms: float) -> None:
        await asyncio.sleep(max(0.0, ms) / self._per_second)


class ManualClock:
    """A clock that stands still until a test advances it."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        return self._now

    async def sleep(self, ms: float) -> None:
        if ms <= 0:
            await asyncio.sleep(0)
            return
        self._count += 1
        waker = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + ms, self._count, waker))
        await waker

    @property
    def sleepers(self) -> int:
        """The number of sleepers, from which a test knows that a wait has begun."""
        return sum(not waker.done() for _, _, waker in self._sleepers)

    @property
    def due(self) -> float | None:
        """The time at which the first sleeper wakes."""
        return min((due for due, _, waker in self._sleepers if not waker.done()), default=None)

    async def advance(self, ms: float) -> None:
        """Advance the time. Sleepers wake in order, and each runs before the next."""
        end = self._now + ms
        while self._sleepers and self._sleepers[0][0] <= end:
            due, _, waker = heapq.heappop(self._sleepers)
            # Time never goes back, even if two tasks advance it at once.
            self._now = max(self._now, due)
            if not waker.done():
                waker.set_result(None)
                for _ in range(10):
                    await asyncio.sleep(0)
        self._now = max(self._now, end)
