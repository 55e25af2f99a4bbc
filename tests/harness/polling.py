"""Waiting for what nothing tells of: a file, another program, the state of a phone.

Only what never comes is waited for to the end, and that is a failure on every machine."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

HANG = 300
"""Seconds after which a wait is a hang."""
_LONGEST_PAUSE = 0.05


def _pauses() -> Iterator[float]:
    """Seconds between looks, longer and longer, so that who is waited for gets the processor."""
    pause = 0.001
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


async def until(holds: Callable[[], object]) -> None:
    """Wait until the condition holds."""
    async with asyncio.timeout(HANG):
        for pause in _pauses():
            if holds():
                return
            await asyncio.sleep(pause)


async def until_true(ask: Callable[[], Awaitable[object]]) -> None:
    """The same of a condition that is asked for."""
    async with asyncio.timeout(HANG):
        for pause in _pauses():
            if await ask():
                return
            await asyncio.sleep(pause)


def wait_until(holds: Callable[[], object]) -> None:
    """The same where no event loop runs."""
    begun = time.monotonic()
    for pause in _pauses():
        if holds():
            return
        if time.monotonic() - begun > HANG:
            raise TimeoutError("It never came.")
        time.sleep(pause)
