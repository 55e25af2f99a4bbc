"""The clock, passed to everything that waits or needs the time, so that tests can replace it.
Nothing else in the product reads the time or sleeps."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> None: ...


class Timeout(Protocol):
    """Like asyncio's: the block ends with TimeoutError when the time is over."""

    def reschedule(self, when: float | None) -> None:
        """Set the end, in the time of `now`."""
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
        """Monotonic time in seconds."""
        ...

    def time(self) -> float:
        """Wall-clock time in seconds since 1970. It may be set back."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    def timeout(self, seconds: float | None) -> Timeout: ...

    def call_later(
        self, seconds: float, callback: Callable[..., object], *arguments: Any
    ) -> Timer: ...


class SystemClock:
    # asyncio is imported where it is used: a short command has no event loop.

    def now(self) -> float:
        # The clock of asyncio's loops, so that timeouts can be rescheduled by it.
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> Timeout:
        import asyncio

        return asyncio.timeout(seconds)

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        import asyncio

        return asyncio.get_running_loop().call_later(seconds, callback, *arguments)


SYSTEM_CLOCK: Clock = SystemClock()
