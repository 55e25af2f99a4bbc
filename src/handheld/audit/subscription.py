"""A stream of entries as calls begin and end."""

import asyncio

from .entry import AuditEntry

_MOST_WAITING = 1000


class EntrySubscription:
    """Iterate with `async for`, until the log or this is closed. A slow reader loses the oldest
    entries; `dropped` counts them."""

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

    def __enter__(self) -> "EntrySubscription":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> "EntrySubscription":
        return self

    async def __anext__(self) -> AuditEntry:
        entry = await self._queue.get()
        if entry is None:
            self.put(None)  # later iterations end, too
            raise StopAsyncIteration
        return entry
