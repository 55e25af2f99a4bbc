"""Time that passes only while the phone waits: a built-in policy needs no real waits, and plays the
same on a busy machine."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from handheld_virtual import ManualClock, VirtualPhone

from ..clock import SystemClock, Timeout, Timer

LONGEST_PAUSE_MS = 3000
"""The longest single wait. Limits are longer, and no play reaches them."""
PATIENCE = 20
"""The factor by which timeouts are extended."""

Result = TypeVar("Result")


class PatientClock(SystemClock):
    """The clock of the connection to the phone: a busy machine must not look like a silent
    phone."""

    patience: float = PATIENCE

    def timeout(self, seconds: float | None) -> Timeout:
        return super().timeout(None if seconds is None else self.patience * seconds)

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        return super().call_later(self.patience * seconds, callback, *arguments)


class PlayedTime(PatientClock):
    """The phone's time, also for the tools. Only timeouts follow the machine's time."""

    def __init__(self, device: Callable[[], VirtualPhone], patience: float = PATIENCE) -> None:
        self._device = device
        self.patience = patience

    def now(self) -> float:
        return self._device().clock.now() / 1000

    def time(self) -> float:
        return self._device().world.wall.now().timestamp()

    async def sleep(self, seconds: float) -> None:
        await self._device().clock.sleep(seconds * 1000)


async def passing(clock: ManualClock, call: Coroutine[Any, Any, Result]) -> Result:
    """The call's result. The clock advances to the phone's next wait until the call ends."""
    task = asyncio.ensure_future(call)
    try:
        while not task.done():
            due, now = clock.due, clock.now()
            if due is not None and due - now <= LONGEST_PAUSE_MS:
                await clock.advance(due - now)
            await asyncio.sleep(0)
        return task.result()
    finally:
        task.cancel()
