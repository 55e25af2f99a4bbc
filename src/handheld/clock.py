"""Time, for whatever waits or says when. It is given to who needs it, so that a test can give
another: nothing else in the product reads the time or waits for it."""

import asyncio
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol


class Timer(Protocol):
    """A call that is to come."""

    def cancel(self) -> None: ...


class Timeout(Protocol):
    """As asyncio's: its block ends with TimeoutError when the time is over."""

    def reschedule(self, when: float | None) -> None:
        """Let it end then, by the clock's `now`."""
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
        """Seconds from some moment on, never going back."""
        ...

    def time(self) -> float:
        """The time of day, in seconds since 1970. It may be set back."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    def timeout(self, seconds: float | None) -> Timeout: ...

    def call_later(
        self, seconds: float, callback: Callable[..., object], *arguments: Any
    ) -> Timer: ...


class SystemClock:
    def now(self) -> float:
        # What asyncio's loops count by, so that a timeout can be moved on by it.
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> Timeout:
        return asyncio.timeout(seconds)

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback, *arguments)


SYSTEM_CLOCK: Clock = SystemClock()
