"""The clock, passed to everything that waits or needs the time, so that tests can replace it.
Nothing else in the product reads the time or sleeps."""

import time
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Handle

_SOON = 0.05
"""Seconds: a shorter timer is likely to expire."""


def _find_now() -> Callable[[], float]:
    """Linux has a clock of its own that counts the time asleep; that of macOS does, and that of
    Windows, which has no other."""
    if not hasattr(time, "clock_gettime"):
        return time.monotonic
    return partial(time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


_now = _find_now()


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> None: ...


class Timeout(Protocol):
    """Like asyncio's: the block ends with TimeoutError when the time is over."""

    def reschedule(self, when: float | None) -> None:
        """Set the end, as `deadline` returns it."""
        ...

    async def __aenter__(self) -> "Timeout": ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> bool | None: ...


class Clock(Protocol):
    def now(self) -> float:
        """Monotonic time in seconds. It goes on while the machine sleeps, as waits do not."""
        ...

    def time(self) -> float:
        """Wall-clock time in seconds since 1970. It may be set back."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    def timeout(self, seconds: float | None) -> Timeout: ...

    def deadline(self, seconds: float) -> float:
        """The end of a timeout that begins anew now."""
        ...

    def call_later(
        self, seconds: float, callback: Callable[..., object], *arguments: Any
    ) -> Timer: ...


_EARLY = time.get_clock_info("monotonic").resolution
"""Seconds by which asyncio's own timers may expire early. Asked for once: the answer has names that
Python keeps in its table of names, which grows by them."""


class _Timers:
    """The timers of an event loop. Almost all are cancelled long before their time, several for
    each call, so that only the first one to come is the loop's: the rest are in a set."""

    def __init__(self, loop: "AbstractEventLoop") -> None:
        self.loop = loop
        self._timers: set[_Timer] = set()
        self._first = inf
        """When the loop's timer expires."""
        self._handle: Handle | None = None

    def add(self, seconds: float, callback: Callable[..., object], arguments: Any) -> "_Timer":
        timer = _Timer(self._timers, time.monotonic() + seconds, callback, arguments)
        self._timers.add(timer)
        if timer.due < self._first:
            self._wait_until(timer.due)
        return timer

    def _wait_until(self, due: float) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._first = due
        self._handle = self.loop.call_at(due, self._expire)

    def _expire(self) -> None:
        self._first, self._handle = inf, None
        now = time.monotonic() + _EARLY
        over = sorted((timer for timer in self._timers if timer.due <= now), key=_due)
        for timer in over:
            timer.expire(self.loop)
        if self._timers:
            self._wait_until(min(map(_due, self._timers)))


class _Timer:
    __slots__ = ("_call", "_handle", "_others", "due")

    def __init__(
        self, others: "set[_Timer]", due: float, callback: Callable[..., object], arguments: Any
    ) -> None:
        self.due = due
        self._others = others
        self._call: tuple[Callable[..., object], Any, Context] | None
        self._call = callback, arguments, copy_context()
        self._handle: Handle | None = None

    def expire(self, loop: "AbstractEventLoop") -> None:
        self._others.discard(self)
        if self._call is not None:
            callback, arguments, context = self._call
            self._handle = loop.call_soon(callback, *arguments, context=context)

    def cancel(self) -> None:
        # Who has a timer is mostly what it calls: without this, each would be garbage that only
        # the collector finds.
        self._call = None
        self._others.discard(self)
        if self._handle is not None:
            self._handle.cancel()


def _due(timer: _Timer) -> float:
    return timer.due


class SystemClock:
    # asyncio is imported where it is used: a short command has no event loop.

    _timers: _Timers | None = None
    """Of the loop that was running last: a process has one."""

    def now(self) -> float:
        return _now()

    def time(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> Timeout:
        import asyncio

        return asyncio.timeout(seconds)

    def deadline(self, seconds: float) -> float:
        import asyncio

        return asyncio.get_running_loop().time() + seconds

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        import asyncio

        loop = asyncio.get_running_loop()
        if seconds < _SOON:
            return loop.call_later(seconds, callback, *arguments)
        timers = self._timers
        if timers is None or timers.loop is not loop:
            timers = self._timers = _Timers(loop)
        return timers.add(seconds, callback, arguments)


SYSTEM_CLOCK: Clock = SystemClock()
