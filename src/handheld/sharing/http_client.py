"""JSON over HTTP to another process of this user. A general client takes a tenth of a second to
import, which is most of the time of a short command."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..clock import SYSTEM_CLOCK, Clock

if TYPE_CHECKING:
    import ssl

CONNECT_SECONDS = 3.0
_KEPT_SECONDS = 60.0
"""Half of the time after which the server closes an unused connection."""

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NotConnected(Exception):
    """The request was not sent."""


class ConnectionLost(Exception):
    """The connection was lost before the response was complete."""


class HttpClient:
    """Requests to one server. A request that is cancelled closes its connection."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        tls: "ssl.SSLContext | None" = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        parts = urlsplit(url)
        self._address = parts.hostname, parts.port or (80 if tls is None else 443)
        self._headers = {"Host": parts.netloc, "Accept": "application/json", **headers}
        self._tls = tls
        self._clock = clock
        self._unused: list[tuple[_Connection, float]] = []
        """With the time since when."""

    async def send(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], seconds: float
    ) -> tuple[int, bytes]:
        """Return status and body of the response. Raises NotConnected, ConnectionLost, and
        TimeoutError if it is not complete after `seconds`."""
        reader, writer = connection = self._take() or await self._connect()
        named = {**self._headers, **headers, "Content-Length": str(len(body))}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in named.items())]
        kept = False
        try:
            async with self._clock.timeout(seconds):
                writer.write("\r\n".join((*lines, "\r\n")).encode("latin-1") + body)
                await writer.drain()
                status, content, kept = await _read(reader)
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
        host, port = self._address
        try:
            async with self._clock.timeout(CONNECT_SECONDS):
                return await asyncio.open_connection(host, port, ssl=self._tls)
        except OSError as problem:  # of which TimeoutError is one
            raise NotConnected(str(problem)) from problem

    async def aclose(self) -> None:
        for (_, writer), _ in self._unused:
            writer.transport.abort()
        self._unused.clear()


async def _read(reader: asyncio.StreamReader) -> tuple[int, bytes, bool]:
    """Return status and body of a response, and whether the connection can be used again."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): text.strip().lower() for name, _, text in pairs}
    length = headers.get("content-length")
    content = await (reader.read() if length is None else reader.readexactly(int(length)))
    return int(first.split(" ")[1]), content, length is not None and "connection" not in headers
