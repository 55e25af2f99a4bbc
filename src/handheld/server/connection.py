"""A connection: its requests, one after the other, with their limits. It is closed when it is idle
or leaves a response unread for too long.

The parser, llhttp by way of httptools, limits nothing and reads ahead of the request that runs. So
it is given the bytes of one request at a time: a head when all of it is there, then its body.
"""

import asyncio
import re
from collections.abc import Callable

import httptools

from ..clock import Clock, Timer
from .exchange import App, Exchange, Headers, status_line
from .limits import (
    FREE_CHUNKS,
    HEAD_LIMIT,
    IDLE_SECONDS,
    LEAST_CHUNK,
    REQUEST_SECONDS,
    UNREAD_SECONDS,
)

_AT_ONCE = HEAD_LIMIT // 2
"""Bytes of a chunked body that are parsed in one go, so that what is around the chunks is refused
before all of it was read."""
_END = b"\r\n\r\n"
_REQUEST_LINE = re.compile(rb"[A-Z-]+ [!-~]+ HTTP/1\.[01]\r\n")
"""The parser also takes other protocols, and the requests of 1991 without a version."""
_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*", re.IGNORECASE)
_ONCE = frozenset((b"host", b"content-length", b"transfer-encoding"))
"""Two of these may be read as the one or the other."""


class _Invalid(Exception):
    """Raised in a callback, it makes the parser fail."""


