"""One HTTP request and its answer, on ASGI's three callables; and on the connection itself, where
ASGI would take a task more or a write more."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any, Protocol

from ..clock import SYSTEM_CLOCK, Clock
from .envelope import dump

if TYPE_CHECKING:
    from .bodies import HeldBody
    from .events import EventStream

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

SCOPE_TOKEN = "handheld.shown_token"  # noqa: S105
"""Key of the ASGI scope: the name of the token that the request has shown, once it is verified."""
SCOPE_BODY = "handheld.body"
"""Key of the ASGI scope: the `HeldBody` of the request, for an application that reads it itself."""

STATE_WIRE = "handheld.wire"
"""Key of the ASGI scope's state: the `Wire` of the request, if it came over one."""

_DRAIN_BYTES = 64 * 1024 * 1024
DRAIN_SECONDS = 2.0


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


class Wire(Protocol):
    """The connection of a request."""

    @property
    def has_whole_body(self) -> bool:
        """Whether nothing of the request's body is still to come."""
        ...

    @property
    def stays_open(self) -> bool:
        """Whether the connection is kept after the response."""
        ...

    def watch(self, left: Callable[[], None]) -> None:
        """Call it when the connection is closed, until `unwatch`."""
        ...

    def unwatch(self) -> None: ...

    def hold(self) -> None:
        """Keep what is written until the response is complete, or until `release`."""
        ...

    def release(self) -> None: ...


class Exchange:
    """One request, and the response to it."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        clock: Clock = SYSTEM_CLOCK,
        held: "HeldBody | None" = None,
        *,
        tells_kept: bool = False,
    ) -> None:
        """`held` counts what is read of the body; `tells_kept`: the response says that the
        connection stays open, too, which is so in HTTP unless it says otherwise."""
        self.scope = scope
        self.held = held
        self._tells_kept = tells_kept
        self._clock = clock
        self.receive = receive
        self._send = send
        self._wire: Wire | None = scope.get("state", {}).get(STATE_WIRE)
        self.begun = False
        self.events: EventStream | None = None
        """Where messages may come before the answer."""
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

    @property
    def streams(self) -> bool:
        """Whether a stream of events was begun."""
        return self.events is not None and self.events.begun

    def has(self, *names: bytes) -> bool:
        """Whether one of these headers is there."""
        return not self._named.keys().isdisjoint(names)

    async def read(self, limit: int, seconds: float) -> bytes:
        """Read the whole body. Raises HttpRefusal above `limit` bytes or `seconds`."""
        announced = self.header("content-length")
        if announced is not None and announced.isdigit() and int(announced[:20]) > limit:
            raise _too_large(limit)
        if self._wire is not None and self._wire.has_whole_body:
            return await self._read(limit)  # it is there, so that no timer is needed
        try:
            async with self._clock.timeout(seconds):
                return await self._read(limit)
        except TimeoutError:
            raise HttpRefusal(
                408, "timeout", f"The request's body did not arrive within {seconds:g} seconds."
            ) from None

    async def _read(self, limit: int) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while True:
            event = await self.receive()
            if event["type"] == "http.disconnect":
                raise Disconnected
            chunk: bytes = event.get("body", b"")
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            if self.held is not None:
                self.held.add(len(chunk))
            chunks.append(chunk)
            if not event.get("more_body", False):
                self._body_read = True
                return b"".join(chunks)

    def watch(self, left: Callable[[], None]) -> Callable[[], object]:
        """Call `left` when the client disconnects. Returns what ends the watch."""
        if self._wire is not None:
            self._wire.watch(left)
            return self._wire.unwatch

        def leave(watch: asyncio.Future[None]) -> None:
            if not watch.cancelled():
                left()

        watch = asyncio.ensure_future(self.gone())
        watch.add_done_callback(leave)
        return watch.cancel

    async def gone(self) -> None:
        """Return when the client has disconnected."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def send(self, status: int, body: bytes, headers: Headers) -> None:
        if self.events is not None and self.events.begun:
            await self.events.end(body)  # its head was sent with the first of them
            return
        self.begun = True
        if self._wire is not None:
            if self._tells_kept and self._wire.stays_open:
                headers = [*headers, (b"connection", b"keep-alive")]
            self._wire.hold()
        try:
            await self._send({"type": "http.response.start", "status": status, "headers": headers})
            await self._send({"type": "http.response.body", "body": body})
        finally:
            if self._wire is not None:
                self._wire.release()

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
        if self.events is not None and self.events.begun:
            await self.events.refuse(refusal.sentence)
            return
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
            async with self._clock.timeout(DRAIN_SECONDS):
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
