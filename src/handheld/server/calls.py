"""The requests now running, so that a client can take one back."""

import asyncio
from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager, suppress
from enum import Enum, auto

from ..clock import Clock
from .envelope import Id

Session = tuple[str, str]
"""The name of the token that was shown, and the session that the client says it is in."""
Key = tuple[Session, Id] | None
"""The client's session and its request id; None for what nobody can take back. Without a session
two clients that both count from 1 could not be told apart."""


class Stop(Enum):
    BY_CLIENT = auto()
    GONE = auto()
    REVOKED = auto()
    SHUTDOWN = auto()


class OpenRequest:
    """A request being worked on; it can be stopped until its answer has begun."""

    def __init__(self, work: asyncio.Task[None]) -> None:
        self._work = work
        self.answering = False
        self.stopped: Stop | None = None

    def stop(self, why: Stop) -> None:
        if self.answering or self.stopped is not None or self._work.done():
            return
        self.stopped = why
        self._work.cancel()


class Calls:
    def __init__(self) -> None:
        self._running: defaultdict[Key, list[OpenRequest]] = defaultdict(list)

    def __len__(self) -> int:
        return sum(len(calls) for calls in self._running.values())

    @contextmanager
    def holding(self, key: Key, call: OpenRequest) -> Generator[None]:
        self._running[key].append(call)
        try:
            yield
        finally:
            self._running[key].remove(call)
            if not self._running[key]:
                del self._running[key]

    def take_back(self, session: Session, id: Id) -> None:
        for call in list(self._running.get((session, id), [])):
            call.stop(Stop.BY_CLIENT)

    def stop_all(self) -> None:
        for calls in list(self._running.values()):
            for call in list(calls):
                call.stop(Stop.SHUTDOWN)


class Outcome:
    """What a tool leaves to be told when its call is stopped. The SDK runs tools in tasks of its
    own, which may end a little later than the request."""

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
