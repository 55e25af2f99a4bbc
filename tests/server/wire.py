"""A connection of the server on a transport that keeps what is written to it, without a socket."""

import asyncio
import json
from typing import Any

from handheld.server.connection import Connection
from handheld.server.exchange import App, Disconnected, Exchange, HttpRefusal
from harness.manual_clock import ManualClock

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


async def tell(exchange: Exchange) -> None:
    """Answer with the request as it was understood; to /early before its body is read."""
    try:
        body = b"" if exchange.path == "/early" else await exchange.read(1_000_000, 60)
    except Disconnected:
        return
    except HttpRefusal as refusal:
        await exchange.send_json(refusal.status, {})
        return
    seen = {
        "method": exchange.method,
        "path": exchange.path,
        "raw_path": exchange.raw_path.decode("latin-1"),
        "query": exchange.query.decode("latin-1"),
        "headers": [[each.decode("latin-1") for each in pair] for pair in exchange.headers],
    }
    await exchange.send_json(200, {**seen, "body": body.decode("latin-1")})


class Line:
    def __init__(self, app: App = tell, clock: ManualClock | None = None) -> None:
        self.tasks = set[asyncio.Task[None]]()
        self.transport = Written()
        self.clock = clock or ManualClock()
        self.connection = Connection(app, self.clock, self.tasks)
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
        await asyncio.gather(*self.tasks, return_exceptions=True)

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
