"""Timers of the phone. They do not run by themselves: each access to the phone first runs the due
timers, in order, each at its due time."""

import asyncio
import heapq
from collections.abc import Callable, Generator
from contextlib import contextmanager

from .clock import Clock


class Timer:
    """A pending call that can be cancelled."""

    __slots__ = ("action", "due")

    def __init__(self, due: float, action: Callable[[], object]) -> None:
        self.due = due
        self.action: Callable[[], object] | None = action

    def cancel(self) -> None:
        self.action = None


class Timers:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._queue: list[tuple[float, int, Timer]] = []
        self._count = 0
        self._now: float | None = None
        self._waiters: set[asyncio.Event] = set()

    def now(self) -> float:
        """The clock's time; while a late timer runs, its due time."""
        return self.clock.now() if self._now is None else self._now

    def after(self, ms: float, action: Callable[[], object]) -> Timer:
        timer = Timer(self.now() + ms, action)
        self._count += 1
        heapq.heappush(self._queue, (timer.due, self._count, timer))
        self.stir()
        return timer

    def run_due(self) -> None:
        if self._now is not None:
            return
        end = self.clock.now()
        try:
            while self._queue and self._queue[0][0] <= end:
                self._now, _, timer = heapq.heappop(self._queue)
                if timer.action is not None:
                    timer.action()
        finally:
            self._now = None

    @contextmanager
    def one_moment(self) -> Generator[None]:
        """Stop the time within the block: no timer becomes due between two operations."""
        self.run_due()
        before, self._now = self._now, self.now()
        try:
            yield
        finally:
            self._now = before

    @property
    def due(self) -> float | None:
        """The due time of the next timer; None without a timer."""
        while self._queue and self._queue[0][2].action is None:
            heapq.heappop(self._queue)
        return self._queue[0][0] if self._queue else None

    def stir(self) -> None:
        """Wake all waiters, which then check again."""
        for waiter in self._waiters:
            waiter.set()

    async def wait(self, deadline: float) -> None:
        """Wait until `stir` is called, a timer is due, or the deadline is reached."""
        while self._queue and self._queue[0][2].action is None:
            heapq.heappop(self._queue)
        if self._queue:
            deadline = min(deadline, self._queue[0][0])
        waker = asyncio.Event()
        self._waiters.add(waker)
        sleep = asyncio.create_task(self.clock.sleep(deadline - self.clock.now()))
        sleep.add_done_callback(lambda _: waker.set())
        try:
            await waker.wait()
        finally:
            self._waiters.discard(waker)
            sleep.cancel()
            await asyncio.wait([sleep])
