"""Requests that a command waits for, doing nothing else: without asyncio, whose import is a third
of the time of a short command."""

import socket
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ...clock import SYSTEM_CLOCK, Clock
from .http_message import (
    CONNECT_SECONDS,
    HEAD_END,
    MOST_HEAD,
    ConnectionLost,
    Head,
    NotConnected,
    Note,
    ReplyEvents,
    Server,
    ignore,
)

if TYPE_CHECKING:
    import ssl

_T = TypeVar("_T")


def finish(work: Coroutine[Any, Any, _T]) -> _T:
    """Run what waits for nothing but these requests, without an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    raise RuntimeError("It waits for an event loop.")


class BlockingClient:
    """As HttpClient, for one request at a time."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        tls: "ssl.SSLContext | None" = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._server = Server(url, headers)
        self._tls = tls
        self._clock = clock
        self._unused: socket.socket | None = None

    async def send(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        seconds: float,
        note: Note = ignore,
    ) -> tuple[int, bytes]:
        """As HttpClient's. Anything that breaks it off, such as a signal, closes the connection."""
        connection, self._unused = self._unused or self._connect(), None
        kept = False
        try:
            until = self._clock.now() + seconds
            connection.settimeout(seconds)
            connection.sendall(self._server.request(method, path, body, headers))
            head, content, kept = self._read(connection, until, note)
        except TimeoutError:
            raise
        except (OSError, EOFError, ValueError) as problem:
            raise ConnectionLost(str(problem)) from problem
        finally:
            if kept:
                self._unused = connection
            else:
                connection.close()
        return head.status, content

    async def aclose(self) -> None:
        if self._unused is not None:
            self._unused.close()
            self._unused = None

    def _connect(self) -> socket.socket:
        try:
            address = self._server.host, self._server.port
            connection = socket.create_connection(address, CONNECT_SECONDS)
            with suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                return connection
            try:
                return self._tls.wrap_socket(connection, server_hostname=self._server.host)
            except BaseException:
                connection.close()
                raise
        except OSError as problem:  # of which TimeoutError is one
            raise NotConnected(str(problem)) from problem

    def _read(
        self, connection: socket.socket, until: float, note: Note
    ) -> tuple[Head, bytes, bool]:
        received = b""
        while (end := received.find(HEAD_END)) < 0:
            more = self._receive(connection, until)
            if not more or len(received) > MOST_HEAD:
                raise EOFError("The response has no end of its head.")
            received += more
        head = Head(received[:end])
        if head.events:
            events = ReplyEvents(note)
            events.take(received[end + len(HEAD_END) :])
            while not events.ended:
                if not (more := self._receive(connection, until)):
                    raise EOFError("The response broke off.")
                events.take(more)
            return head, events.last, head.kept
        parts = [received[end + len(HEAD_END) :]]
        size = len(parts[0])
        while head.length is None or size < head.length:
            more = self._receive(connection, until)
            if not more:
                break
            parts.append(more)
            size += len(more)
        content = b"".join(parts)
        if head.length is not None and size != head.length:
            raise EOFError("The response broke off.")
        return head, content, head.kept

    def _receive(self, connection: socket.socket, until: float) -> bytes:
        left = until - self._clock.now()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        return connection.recv(256 * 1024)
