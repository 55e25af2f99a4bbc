"""One HTTP request and its response."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from ..clock import Clock
from ..phone.leases.shares import Share, Shares
from .envelope import dump, too_large
from .limits import BODIES, STRANGERS_BODIES

if TYPE_CHECKING:
    from .events import EventStream

Headers = list[tuple[bytes, bytes]]

_DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_SECONDS = 2.0
_READ_AHEAD = 64 * 1024
"""Bytes of a body that are kept before somebody reads them."""
_INVITATION = b"HTTP/1.1 100 Continue\r\n\r\n"
_NO_FIELD = re.compile(rb"[\r\n\x00]")


class HttpRefusal(Exception):
    """An HTTP error: a code word for programs, a sentence for people."""

    def __init__(self, status: int, word: str, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.word = word
        self.sentence = sentence
        self.headers = headers


class Disconnected(Exception):
    """The client disconnected before its request was read."""


class Bodies:
    """One budget for the bodies of all requests, for as long as each runs: otherwise sixty clients
    that begin to send something large would fill the memory."""

    def __init__(self, largest: int) -> None:
        self._most = BODIES * largest
        self._held = 0
        self._strangers = 0
        self._shares = Shares(Share(largest, 2 * largest))

    def room(self, token: str | None, size: int) -> bool:
        """Whether so much more may be held. A token of None is a stranger's."""
        if token is None:
            return self._strangers + size <= STRANGERS_BODIES
        return self._held + size <= self._most and self._shares.room(token, size)

    def add(self, token: str | None, size: int) -> None:
        if token is None:
            self._strangers += size
        else:
            self._held += size
            self._shares.take(token, size)


class BodyBudget:
    """What one request holds. Its token is known before its body is read."""

    def __init__(self, bodies: Bodies, exchange: "Exchange") -> None:
        self._bodies = bodies
        self._exchange = exchange
        self._size = 0

    def add(self, size: int) -> None:
        """Raises HttpRefusal."""
        token = self._exchange.token
        if not self._bodies.room(token, size):
            raise HttpRefusal(
                503,
                "busy",
                "Other requests are using all the memory for request bodies; try again later.",
            )
        self._bodies.add(token, size)
        self._size += size

    def close(self) -> None:
        self._bodies.add(self._exchange.token, -self._size)
        self._size = 0


class HttpWire(Protocol):
    """The connection of a request."""

    transport: asyncio.Transport
    clock: Clock

    @property
    def secure(self) -> bool: ...

    @property
    def port(self) -> int: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    async def writable(self) -> None:
        """Return when the client has read most of what was written."""
        ...

    def on_response_complete(self) -> None: ...


