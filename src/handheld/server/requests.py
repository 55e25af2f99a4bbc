"""The requests of a connection, one after the other, with their limits.

The parser, llhttp by way of httptools, limits nothing and reads ahead of the request that runs. So
it is given the bytes of one request at a time: a head when all of it is there, then its body.
"""

import asyncio
import re
from typing import Any, cast
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from .limits import FREE_CHUNKS, HEAD_LIMIT, LEAST_CHUNK

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


class _AnyLength(int):
    """What is left of a response whose length is not known."""

    def __lt__(self, other: int) -> bool:
        return False

    def __sub__(self, other: int) -> "_AnyLength":
        return self


class Requests(HttpToolsProtocol):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._rest = b""
        """Not given to the parser yet."""
        self._searched = 0
        """Where the end of a head may begin in it."""
        self._once: dict[bytes, bytes] = {}
        self._in_head = self._in_body = False
        self._length: int | None = 0
        """Bytes that are left of the body; None: it comes in chunks."""
        self._chunks = self._bytes = self._around = 0
        self._renew_parser()

    def _renew_parser(self) -> None:
        self.parser = httptools.HttpRequestParser(self)  # uvicorn's own is lenient

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._rest = self._rest + data if self._rest else data
        self._parse()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._parse()

    def _parse(self) -> None:
        try:
            while self._rest and not self.transport.is_closing():
                if self._in_body:
                    self._parse_body()
                elif self._is_running:
                    self.flow.pause_reading()
                    return
                elif not self._parse_head():
                    return
        except (httptools.HttpParserError, _Invalid):
            self._refuse()

    @property
    def _is_running(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete

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
            self.parser.feed_data(head)
        except httptools.HttpParserError:
            if not self.parser.should_upgrade():
                raise
            # An offer that we do not take. The parser would take the body for another protocol.
            self._renew_parser()
            self.parser.feed_data(_UPGRADE.sub(b"", head))
        return True

    def _parse_body(self) -> None:
        size = _AT_ONCE if self._length is None else self._length
        data, self._rest = self._rest[:size], self._rest[size:]
        if self._length is not None:
            self._length -= len(data)
            self.parser.feed_data(data)
            return
        self._around += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            if self._in_body:
                raise
            # The body has ended, but the parser does not tell where.
            self.cycle.keep_alive = False
            if self.cycle.response_complete:
                self.transport.close()
        if self._in_body and self._around > HEAD_LIMIT:
            raise _Invalid

    def _refuse(self) -> None:
        if self.transport.is_closing():
            return
        if self._in_body:
            self.cycle.disconnected = True  # nothing is written after this
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.close()
                return
        self.send_400_response("Invalid HTTP request received.")

    # What the parser calls.

    def on_message_begin(self) -> None:
        if not self._in_head:
            raise _Invalid
        self._once = {}
        self._chunks = self._bytes = self._around = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_body:
            return  # after a body, when the others have been judged
        name, value = name.lower(), value.rstrip(b" \t")
        if name in _ONCE:
            if name in self._once:
                raise _Invalid
            self._once[name] = value
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        coding = self._once.get(b"transfer-encoding", b"chunked")
        old = self.parser.get_http_version() == "1.0"
        no_host = b"host" not in self._once and not old
        if no_host or coding.lower() != b"chunked" or self.parser.should_upgrade():
            raise _Invalid
        self._in_head, self._in_body = False, True
        chunked = b"transfer-encoding" in self._once
        self._length = None if chunked else int(self._once.get(b"content-length", 0))
        self._unset_keepalive_if_required()
        path, _, query = self.url.partition(b"?")
        self.scope["method"] = self.parser.get_method().decode("ascii")
        self.scope["path"] = unquote(path.decode("ascii"))
        self.scope["raw_path"] = path
        self.scope["query_string"] = query
        self.cycle = RequestResponseCycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue and not old,
            keep_alive=self.parser.should_keep_alive() and not old,
            on_response=self.on_response_complete,
        )
        if old:
            self.scope["http_version"] = "1.0"
            # Its clients know no chunks: what has no length ends with the connection.
            self.cycle.chunked_encoding = False
            self.cycle.expected_content_length = _AnyLength()
        self._start_asgi_task(self.cycle, self.app)  # pyright: ignore[reportArgumentType]

    def on_body(self, body: bytes) -> None:
        """Each chunk takes as long as a kilobyte: many small ones would cost anybody nothing and
        the server everything."""
        self._chunks += 1
        self._bytes += len(body)
        self._around = 0
        if self._chunks > FREE_CHUNKS and self._bytes < self._chunks * LEAST_CHUNK:
            self.transport.abort()
            raise _Invalid
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._in_body = False
        super().on_message_complete()
