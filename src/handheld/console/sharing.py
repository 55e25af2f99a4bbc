"""Makes equal simultaneous requests of several clients only once."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Sharing(Generic[Value]):
    """A request is cancelled once nobody waits for it."""

    def __init__(self) -> None:
        self._running: dict[Hashable, tuple[asyncio.Future[Value], list[None]]] = {}

    async def ask(self, key: Hashable, make: Callable[[], Awaitable[Value]]) -> Value:
        if key not in self._running:
            self._running[key] = asyncio.ensure_future(make()), []
        work, waiting = self._running[key]
        waiting.append(None)
        try:
            return await asyncio.shield(work)
        finally:
            waiting.pop()
            if work.done() or not waiting:
                work.cancel()
                if self._running.get(key, (None,))[0] is work:
                    del self._running[key]
