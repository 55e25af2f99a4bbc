"""Turns: one action at a time on a phone, first come, first served."""

import asyncio

from ..clock import Clock
from ..errors import TimedOut

PATIENCE = 30.0
"""Seconds an action waits for its turn."""


class Turns:
    def __init__(self, patience: float, clock: Clock) -> None:
        self._patience = patience
        self._clock = clock
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._holder = ""
        self._since = 0.0

    def take(self, call: str) -> "Turn":
        return Turn(self, call)

    async def begin(self, call: str) -> None:
        """Raises TimedOut."""
        if self._waiting or self._lock.locked():
            await self._wait(call)
        else:
            # Nobody holds it or waits, so this returns immediately: most calls need no timer.
            await self._lock.acquire()
        self._holder, self._since = call, self._clock.now()

    async def _wait(self, call: str) -> None:
        self._waiting += 1
        try:
            async with self._clock.timeout(self._patience):
                await self._lock.acquire()
        except TimeoutError:
            held = self._clock.now() - self._since
            raise TimedOut(
                f"The phone is busy: {self._holder} has been using it for {held:.0f} s, and {call}"
                f" waited {self._patience:.0f} s for its turn. Nothing was done. Try again when"
                f" {self._holder} has ended."
            ) from None
        finally:
            self._waiting -= 1

    def end(self) -> None:
        self._lock.release()


class Turn:
    """A turn, for the duration of an `async with`."""

    __slots__ = ("_call", "_turns")

    def __init__(self, turns: Turns, call: str) -> None:
        self._turns = turns
        self._call = call

    async def __aenter__(self) -> None:
        await self._turns.begin(self._call)

    async def __aexit__(self, *_: object) -> None:
        self._turns.end()
