"""Server-sent events for every open console."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from contextlib import ExitStack, suppress
from typing import Any, TypeVar

from ..clock import Clock
from ..server.envelope import dump
from ..server.exchange import HttpRefusal
from ..server.text import fix_json
from .routes import Stream
from .site import Holds, Queue, Sources

BEAT_SECONDS = 15.0
"""An event is sent at least this often, which reveals a lost client."""
MOST_STREAMS = 100
_MOST_WAITING = 1000

Item = TypeVar("Item")

log = logging.getLogger(__name__)


class Events:
    """One stream for each open page."""

    def __init__(self, sources: Sources, stopping: asyncio.Event, clock: Clock) -> None:
        self._sources = sources
        self._stopping = stopping
        self._clock = clock
        self._open = 0

    def _close(self) -> None:
        self._open -= 1

    def stream(self, holds: Holds) -> Stream:
        """The stream lasts until `holds` is false. Raises HttpRefusal."""
        if self._open >= MOST_STREAMS:
            raise HttpRefusal(503, "busy", f"{MOST_STREAMS} consoles are already open.")
        return Stream(self._events(holds))

    async def _events(self, holds: Holds) -> AsyncGenerator[bytes]:
        queue: Queue = asyncio.Queue(_MOST_WAITING)
        with ExitStack() as stack:
            self._open += 1
            stack.callback(self._close)
            sources = self._sources(stack, queue, lambda: holds() and not self._stopping.is_set())
            tasks = [asyncio.ensure_future(source) for source in (*sources, self._stopping.wait())]
            try:
                yield event("hello", {"now": self._clock.time()})
                # If a source fails, the stream ends: the page would miss questions, so it has to
                # reconnect.
                while holds() and not any(task.done() for task in tasks):
                    getting = asyncio.ensure_future(queue.get())
                    try:
                        with suppress(TimeoutError):
                            async with self._clock.timeout(BEAT_SECONDS):
                                await asyncio.wait(
                                    {getting, *tasks}, return_when=asyncio.FIRST_COMPLETED
                                )
                        if holds():
                            yield getting.result() if getting.done() else b": \n\n"
                    finally:
                        getting.cancel()
                        with suppress(asyncio.CancelledError):
                            await getting
            finally:
                for task in tasks:
                    task.cancel()
                for failure in await asyncio.gather(*tasks, return_exceptions=True):
                    if isinstance(failure, Exception):
                        log.error("A console's event stream failed.", exc_info=failure)


def event(kind: str, value: Any) -> bytes:
    """Encode an event. JSON has no line breaks, so one line of data is enough."""
    return b"event: " + kind.encode("ascii") + b"\ndata: " + dump(fix_json(value)) + b"\n\n"


async def forward(
    source: AsyncIterable[Item], queue: Queue, encode: Callable[[Item], bytes]
) -> None:
    async for item in source:
        put(queue, encode(item))


def put(queue: Queue, encoded: bytes) -> None:
    """A client that does not keep up loses the oldest events."""
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(encoded)
