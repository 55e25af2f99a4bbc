"""Requests to another process of this user that others do not wait for."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...clock import SYSTEM_CLOCK, Clock
from .http_message import (
    CONNECT_SECONDS,
    HEAD_END,
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

_KEPT_SECONDS = 60.0
"""Half of the time after which the server closes an unused connection."""
_AT_ONCE = 256 * 1024

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class HttpClient:
    """Requests to one server. A request that is cancelled closes its connection."""

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
        self._unused: list[tuple[_Connection, float]] = []
        """With the time since when."""

    async def send(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        seconds: float,
        note: Note = ignore,
    ) -> tuple[int, bytes]:
        """Return status and body of the response; `note` gets the messages of one that has several.
        Raises NotConnected, ConnectionLost, and TimeoutError if it is not complete after
        `seconds`."""
        reader, writer = connection = self._take() or await self._connect()
        kept = False
        try:
            async with self._clock.timeout(seconds):
                writer.write(self._server.request(method, path, body, headers))
                await writer.drain()
                status, content, kept = await _read(reader, note)
        except TimeoutError:
            raise
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as problem:
            raise ConnectionLost(str(problem)) from problem
        finally:
            if kept:
                self._unused.append((connection, self._clock.now()))
            else:
                writer.transport.abort()
        return status, content

    def _take(self) -> _Connection | None:
        """A connection that is open and unused."""
        while self._unused:
            (reader, writer), since = self._unused.pop()
            late = self._clock.now() - since > _KEPT_SECONDS
            if not late and not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.transport.abort()
        return None

    async def _connect(self) -> _Connection:
        host, port = self._server.host, self._server.port
        try:
            async with self._clock.timeout(CONNECT_SECONDS):
                return await asyncio.open_connection(host, port, ssl=self._tls)
        except OSError as problem:  # of which TimeoutError is one
            raise NotConnected(str(problem)) from problem

    async def aclose(self) -> None:
        for (_, writer), _ in self._unused:
            writer.transport.abort()
        self._unused.clear()


async def _read(reader: asyncio.StreamReader, note: Note) -> tuple[int, bytes, bool]:
    """Return status and body of a response, and whether the connection can be used again."""
    head = Head((await reader.readuntil(HEAD_END)).removesuffix(HEAD_END))
    if head.events:
        events = ReplyEvents(note)
        while not events.ended:
            if not (data := await reader.read(_AT_ONCE)):
                raise EOFError("The response broke off.")
            events.take(data)
        return head.status, events.last, head.kept
    whole = reader.read() if head.length is None else reader.readexactly(head.length)
    return head.status, await whole, head.kept
