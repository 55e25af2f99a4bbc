"""An HTTP and WebSocket client for DevTools (RFC 9110 and 6455), on an adb stream. An app may send
anything, so every size is limited."""

import base64
import hashlib
import re
import secrets
from typing import NamedTuple

from ...adb.link import ByteStream

MOST_HEAD = 32 * 1024
MOST_BODY = 4 * 1024 * 1024
MOST_MESSAGE = 8 * 1024 * 1024
MOST_TRAFFIC = 4 * MOST_MESSAGE
"""The maximum number of bytes in one connection."""
MOST_FRAMES = 20_000
"""The maximum number of frames in one connection: small ones could go on forever."""
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?: [^\r\n]*)?", re.ASCII)
_LENGTH = re.compile(rb"[0-9]{1,10}")
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MORE, _TEXT, _CLOSE, _PING, _PONG = 0, 1, 8, 9, 10


class BadAnswer(Exception):
    """The received data violates the protocol."""


class TooLarge(BadAnswer):
    """The answer is over the size limit."""


class Ended(Exception):
    """The other side closed the connection."""


class DevToolsHead(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    """The headers by lower-case name; the first of each."""


class Buffered:
    """A stream with exact reads."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._data = bytearray()

    async def write(self, data: bytes) -> None:
        await self._stream.write(data)

    async def exactly(self, count: int) -> bytes:
        """Raises Ended."""
        while len(self._data) < count:
            await self._more()
        data = bytes(self._data[:count])
        del self._data[:count]
        return data

    async def until(self, mark: bytes, most: int) -> bytes:
        """Return the data before the mark, and drop the mark. Raises Ended, TooLarge."""
        searched = 0
        while (at := self._data.find(mark, searched)) < 0:
            if len(self._data) > most:
                raise TooLarge
            searched = max(0, len(self._data) - len(mark) + 1)
            await self._more()
        if at > most:
            raise TooLarge
        data = bytes(self._data[:at])
        del self._data[: at + len(mark)]
        return data

    async def _more(self) -> None:
        data = await self._stream.read()
        if not data:
            raise Ended
        self._data += data


def read_head(data: bytes) -> DevToolsHead:
    """Parse status and headers. Raises BadAnswer."""
    first, *lines = data.split(b"\r\n")
    match = _STATUS.fullmatch(first)
    if match is None:
        raise BadAnswer
    headers: dict[bytes, bytes] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or name != name.strip():
            raise BadAnswer
        headers.setdefault(name.lower(), value.strip(b" \t"))
    return DevToolsHead(int(match[1]), headers)


async def get(stream: ByteStream, path: str) -> bytes:
    """Return the body of the answer to a GET. Raises BadAnswer, Ended, AdbError."""
    buffered = Buffered(stream)
    # Chromium accepts only an address or localhost as host, and no Origin.
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n"
    await buffered.write(request.encode("ascii"))
    head = read_head(await buffered.until(b"\r\n\r\n", MOST_HEAD))
    length = head.headers.get(b"content-length", b"")
    if head.status != 200 or not _LENGTH.fullmatch(length):
        raise BadAnswer
    if int(length) > MOST_BODY:
        raise TooLarge
    return await buffered.exactly(int(length))


def accept_of(key: bytes) -> bytes:
    """Return the expected answer to a WebSocket key."""
    return base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest())


def encode_frame(kind: int, data: bytes, mask: bytes) -> bytes:
    """Encode a client's frame: unfragmented and masked."""
    size = len(data)
    if size < 126:
        head = bytes((0x80 | kind, 0x80 | size))
    elif size < 1 << 16:
        head = bytes((0x80 | kind, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((0x80 | kind, 0x80 | 127)) + size.to_bytes(8, "big")
    return head + mask + apply_mask(data, mask)


def apply_mask(data: bytes, mask: bytes) -> bytes:
    repeated = (mask * (len(data) // 4 + 1))[: len(data)]
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")
    return mixed.to_bytes(len(data), "big")


class WebSocket:
    """Text messages both ways."""

    def __init__(self, buffered: Buffered) -> None:
        self._buffered = buffered
        self._frames = 0
        self._left = MOST_TRAFFIC

    @classmethod
    async def open(cls, stream: ByteStream, path: str) -> "WebSocket":
        """Raises BadAnswer, Ended, AdbError."""
        buffered = Buffered(stream)
        key = base64.b64encode(secrets.token_bytes(16))
        request = (
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        )
        await buffered.write(request.encode("ascii") + key + b"\r\n\r\n")
        head = read_head(await buffered.until(b"\r\n\r\n", MOST_HEAD))
        if head.status != 101 or head.headers.get(b"sec-websocket-accept") != accept_of(key):
            raise BadAnswer
        return cls(buffered)

    async def send(self, text: str) -> None:
        """Raises AdbError."""
        await self._send(_TEXT, text.encode("utf-8", "surrogatepass"))

    async def _send(self, kind: int, data: bytes) -> None:
        await self._buffered.write(encode_frame(kind, data, secrets.token_bytes(4)))

    async def receive(self) -> str:
        """Return the next message. Raises BadAnswer, Ended, AdbError."""
        parts: list[bytes] = []
        size = 0
        while True:
            last, kind, data = await self._frame(MOST_MESSAGE - size)
            if kind == _PING:
                await self._send(_PONG, data)
            elif kind == _CLOSE:
                raise Ended
            elif kind == (_MORE if parts else _TEXT):
                parts.append(data)
                size += len(data)
                if last:
                    try:
                        return b"".join(parts).decode()
                    except UnicodeDecodeError:
                        raise BadAnswer from None
            elif kind != _PONG:
                raise BadAnswer

    async def _frame(self, most: int) -> tuple[bool, int, bytes]:
        self._frames += 1
        if self._frames > MOST_FRAMES:
            raise TooLarge
        first, second = await self._buffered.exactly(2)
        kind, size = first & 0x0F, second & 0x7F
        # No extension was negotiated, and a server does not mask.
        if first & 0x70 or second & 0x80:
            raise BadAnswer
        if kind & 0x08 and (size > 125 or not first & 0x80):
            raise BadAnswer
        if size == 126:
            size = int.from_bytes(await self._buffered.exactly(2), "big")
        elif size == 127:
            size = int.from_bytes(await self._buffered.exactly(8), "big")
        self._left -= size
        if size > most or self._left < 0:
            raise TooLarge
        return bool(first & 0x80), kind, await self._buffered.exactly(size)
