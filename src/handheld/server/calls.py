"""The requests that are running now, so that a client can cancel one."""

import asyncio
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from typing import Any

from ..clock import Clock
from .envelope import Id

Session = tuple[str, str]
"""The name of the request's token, and the client's session id."""
Key = tuple[Session, Id] | None
"""The client's session and its request id; None for requests that cannot be cancelled. Without a
session, two clients that both count from 1 could not be told apart."""


class Stop(Enum):
    """Why a request was stopped."""

    CANCELLED = auto()
    DISCONNECTED = auto()
    REVOKED = auto()
    SHUTDOWN = auto()


class OpenRequest:
    """A running request; it can be stopped until its answer has begun."""

    def __init__(self) -> None:
        self.work: asyncio.Task[Any] | None = None
        self.left = asyncio.Event()
        """Nobody waits for the answer any more."""
        self.stopping: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.answering = False
        self.stopped: Stop | None = None

    def stop(self, why: Stop) -> None:
        if self.answering or self.stopped is not None or self.work is None or self.work.done():
            return
        self.stopped = why
        self.stopping.set_result(None)
        self.work.cancel()


class Calls:
    def __init__(self) -> None:
        self._running: defaultdict[Key, list[OpenRequest]] = defaultdict(list)

    def __len__(self) -> int:
        return sum(len(calls) for calls in self._running.values())

    @contextmanager
    def registered(self, key: Key, call: OpenRequest) -> Generator[None]:
        self._running[key].append(call)
        try:
            yield
        finally:
            self._running[key].remove(call)
            if not self._running[key]:
                del self._running[key]

    def cancel(self, session: Session, id: Id) -> None:
        for call in list(self._running.get((session, id), [])):
            call.stop(Stop.CANCELLED)

    def stop_all(self) -> None:
        for calls in list(self._running.values()):
            for call in list(calls):
                call.stop(Stop.SHUTDOWN)


class Outcome:
    """What a tool reports when its call is stopped. The SDK runs tools in its own tasks, which may
    end a little later than the request."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._ended = asyncio.Event()
        self._ended.set()

    @contextmanager
    def working(self) -> Generator[None]:
        self._ended.clear()
        try:
            yield
        except asyncio.CancelledError as stop:
            self.notes += getattr(stop, "__notes__", [])
            raise
        finally:
            self._ended.set()

    async def ended(self, seconds: float, clock: Clock) -> None:
        with suppress(TimeoutError):
            async with clock.timeout(seconds):
                await self._ended.wait()
