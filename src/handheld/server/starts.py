"""The order in which requests begin while several tokens send some: one at a time, each token in
its turn. Otherwise one with ninety clients would get nine tenths of the server."""

import asyncio
from collections import Counter

from ..clock import Clock
from ..toolkit.shares import RoundRobin

_SECONDS = 1.0
"""So long after requests of several tokens ran at a time, they are still taken in turns."""


class Starts:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: Counter[str] = Counter()
        self._waiting = RoundRobin()
        self._until = 0.0

    async def begin(self, token: str) -> None:
        """Return when a request may begin; `end` must follow in any case."""
        self._running[token] += 1
        if len(self._running) > 1:
            self._until = self._clock.now() + _SECONDS
        elif not self._waiting and (not self._until or self._clock.now() > self._until):
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
        await self._waiting.join(token)

    def end(self, token: str) -> None:
        self._running[token] -= 1
        if not self._running[token]:
            del self._running[token]

    def _next(self) -> None:
        """Let one begin in each turn of the event loop, which serves all that wait for nothing."""
        self._waiting.let_next()
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
