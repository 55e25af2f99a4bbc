"""Tells the caller of a call how far it has come, while it runs."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from ..clock import Clock
from ..progress import watched

Tell = Callable[[float, float | None, str], Awaitable[None]]

PAUSE = 0.25
"""Seconds between two words on the same stage of a call."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def telling(tell: Tell, clock: Clock) -> AsyncGenerator[None]:
    """Tell the caller what is reported in this block, and nothing once it has ended."""
    caller = _Caller(tell, clock)
    try:
        with watched(caller.take):
            yield
    finally:
        await caller.leave()


class _Caller:
    """Who is told, one word after the other. One who does not listen holds up nothing, and is told
    afterwards of each stage the latest."""

    def __init__(self, tell: Tell, clock: Clock) -> None:
        self._tell: Tell | None = tell
        self._clock = clock
        self._told = -1.0
        self._message = ""
        self._at = 0.0
        self._words: list[tuple[float, float | None, str]] = []
        self._telling: asyncio.Task[None] | None = None

    def take(self, progress: float, total: float | None, message: str) -> None:
        if self._tell is None or progress <= self._told:
            return
        now = self._clock.now()
        if message == self._message and now - self._at < PAUSE:
            return
        if self._words and message == self._message:
            self._words.pop()
        self._told, self._message, self._at = progress, message, now
        self._words.append((progress, total, message))
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._go_on(self._tell))

    async def _go_on(self, tell: Tell) -> None:
        try:
            while self._words:
                await tell(*self._words.pop(0))
        except Exception:
            # The call goes on: what it does does not depend on who hears of it.
            log.exception("a caller cannot be told how far its call has come")
            self._tell = None

    async def leave(self) -> None:
        """What is being said is said to its end, since it may be half written."""
        # Tasks that were created in the block have it in their context for as long as they live.
        self._tell = None
        self._words.clear()
        if self._telling is not None:
            await asyncio.wait({self._telling})
