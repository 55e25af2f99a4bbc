"""A clock that tests control: it stands still until it is advanced."""

import asyncio
import heapq
from collections.abc import Callable
from types import TracebackType
from typing import Any

from handheld.clock import Timer
from harness.polling import HANG

MORNING = 1_784_102_400.0
"""2026-07-15 08:00 UTC."""
_TURNS = 10
"""Turns of the event loop, so that woken tasks run as far as they can without I/O."""


class ManualClock:
    """`waits` lists the pending waits; none ends before the test advances the clock."""

    def __init__(self, time: float = MORNING) -> None:
        """`time` is the initial wall-clock time."""
        self._now = 0.0
        self._time = time
        self._alarms: list[_Alarm] = []
        self._count = 0
        self._changed = asyncio.Event()

    # The interface of the product's clock.

    def now(self) -> float:
        return self._now

    def time(self) -> float:
        return self._time + self._now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        alarm = self.call_later(seconds, woken.set)
        try:
            await woken.wait()
        finally:
            alarm.cancel()

    def timeout(self, seconds: float | None) -> "_Timeout":
        return _Timeout(self, seconds)

    def deadline(self, seconds: float) -> float:
        return self._now + seconds

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        self._count += 1
        due = self._now + max(0.0, seconds)
        alarm = _Alarm(self, due, self._count, callback, arguments)
        heapq.heappush(self._alarms, alarm)
        self._changed.set()
        return alarm

    # The interface for tests.

    @property
    def waits(self) -> list[float]:
        """The remaining seconds of each wait, the shortest first."""
        return [round(alarm.due - self._now, 6) for alarm in sorted(self._alarms)]

    async def until_waits(self, *seconds: float) -> None:
        """Return as soon as these waits are among the pending ones."""
        await self.until(lambda: all(each in self.waits for each in seconds))

    async def until_waits_only(self, *seconds: float) -> None:
        """Return as soon as exactly these waits are pending."""
        await self.until(lambda: self.waits == sorted(seconds))

    async def until(self, done: Callable[[], bool]) -> None:
        """Check the condition whenever a wait begins or ends."""
        try:
            async with asyncio.timeout(HANG):
                while not done():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"waits are {self.waits}") from None

    async def advance(self, seconds: float) -> None:
        """Advance the time. Waits end in the order in which they are due, and the woken task runs
        before the next."""
        end = self._now + seconds
        while self._alarms and self._alarms[0].due <= end + 1e-9:
            alarm = heapq.heappop(self._alarms)
            self._now = max(self._now, alarm.due)
            self._changed.set()
            alarm.ring()
            for _ in range(_TURNS):
                await asyncio.sleep(0)
        self._now = max(self._now, end)

    def put_forward(self, seconds: float) -> None:
        """Advance the time without ending a wait."""
        assert not self.waits or self.waits[0] > seconds, f"waits are {self.waits}"
        self._now += seconds

    def sleep_through(self, seconds: float) -> None:
        """As while the machine sleeps: time passes, and waits do not count it."""
        self._now += seconds
        for alarm in self._alarms:
            alarm.due += seconds

    def set_time(self, time: float) -> None:
        """Set the wall-clock time, also backwards. Waits are not affected."""
        self._time = time - self._now

    def forget(self, alarm: "_Alarm") -> None:
        if alarm in self._alarms:
            self._alarms.remove(alarm)
            heapq.heapify(self._alarms)
            self._changed.set()


class _Alarm:
    def __init__(
        self,
        clock: ManualClock,
        due: float,
        number: int,
        callback: Callable[..., object],
        arguments: tuple[Any, ...],
    ) -> None:
        self.due = due
        self._clock = clock
        self._number = number
        self._callback = callback
        self._arguments = arguments

    def __lt__(self, other: "_Alarm") -> bool:
        return (self.due, self._number) < (other.due, other._number)

    def ring(self) -> None:
        self._callback(*self._arguments)

    def cancel(self) -> None:
        self._clock.forget(self)


class _Timeout:
    """asyncio's timeout, ended by the manual clock."""

    def __init__(self, clock: ManualClock, seconds: float | None) -> None:
        self._clock = clock
        self._seconds = seconds
        self._inner = asyncio.timeout(None)
        self._alarm: Timer | None = None

    def reschedule(self, when: float | None) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if when is not None:
            self._alarm = self._clock.call_later(when - self._clock.now(), self._expire)

    def _expire(self) -> None:
        # A time in the past for any loop: asyncio ends the block in its next turn.
        self._inner.reschedule(0.0)

    async def __aenter__(self) -> "_Timeout":
        await self._inner.__aenter__()
        if self._seconds is not None:
            self.reschedule(self._clock.now() + self._seconds)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        self.reschedule(None)
        return await self._inner.__aexit__(kind, problem, trace)
