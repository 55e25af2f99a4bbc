"""One HTTP request and its answer, on ASGI's three callables."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from ..clock import SYSTEM_CLOCK, Clock
from .envelope import dump

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_DRAIN_BYTES = 64 * 1024 * 1024
_DRAIN_SECONDS = 2.0


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


class Exchange:
    """One request, and the response to it."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self.scope = scope
        self._clock = clock
        self.receive = receive
        self._send = send
        self.begun = False
        self._body_read = False
        # HTTP allows spaces around a value, but the SDK compares values with them.
        self.headers: Headers = [(name.lower(), value.strip()) for name, value in scope["headers"]]
        self._named: dict[bytes, bytes] = {}
        for name, value in self.headers:
            known = self._named.get(name)
            self._named[name] = value if known is None else known + b", " + value

    def header(self, name: str) -> str | None:
        """The value, or None if it is missing; repeated headers are joined as HTTP defines."""
        value = self._named.get(name.encode("ascii"))
        return None if value is None else value.decode("latin-1")

    async def read(self, limit: int, seconds: float) -> bytes:
        """Read the whole body. Raises HttpRefusal above `limit` bytes or `seconds`."""
        announced = self.header("content-length")
        if announced is not None and announced.isdigit() and int(announced[:20]) > limit:
            raise _too_large(limit)
        chunks: list[bytes] = []
        size = 0
        try:
            async with self._clock.timeout(seconds):
                while True:
                    event = await self.receive()
                    if event["type"] == "http.disconnect":
                        raise Disconnected
                    chunk: bytes = event.get("body", b"")
                    size += len(chunk)
                    if size > limit:
                        raise _too_large(limit)
                    chunks.append(chunk)
                    if not event.get("more_body", False):
                        self._body_read = True
                        return b"".join(chunks)
        except TimeoutError:
            raise HttpRefusal(
                408, "timeout", f"The request's body did not arrive within {seconds:g} seconds."
            ) from None

    async def gone(self) -> None:
        """Return when the client has disconnected."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def send(self, status: int, body: bytes, headers: Headers) -> None:
        self.begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def pass_on(self, event: Event) -> None:
        """Send an event of another application."""
        self.begun = True
        await self._send(event)

    async def start(self, status: int, headers: Headers) -> None:
        """Begin a response that is sent in parts."""
        self.begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def send_part(self, body: bytes, *, last: bool = False) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": not last})

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
        await self.drain()
        body = {"error": refusal.word, "message": refusal.sentence}
        await self.send_json(refusal.status, body, **refusal.headers)

    async def drain(self) -> None:
        """Read what the client is still sending: if we closed the connection, it would miss our
        response."""
        if self._body_read or self.header("expect") is not None:
            return
        size = 0
        try:
            async with self._clock.timeout(_DRAIN_SECONDS):
                while size < _DRAIN_BYTES:
                    event = await self.receive()
                    size += len(event.get("body", b""))
                    if not event.get("more_body", False):
                        self._body_read = True
                        return
        except TimeoutError:
            return


def _too_large(limit: int) -> HttpRefusal:
    return HttpRefusal(
        413,
        "too_large",
        f"The request is larger than {limit} bytes; write large files in parts with append_file, "
        "or let the phone fetch them with download_from_url.",
    )