class Connection(asyncio.Protocol):
    transport: asyncio.Transport

    def __init__(self, app: App, clock: Clock, tasks: set[asyncio.Task[None]]) -> None:
        """`tasks` gets those of its requests."""
        self._app = app
        self.clock = clock
        self._tasks = tasks
        self._rest = b""
        """Not given to the parser yet."""
        self._searched = 0
        """Where the end of a head may begin in it."""
        self._target = b""
        self._headers: Headers = []
        self._once: dict[bytes, bytes] = {}
        self._in_head = self._in_body = False
        self._length: int | None = 0
        """Bytes that are left of the body; None: it comes in chunks."""
        self._chunks = self._bytes = self._around = 0
        self.exchange: Exchange | None = None
        """The last request."""
        self._paused = False
        self._writable = asyncio.Event()
        self._writable.set()
        self._waiting: Timer | None = None
        self._heard = False
        """Something came after the last response."""
        self._unread: Timer | None = None
        self._token: str | None = None
        self._stopping = False
        self.lost: Callable[[], object] = lambda: None
        """Called when the connection is closed."""
        self._renew_parser()

    def _renew_parser(self) -> None:
        self._parser = httptools.HttpRequestParser(self)

    # What the event loop and the exchange call.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._wait(REQUEST_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._heard = True
        self._rest = self._rest + data if self._rest else data
        self._parse()
        if self._runs:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        if self._stopping:
            self.transport.close()
        self._heard = False
        self.resume_reading()
        self._parse()
        if not (self._runs or self.transport.is_closing()):
            self._wait(IDLE_SECONDS, self._end_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost()
        self._stop_waiting()
        self._end_unread()
        if self.exchange is not None:
            self.exchange.disconnect()
        self._writable.set()

    def pause_reading(self) -> None:
        if not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def resume_reading(self) -> None:
        if self._paused and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()

    def pause_writing(self) -> None:
        self._writable.clear()
        self._watch_unread()

    def resume_writing(self) -> None:
        self._end_unread()
        self._writable.set()

    async def writable(self) -> None:
        if not self._writable.is_set():
            await self._writable.wait()

    @property
    def secure(self) -> bool:
        return self.transport.get_extra_info("sslcontext") is not None

    @property
    def port(self) -> int:
        own: tuple[str, int] | None = self.transport.get_extra_info("sockname")
        return own[1] if own else 0

    # Its time.

    def shut_down(self) -> None:
        """Close it, after the response to the request that runs."""
        self._stopping = True
        if self.exchange is None or self.exchange.complete:
            self.transport.close()
        else:
            self.exchange.keep = False

    def _watch_unread(self) -> None:
        """Close the connection unless its client reads something. A response that waits for that
        would wait for ever."""
        left = self.transport.get_write_buffer_size()

        def check() -> None:
            if self.transport.get_write_buffer_size() < left:
                self._watch_unread()
            else:
                self.transport.abort()

        self._unread = self.clock.call_later(UNREAD_SECONDS, check)

    def _end_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _wait(self, seconds: float, end: Callable[[], object]) -> None:
        """Data that arrives does not reset the timer: nothing may ever read it."""
        self._stop_waiting()
        self._waiting = self.clock.call_later(seconds, end)

    def _end_idle(self) -> None:
        if self._heard:
            self._wait(REQUEST_SECONDS, self.transport.abort)
        else:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    # For the acceptor, which closes the least useful of too many.

    @property
    def idle(self) -> bool:
        """Whether a request is awaited."""
        return self._waiting is not None

    @property
    def running(self) -> bool:
        """Whether a request runs, as `running` means it: not while its body is awaited, nor while
        its answer is sent."""
        return self.exchange is not None and self.exchange.watched

    @property
    def token(self) -> str | None:
        """The name of the last token that was shown here; None: there was none."""
        if self.exchange is not None and self.exchange.token is not None:
            self._token = self.exchange.token
        return self._token

    # The parser.

    def _parse(self) -> None:
        try:
            while self._rest and not self.transport.is_closing():
                if self._in_body:
                    self._parse_body()
                elif self._runs:
                    self.pause_reading()
                    return
                elif not self._parse_head():
                    return
        except (httptools.HttpParserError, _Invalid):
            self._refuse()

    @property
    def _runs(self) -> bool:
        return self.exchange is not None and not self.exchange.complete

    def _parse_head(self) -> bool:
        """Whether all of it was there."""
        rest, start = self._rest, self._searched
        end = rest.find(_END, start, HEAD_LIMIT)
        if end < 0:
            # A client that speaks something else is told at once.
            bare = rest.count(b"\n", start + 1) != rest.count(b"\r\n", start)
            if bare or len(rest) >= HEAD_LIMIT or rest[0] <= ord(" "):
                raise _Invalid
            self._searched = max(0, len(rest) - len(_END) + 1)
            return False
        self._searched = 0
        end += len(_END)
        head, self._rest = rest[:end], rest[end:]
        if not _REQUEST_LINE.match(head):
            raise _Invalid
        self._in_head = True
        try:
            self._parser.feed_data(head)
        except httptools.HttpParserError:
            if not self._parser.should_upgrade():
                raise
            # An offer that we do not take. The parser would take the body for another protocol.
            self._renew_parser()
            self._parser.feed_data(_UPGRADE.sub(b"", head))
        return True

    def _parse_body(self) -> None:
        size = _AT_ONCE if self._length is None else self._length
        data, self._rest = self._rest[:size], self._rest[size:]
        if self._length is not None:
            self._length -= len(data)
            self._parser.feed_data(data)
            return
        self._around += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            if self._in_body:
                raise
            # The body has ended, but the parser does not tell where.
            assert self.exchange is not None
            self.exchange.keep = False
            if self.exchange.complete:
                self.transport.close()
        if self._in_body and self._around > HEAD_LIMIT:
            raise _Invalid

    def _refuse(self) -> None:
        if self.transport.is_closing():
            return
        if self._in_body and self.exchange is not None:
            self.exchange.disconnect()
            if self.exchange.begun:
                self.transport.close()
                return
        body = b"Invalid HTTP request received."
        fields = (b"content-type: text/plain", b"connection: close")
        length = b"content-length: %d" % len(body)
        head = (status_line(400, self.clock), *fields, length, b"\r\n")
        self.transport.write(b"\r\n".join(head) + body)
        self.transport.close()

    # What the parser calls.

    def on_message_begin(self) -> None:
        if not self._in_head:
            raise _Invalid
        self._target, self._headers, self._once = b"", [], {}
        self._chunks = self._bytes = self._around = 0

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_body:
            return  # after a body, when the others have been judged
        name, value = name.lower(), value.rstrip(b" \t")
        if name in _ONCE:
            if name in self._once:
                raise _Invalid
            self._once[name] = value
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        coding = self._once.get(b"transfer-encoding", b"chunked")
        old = self._parser.get_http_version() == "1.0"
        no_host = b"host" not in self._once and not old
        if no_host or coding.lower() != b"chunked" or self._parser.should_upgrade():
            raise _Invalid
        self._in_head, self._in_body = False, True
        chunked = b"transfer-encoding" in self._once
        self._length = None if chunked else int(self._once.get(b"content-length", 0))
        keep = self._parser.should_keep_alive() and not old
        method = self._parser.get_method().decode("ascii")
        self.exchange = Exchange(self, method, self._target, self._headers, old=old, keep=keep)
        task = asyncio.get_running_loop().create_task(self._run(self.exchange))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, exchange: Exchange) -> None:
        try:
            await self._app(exchange)
        finally:
            if not (exchange.complete or exchange.disconnected):
                self.transport.close()

    def on_body(self, body: bytes) -> None:
        """Each chunk takes as long as a kilobyte: many small ones would cost anybody nothing and
        the server everything."""
        self._chunks += 1
        self._bytes += len(body)
        self._around = 0
        if self._chunks > FREE_CHUNKS and self._bytes < self._chunks * LEAST_CHUNK:
            self.transport.abort()
            raise _Invalid
        assert self.exchange is not None
        self.exchange.feed(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        assert self.exchange is not None
        self.exchange.end_body()
