"""JSON over HTTP to another process of this user, as bytes. A general client takes a tenth of a
second to import, which is most of the time of a short command."""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

CONNECT_SECONDS = 3.0
HEAD_END = b"\r\n\r\n"
MOST_HEAD = 64 * 1024
_LONGEST_SIZE = 64
"""Of the line before a chunk."""


Note = Callable[[bytes], None]


def ignore(message: bytes) -> None: ...


class NotConnected(Exception):
    """The request was not sent."""


class ConnectionLost(Exception):
    """The connection was lost before the response was complete."""


class Server:
    """Where requests go, and the headers that all of them have."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        self._headers = {"Host": parts.netloc, "Accept": "application/json", **headers}

    def request(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
        named = {**self._headers, **headers, "Content-Length": str(len(body))}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in named.items())]
        return "\r\n".join((*lines, "\r\n")).encode("latin-1") + body


class Head:
    """The head of a response. Raises ValueError."""

    def __init__(self, head: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): text.strip().lower() for name, _, text in pairs}
        words = first.split(" ")
        if len(words) < 2:
            raise ValueError(f"{first[:40]!r} is not the first line of a response.")
        self.status = int(words[1])
        length = headers.get("content-length")
        self.length = None if length is None else int(length)
        """Of the body; None: until the connection is closed."""
        self.kept = length is not None and "connection" not in headers
        """Whether the connection can be used again."""
        self.events = headers.get("content-type", "").startswith("text/event-stream")
        """Whether messages come before the answer. They are in chunks then."""


class ReplyEvents:
    """The messages of a response that has several. The last one is the answer."""

    def __init__(self, note: Note) -> None:
        """`note` is given each of them as it comes."""
        self._note = note
        self._received = bytearray()
        self._text = b""
        self.last = b""
        self.ended = False

    def take(self, data: bytes) -> None:
        """Take the next bytes of the body. Raises ValueError."""
        self._received += data
        while not self.ended:
            end = self._received.find(b"\r\n", 0, _LONGEST_SIZE)
            if end < 0:
                if len(self._received) >= _LONGEST_SIZE:
                    raise ValueError("A chunk has no size.")
                return
            size = int(self._received[:end].partition(b";")[0], 16)
            if size < 0:
                raise ValueError("A chunk has a negative size.")
            start, stop = end + 2, end + 2 + size
            if len(self._received) < stop + 2:
                return
            self._take_text(bytes(self._received[start:stop]))
            del self._received[: stop + 2]
            self.ended = size == 0

    def _take_text(self, text: bytes) -> None:
        *events, self._text = (self._text + text).split(b"\n\n")
        for event in events:
            data = [line for line in event.split(b"\n") if line.startswith(b"data: ")]
            if data:
                self.last = data[0].removeprefix(b"data: ")
                self._note(self.last)
