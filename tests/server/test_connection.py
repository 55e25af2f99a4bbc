"""Connections without requests, or with requests that arrive too slowly."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from handheld.server import acceptor
from handheld.server.exchange import Exchange, HttpRefusal
from handheld.server.http import open_http
from handheld.server.limits import IDLE_SECONDS, REQUEST_SECONDS
from handheld.server.options import HttpOptions
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .little import TOKEN, LittleSurface, call, raw_request
from .wire import Line


class Door:
    def __init__(self, surface: LittleSurface, port: int) -> None:
        self.surface = surface
        self.port = port

    async def enter(self, data: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        return reader, writer


async def rest(reader: asyncio.StreamReader) -> bytes:
    """Read until the connection is closed."""
    message = bytearray()
    try:
        while data := await reader.read(1000):
            message += data
    except ConnectionResetError:
        pass  # unread data was sent
    return bytes(message)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def door(clock: ManualClock) -> AsyncGenerator[Door]:
    surface = LittleSurface()
    async with (
        asyncio.timeout(HANG),
        open_http(surface, HttpOptions(port=0, token=TOKEN, clock=clock)) as address,
    ):
        yield Door(surface, address.port)


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
async def test_a_connection_without_a_request_is_closed(
    door: Door, clock: ManualClock, data: bytes
) -> None:
    reader, writer = await door.enter(data)
    await clock.until_waits_only(REQUEST_SECONDS)
    await clock.advance(REQUEST_SECONDS - 1)
    writer.write(data[-1:])
    await clock.advance(1)
    assert await rest(reader) == b""
    writer.close()


async def test_an_unread_body_does_not_keep_a_connection_open(clock: ManualClock) -> None:
    async def app(exchange: Exchange) -> None:
        await exchange.refuse(HttpRefusal(401, "unauthorized", "No."))

    line = Line(app, clock)
    await line.send(b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n")
    # The body is read for a while, so that the client can receive the answer.
    await clock.until_waits_only(2)
    await line.send(b"x")
    await clock.advance(2)
    await line.send()
    assert line.statuses == [401]
    await clock.until_waits_only(IDLE_SECONDS)
    # It would stay open while the client keeps sending.
    await line.send(b"x")
    await clock.advance(IDLE_SECONDS)
    await clock.until_waits_only(REQUEST_SECONDS)
    await line.send(b"x")
    await clock.advance(REQUEST_SECONDS - 1)
    assert not line.transport.closed
    await clock.advance(1)
    assert line.transport.closed


async def test_above_the_limit_an_idle_connection_is_closed_and_no_running_call(
    door: Door, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "MAX_CONNECTIONS", 3)
    entered = [await door.enter(raw_request(call("slow"), modern=False))]
    await door.surface.slow_started.wait()
    entered.append(await door.enter())
    for _ in range(5):
        await clock.advance(1)
        entered.append(await door.enter(raw_request(call("echo"), modern=False)))
        assert (await entered[-1][0].readline()).startswith(b"HTTP/1.1 200 ")
    (working, _), (idle, _), *_ = entered
    assert await idle.read() == b""
    door.surface.let_slow_end.set()
    assert (await working.readline()).startswith(b"HTTP/1.1 200 ")
    for _, writer in entered:
        writer.close()


@pytest.mark.parametrize("kept", [True, False])
async def test_a_reply_is_one_write_before_the_reply_to_what_follows(kept: bool) -> None:
    async def app(exchange: Exchange) -> None:
        await exchange.read(1000, 60)
        await exchange.send_json(200, {"n": 1})

    line = Line(app)
    close = "" if kept else "Connection: close\r\n"
    head = f"POST / HTTP/1.1\r\nHost: x\r\n{close}Content-Length: 2\r\n\r\n".encode()
    await line.send(head + b"{}" + (b"broken\r\n\r\n" if kept else b""))
    first, *more = line.transport.writes
    assert first.startswith(b"HTTP/1.1 200 ")
    assert first.endswith(b'\r\n\r\n{"n":1}')
    assert line.transport.closed
    assert b"".join(more)[:13] == (b"HTTP/1.1 400 " if kept else b"")
