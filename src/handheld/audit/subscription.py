"""Entries as they begin and end, for whoever watches."""

import asyncio

from .entry import AuditEntry

_MOST_WAITING = 1000


class Subscription:
    """Iterated with `async for`. Who does not keep up loses the oldest, and `dropped` counts them.
    It ends with the log, or by `close`."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[AuditEntry | None] = asyncio.Queue(_MOST_WAITING)
        self.dropped = 0

    def put(self, entry: AuditEntry | None) -> None:
        if self._queue.full():
            self._queue.get_nowait()
            self.dropped += 1
        self._queue.put_nowait(entry)

    def close(self) -> None:
        self.put(None)

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> AuditEntry:
        entry = await self._queue.get()
        if entry is None:
            self.put(None)  # for whoever iterates once more
            raise StopAsyncIteration
        return entry
