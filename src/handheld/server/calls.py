"""The requests that are running now, so that a client can cancel one."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from enum import Enum, auto

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
    """A running request; it can be stopped until it has ended."""

    def __init__(self, cancel: Callable[[Stop], object]) -> None:
        self._cancel = cancel
        self.ended = False
        self.stopped: Stop | None = None

    def stop(self, why: Stop) -> None:
        if self.stopped is not None or self.ended:
            return
        self.stopped = why
        self._cancel(why)


class Calls:
    def __init__(self) -> None:
        self._running: defaultdict[Key, list[OpenRequest]] = defaultdict(list)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, key: Key, call: OpenRequest) -> None:
        self._count += 1
        self._running[key].append(call)

    def remove(self, key: Key, call: OpenRequest) -> None:
        self._count -= 1
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
    """What a tool reports when its call is stopped, which may end a little later than the
    request."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._ended = asyncio.Event()
        self._ended.set()

    # Around the tool's work.

    def __enter__(self) -> None:
        self._ended.clear()

    def __exit__(self, _: object, stop: BaseException | None, __: object) -> None:
        if isinstance(stop, asyncio.CancelledError):
            self.notes += getattr(stop, "__notes__", [])
        self._ended.set()

    async def ended(self, seconds: float, clock: Clock) -> None:
        with suppress(TimeoutError):
            async with clock.timeout(seconds):
                await self._ended.wait()
