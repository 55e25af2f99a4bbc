"""Accepts connections and keeps their number within limits.

A connection counts from the moment it is accepted, before any TLS handshake. Those that have not
shown a token are strangers: they have their own limit and are closed first, the oldest of them
at once. Those of named tokens have limits, too, so that the owner's and those of other tokens have
room: a request whose body does not end, and a reply that nobody reads, cost their client nothing.
Where a call runs the connection is never closed to make room, and calls have limits of their own
(`running.py`). Nor is the newest connection: it may be the owner's.
"""

import asyncio
import errno
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Collection

from ..clock import Clock, Timer
from ..phone.leases.shares import CONNECTIONS, is_owner
from .connection import Connection
from .limits import HANDSHAKE_SECONDS, MAX_CONNECTIONS, MAX_STRANGERS

_AT_ONCE = 16
"""Connections accepted before others get their turn."""
_PAUSE_SECONDS = 0.1
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

log = logging.getLogger(__name__)


class _Arrival:
    """An accepted connection; `opening` runs until its protocol is there."""

    opening: asyncio.Task[None]
    connection: Connection | None = None

    @property
    def token(self) -> str | None:
        """None: a stranger."""
        return self.connection.token if self.connection else None

    @property
    def closeable(self) -> bool:
        """Whether no call would be stopped."""
        return self.connection is None or not self.connection.running

    @property
    def idle(self) -> bool:
        """Whether no request would be lost."""
        return self.connection is None or self.connection.idle

    @property
    def named(self) -> bool:
        return self.token is not None and not is_owner(self.token)

    def close(self) -> None:
        self.opening.cancel()
        if self.opening.done() and self.connection is not None:
            self.connection.transport.abort()


class Acceptor:
    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[], Connection],
        tls: ssl.SSLContext | None,
        clock: Clock,
    ) -> None:
        self._listener = listener
        self._make = make
        self._tls = tls
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._arrivals: dict[_Arrival, None] = {}
        """The oldest first."""
        self._pause: Timer | None = None
        self._stopping = False
        self._closed = asyncio.Event()

    def start(self) -> None:
        self._pause = None
        self._loop.add_reader(self._listener, self._accept)

    def stop(self) -> None:
        """Accept no more, and close each when its request has been answered."""
        self._stopping = True
        self._loop.remove_reader(self._listener)
        if self._pause is not None:
            self._pause.cancel()
        for arrival in list(self._arrivals):
            if not arrival.opening.done():
                arrival.opening.cancel()
            elif arrival.connection is not None:
                arrival.connection.shut_down()
        if not self._arrivals:
            self._closed.set()

    async def closed(self) -> None:
        """Return when all are closed, once it is stopped."""
        await self._closed.wait()

    def abort(self) -> None:
        """Close those that are left."""
        for arrival in list(self._arrivals):
            arrival.close()

    def _forget(self, arrival: _Arrival) -> None:
        self._arrivals.pop(arrival, None)
        if self._stopping and not self._arrivals:
            self._closed.set()

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                accepted, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as problem:
                if problem.errno not in _EXHAUSTED:
                    raise
                log.warning("no further connection can be accepted: %s", problem.strerror)
                self._make_room(self._arrivals)
                self._loop.remove_reader(self._listener)
                self._pause = self._clock.call_later(_PAUSE_SECONDS, self.start)
                return
            accepted.setblocking(False)
            arrival = _Arrival()
            self._arrivals[arrival] = None
            arrival.opening = asyncio.ensure_future(self._open(arrival, accepted))
            self._keep_limits(arrival)

    def _keep_limits(self, newest: _Arrival) -> None:
        others = [each for each in self._arrivals if each is not newest]
        strangers = [each for each in others if each.token is None]
        named = [each for each in others if each.named]
        if len(strangers) >= MAX_STRANGERS:
            self._make_room(strangers)
        elif len(others) >= MAX_CONNECTIONS:
            self._make_room(others)
        elif len(named) > CONNECTIONS.of_all or _most_of_one(named) > CONNECTIONS.of_one:
            self._make_room(named)

    def _make_room(self, among: Collection[_Arrival]) -> None:
        """Close the oldest stranger; else a connection of the named token that has most, else the
        owner's. Of a token, the oldest idle one goes first."""
        counts = Counter(each.token for each in among)

        def rank(arrival: _Arrival) -> tuple[int, int, bool]:
            if arrival.token is None:
                return 0, 0, False
            if not arrival.named:
                return 2, 0, not arrival.idle
            return 1, -counts[arrival.token], not arrival.idle

        # The first of several that are equal is the oldest.
        victim = min((each for each in among if each.closeable), key=rank, default=None)
        if victim is not None:
            self._arrivals.pop(victim, None)
            victim.close()

    async def _open(self, arrival: _Arrival, accepted: socket.socket) -> None:
        def make() -> Connection:
            arrival.connection = self._make()
            arrival.connection.lost = lambda: self._forget(arrival)
            return arrival.connection

        timer = self._clock.call_later(HANDSHAKE_SECONDS, arrival.close) if self._tls else None
        opened = False
        try:
            await self._loop.connect_accepted_socket(make, accepted, ssl=self._tls)
            opened = True
        except (OSError, ssl.SSLError) as problem:
            log.debug("a connection was not opened: %s", problem)
        finally:
            if timer is not None:
                timer.cancel()
            if not opened:
                self._forget(arrival)
                accepted.close()


def _most_of_one(named: Collection[_Arrival]) -> int:
    return max(Counter(each.token for each in named).values(), default=0)
