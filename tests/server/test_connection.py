"""Connections on which nothing is asked, or too slowly."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from handheld.server import connection
from handheld.server.http import open_http

from .little import TOKEN, LittleSurface, call, raw_request


class Door:
    def __init__(self, surface: LittleSurface, port: int) -> None:
        self.surface = surface
        self.port = port

    async def enter(self, data: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        return reader, writer

    async def is_shut(self, data: bytes) -> bytes:
        """What is said before the connection ends, which it must."""
        reader, writer = await self.enter(data)
        try:
            return await reader.read()
        finally:
            writer.close()


@pytest.fixture(params=[120])
async def door(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Door]:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.05)
    monkeypatch.setattr("handheld.server.exchange._DRAIN_SECONDS", 0.05)
    monkeypatch.setattr("handheld.server.http._IDLE_SECONDS", request.param)
    surface = LittleSurface()
    async with asyncio.timeout(60), open_http(surface, port=0, token=TOKEN) as address:
        yield Door(surface, address.port)


@pytest.mark.parametrize("data", [b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
async def test_who_connects_and_does_not_ask_is_not_waited_for(door: Door, data: bytes) -> None:
    assert await door.is_shut(data) == b""


@pytest.mark.parametrize("door", [0.05], indirect=True)
async def test_a_body_that_nobody_wants_does_not_keep_a_connection(door: Door) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\n\r\n"
    reader, writer = await door.enter(head)

    async def drip() -> None:
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.01)

    dripping = asyncio.create_task(drip())
    try:
        assert (await reader.read()).startswith(b"HTTP/1.1 401 ")
    except ConnectionResetError:
        pass  # it has written once more by then
    finally:
        dripping.cancel()
        writer.close()


async def test_where_too_many_wait_the_one_goes_that_waited_longest_and_none_that_works(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 600)
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 3)
    entered = [await door.enter(raw_request(call("slow"), modern=False))]
    await door.surface.slow_started.wait()
    entered.append(await door.enter())
    for _ in range(5):
        entered.append(await door.enter(raw_request(call("echo"), modern=False)))
        assert (await entered[-1][0].readline()).startswith(b"HTTP/1.1 200 ")
    (working, _), (idle, _), *_ = entered
    assert await idle.read() == b""
    door.surface.let_slow_end.set()
    assert (await working.readline()).startswith(b"HTTP/1.1 200 ")
    for _, writer in entered:
        writer.close()
