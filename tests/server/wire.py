"""A connection of the server on a transport that keeps what is written to it, without a socket."""

import asyncio
import json
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from handheld.server.connection import Connection
from handheld.server.exchange import App, Disconnected, Exchange, HttpRefusal, Receive, Scope, Send
from manual_clock import ManualClock

_TURNS = 20
"""More turns of the event loop than a request takes."""


class Written(asyncio.Transport):
    """A transport that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.closed = False
        self.reading = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


async def tell(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the request as it was understood; to /early before its body is read."""
    exchange = Exchange(scope, receive, send)
    try:
        body = b"" if scope["path"] == "/early" else await exchange.read(1_000_000, 60)
    except Disconnected:
        return
    except HttpRefusal as refusal:
        await exchange.send_json(refusal.status, {})
        return
    seen = {name: scope[name] for name in ("method", "http_version", "path")}
    for name in ("raw_path", "query_string"):
        seen[name] = scope[name].decode("latin-1")
    seen["headers"] = [[each.decode("latin-1") for each in pair] for pair in scope["headers"]]
    await exchange.send_json(200, {**seen, "body": body.decode("latin-1")})


class Line:
    def __init__(self, app: App = tell, clock: ManualClock | None = None) -> None:
        config = uvicorn.Config(
            app,  # pyright: ignore[reportArgumentType]
            ws="none",
            lifespan="off",
            log_config=None,
        )
        config.load()
        self.state = ServerState()
        self.transport = Written()
        self.clock = clock or ManualClock()
        self.connection = Connection(
            config=config, server_state=self.state, app_state={}, clock=self.clock
        )
        self.connection.connection_made(self.transport)

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            if self.transport.closed:
                break
            self.connection.data_received(part)
            await asyncio.sleep(0)
        for _ in range(_TURNS):
            await asyncio.sleep(0)

    async def hang_up(self) -> None:
        self.transport.closed = True
        self.connection.connection_lost(None)
        await asyncio.gather(*self.state.tasks, return_exceptions=True)

    @property
    def text(self) -> bytes:
        return b"".join(self.transport.writes)

    @property
    def statuses(self) -> list[int]:
        """Of all responses, in their order."""
        return [int(head[9:12]) for head in self.transport.writes if head.startswith(b"HTTP/1.1 ")]

    @property
    def seen(self) -> list[dict[str, Any]]:
        """What the application saw of each request."""
        answers = [each for each in self.transport.writes if each.startswith(b"HTTP/1.1 200 ")]
        return [json.loads(each.partition(b"\r\n\r\n")[2]) for each in answers]
