"""Tells those who wait that something has changed."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class Changes:
    def __init__(self) -> None:
        self._watches: list[asyncio.Event] = []

    @contextmanager
    def watch(self, event: asyncio.Event | None = None) -> Generator[asyncio.Event]:
        """An event that is set at each change; one that others set, too, may be given."""
        event = event or asyncio.Event()
        self._watches.append(event)
        try:
            yield event
        finally:
            self._watches.remove(event)

    def tell(self) -> None:
        for event in self._watches:
            event.set()