class Exchange:
    """One request, and the response to it."""

    def __init__(
        self,
        wire: HttpWire,
        method: str,
        target: bytes,
        headers: Headers,
        *,
        old: bool = False,
        keep: bool = False,
    ) -> None:
        """`old`: of HTTP/1.0; `keep`: the connection stays open after the response."""
        self.wire = wire
        self.method = method
        self.raw_path, _, self.query = target.partition(b"?")
        self.path = unquote(self.raw_path.decode("ascii"))
        # `*`, which HTTP allows, has no parts.
        parts = self.raw_path.decode("ascii").split("/")[1:] or ["*"]
        self.parts = [unquote(part) for part in parts]
        # HTTP allows spaces around a value.
        self.headers: Headers = [(name, value.strip(b" \t")) for name, value in headers]
        self._named: dict[bytes, bytes] = {}
        for name, value in self.headers:
            known = self._named.get(name)
            self._named[name] = value if known is None else known + b", " + value
        self.token: str | None = None
        """The name of the token that it has shown, once that is verified."""
        self.held: BodyBudget | None = None
        """Counts what is read of the body."""
        self.tells_kept = False
        """The response says that the connection stays open, too, which is so in HTTP unless it says
        otherwise."""
        self.events: EventStream | None = None
        """Where messages may come before the answer."""
        self._old = old
        self.keep = keep
        self._invites = not old and (self.header("expect") or "").lower() == "100-continue"
        self._body = bytearray()
        self.arrived = False
        """All of the body is there."""
        self._discards = False
        self._news = asyncio.Event()
        """More of the body has come, or nothing will."""
        self.disconnected = False
        self._left: Callable[[], object] | None = None
        self.begun = False
        self.complete = False
        self._chunked = False

    # What its connection tells.

    def feed(self, data: bytes) -> None:
        """More of the body."""
        if self.complete or self._discards:
            return
        self._body += data
        if len(self._body) > _READ_AHEAD:
            self.wire.pause_reading()
        self._news.set()

    def end_body(self) -> None:
        self.arrived = True
        self._news.set()

    def disconnect(self) -> None:
        """Nothing is written after this."""
        self.disconnected = True
        self._news.set()
        if self._left is not None and not self.complete:
            self._left()

    # The request.

    def header(self, name: str) -> str | None:
        """The value, or None if it is missing; repeated headers are joined as HTTP defines."""
        value = self._named.get(name.encode("ascii"))
        return None if value is None else value.decode("latin-1")

    def has(self, *names: bytes) -> bool:
        """Whether one of these headers is there."""
        return not self._named.keys().isdisjoint(names)

    async def read(self, limit: int, seconds: float) -> bytes:
        """Read the whole body. Raises HttpRefusal above `limit` bytes or `seconds`, and
        Disconnected."""
        announced = self.header("content-length")
        if announced is not None and announced.isdigit() and int(announced[:20]) > limit:
            raise _too_large(limit)
        if self.arrived:
            return await self._read(limit)  # no timer is needed
        try:
            async with self.wire.clock.timeout(seconds):
                return await self._read(limit)
        except TimeoutError:
            raise HttpRefusal(
                408, "timeout", f"The request's body did not arrive within {seconds:g} seconds."
            ) from None

    async def _read(self, limit: int) -> bytes:
        chunks: list[bytes] = []
        size = 0
        ended = False
        while not ended:
            chunk, ended = await self._receive()
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            if self.held is not None:
                self.held.add(len(chunk))
            chunks.append(chunk)
        return b"".join(chunks)

    async def _receive(self) -> tuple[bytes, bool]:
        """What has come of the body, and whether that was all. Raises Disconnected."""
        if self._invites and not self.arrived:
            self._invites = False
            self.wire.transport.write(_INVITATION)
        if not (self.arrived or self.disconnected):
            self.wire.resume_reading()
            await self._news.wait()
            self._news.clear()
        if self.disconnected:
            raise Disconnected
        chunk = bytes(self._body)
        self._body.clear()
        return chunk, self.arrived

    async def drain(self) -> None:
        """Read what the client is still sending: if we closed the connection, it would miss our
        response."""
        if self.has(b"expect"):
            return
        size, ended = 0, self.arrived
        try:
            async with self.wire.clock.timeout(DRAIN_SECONDS):
                while not ended and size < _DRAIN_BYTES:
                    chunk, ended = await self._receive()
                    size += len(chunk)
        except (TimeoutError, Disconnected):
            return

    def watch(self, left: Callable[[], object]) -> Callable[[], object]:
        """Call `left` when the client disconnects. Returns what ends the watch."""
        self._left = left
        self._discards = True
        self._body.clear()
        self.wire.resume_reading()  # else the end of the connection is not noticed
        if self.disconnected:
            asyncio.get_running_loop().call_soon(left)
        return self._unwatch

    def _unwatch(self) -> None:
        self._left = None

    @property
    def watched(self) -> bool:
        """Whether it runs: not while its body is awaited, nor while its answer is sent."""
        return self._left is not None

    async def gone(self) -> None:
        """Return when the client has disconnected."""
        gone = asyncio.Event()
        unwatch = self.watch(gone.set)
        try:
            await gone.wait()
        finally:
            unwatch()

    # The response.

    @property
    def streams(self) -> bool:
        """Whether a stream of events was begun."""
        return self.events is not None and self.events.begun

    async def send(self, status: int, body: bytes, headers: Headers) -> None:
        """Send a whole response, in one write."""
        if self.events is not None and self.events.begun:
            await self.events.end(body)  # its head was sent with the first of them
            return
        head = self._head(status, headers)
        await self._write(head if self.method == "HEAD" else head + body)
        self._end()

    async def start(self, status: int, headers: Headers) -> None:
        """Begin a response that is sent in parts."""
        if self._old:
            self.keep = False  # its clients know no chunks: the connection ends it
        elif self.method != "HEAD":
            self._chunked = True
            headers = [*headers, (b"transfer-encoding", b"chunked")]
        await self._write(self._head(status, headers))

    async def send_part(self, body: bytes, *, last: bool = False) -> None:
        if self._chunked:
            body = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            await self._write(body + b"0\r\n\r\n" if last else body)
        elif self.method != "HEAD":
            await self._write(body)
        if last:
            self._end()

    def _head(self, status: int, headers: Headers) -> bytes:
        if self.begun:
            raise RuntimeError("A response was sent already.")
        self.begun = True
        self._invites = False
        if not self.keep:
            headers = [*headers, (b"connection", b"close")]
        elif self.tells_kept:
            headers = [*headers, (b"connection", b"keep-alive")]
        fields = [b"%b: %b" % field for field in headers]
        if any(map(_NO_FIELD.search, fields)):
            raise ValueError("A header of the response holds a line break.")
        return b"\r\n".join((status_line(status, self.wire.clock), *fields, b"\r\n"))

    async def _write(self, data: bytes) -> None:
        await self.wire.writable()
        if data and not self.disconnected:
            self.wire.transport.write(data)

    def _end(self) -> None:
        if self.disconnected:
            return
        self.complete = True
        self._body.clear()
        if not self.keep:
            self.wire.transport.close()
        self.wire.on_response_complete()

    async def send_json(self, status: int, value: Any, **headers: str) -> None:
        body = dump(value)
        named = [
            (name.replace("_", "-").encode("ascii"), text.encode("latin-1"))
            for name, text in headers.items()
        ]
        length = str(len(body)).encode("ascii")
        fixed = [(b"content-type", b"application/json"), (b"content-length", length)]
        await self.send(status, body, [*fixed, *named])

    async def refuse(self, refusal: HttpRefusal) -> None:
        if self.events is not None and self.events.begun:
            await self.events.refuse(refusal.sentence)
            return
        await self.drain()
        body = {"error": refusal.word, "message": refusal.sentence}
        await self.send_json(refusal.status, body, **refusal.headers)


App = Callable[[Exchange], Awaitable[None]]


def status_line(status: int, clock: Clock) -> bytes:
    """With the date, which a server has to state."""
    date = datetime.fromtimestamp(clock.time(), UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ndate: {date}".encode("ascii")


def _too_large(limit: int) -> HttpRefusal:
    return HttpRefusal(413, "too_large", too_large(limit))
