"""Whoever goes away stops what it started: a press of a minute ends, and the phone is free."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handheld.driver.by_shell.finger import BROKEN_OFF
from handheld.server.stdio import serve_stdio
from harness.polling import HANG

from .conftest import TOKEN, Bench

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "leaver", "version": "1"},
}
PRESS = {"name": "android_long_press", "arguments": {"x": 540, "y": 1500, "duration": 60_000}}
TWO_FINGERS = {
    "name": "android_custom_gesture",
    "arguments": {
        "paths": [
            [{"x": 300, "y": 1500, "time": 0}, {"x": 300, "y": 1500, "time": 60_000}],
            [{"x": 700, "y": 1500, "time": 0}, {"x": 700, "y": 1600, "time": 60_000}],
        ]
    },
}
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}


def request(method: str, params: dict[str, Any], id: int = 7) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


async def begun(bench: Bench, fingers: int) -> None:
    await bench.until(lambda: len(bench.world.events) >= fingers)
    await bench.clock.advance(1000)


async def ended(bench: Bench, *pointers: tuple[int, float, float]) -> None:
    """Every finger is lifted without a further effect, and the next action runs at once."""
    await bench.until(lambda: bench.world.events[-1].details[0] == "cancel")
    touches = [event for event in bench.events() if event[1] != "move"]
    downs, cancels = touches[: len(pointers)], touches[len(pointers) :]
    assert [event[:3] for event in downs] == [("touch", "down", p[0]) for p in pointers]
    assert cancels == [("touch", "cancel", *pointer) for pointer in pointers]
    before = bench.clock.now()
    assert await bench.call("tap", x=1, y=1) == "Tap executed at (1, 1)"
    assert bench.clock.now() == before
    assert bench.events() == [("touch", "down", 0, 1, 1), ("touch", "up", 0, 1, 1)]


GESTURES = pytest.mark.parametrize(
    ("params", "pointers"),
    [
        pytest.param(PRESS, [(0, 540, 1500)], id="press"),
        pytest.param(
            TWO_FINGERS,
            [(0, 300, 1500), (1, 700, pytest.approx(1501.667, abs=0.1))],
            id="two fingers",
            marks=pytest.mark.by_helper("two fingers are refused: see test_gesture"),
        ),
    ],
)


@GESTURES
async def test_a_client_that_disconnects_ends_its_gesture(
    bench: Bench, params: dict[str, Any], pointers: list[tuple[int, float, float]]
) -> None:
    body = json.dumps(request("tools/call", params)).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {TOKEN}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    _, writer = await asyncio.open_connection("127.0.0.1", bench.http.base_url.port)
    writer.write(head.encode() + body)
    await begun(bench, len(pointers))
    writer.close()
    await writer.wait_closed()
    await ended(bench, *pointers)


@GESTURES
async def test_a_cancellation_over_http_ends_a_gesture(
    bench: Bench, params: dict[str, Any], pointers: list[tuple[int, float, float]]
) -> None:
    hello = await bench.http.post("/mcp", json=request("initialize", HELLO, 1))
    session = {"mcp-session-id": hello.headers["mcp-session-id"]}
    call = asyncio.create_task(
        bench.http.post("/mcp", json=request("tools/call", params), headers=session)
    )
    await begun(bench, len(pointers))
    answer = await bench.http.post("/mcp", json=CANCEL, headers=session)
    assert answer.status_code == 202
    assert (await call).json() == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32800, "message": f"The client cancelled this request. {BROKEN_OFF}"},
    }
    await ended(bench, *pointers)


class Pipe:
    """A client on standard input and output."""

    def __init__(self) -> None:
        self.stdin = asyncio.StreamReader()
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()

    async def write(self, data: bytes, /) -> None:
        self.lines.put_nowait(data)

    def send(self, message: dict[str, Any]) -> None:
        self.stdin.feed_data(json.dumps(message).encode() + b"\n")

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(HANG):
            return json.loads(await self.lines.get())


@asynccontextmanager
async def open_pipe(surface: Any) -> AsyncGenerator[Pipe]:
    pipe = Pipe()
    serving = asyncio.create_task(serve_stdio(surface, pipe.stdin, pipe))
    pipe.send(request("initialize", HELLO, 1))
    await pipe.next()
    pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    yield pipe
    if not pipe.stdin.at_eof():
        pipe.stdin.feed_eof()
    async with asyncio.timeout(HANG):
        await serving


@pytest.fixture
async def pipe(bench: Bench) -> AsyncGenerator[Pipe]:
    async with open_pipe(bench.surface) as pipe:
        yield pipe


@GESTURES
async def test_a_cancellation_over_stdio_ends_a_gesture(
    bench: Bench, pipe: Pipe, params: dict[str, Any], pointers: list[tuple[int, float, float]]
) -> None:
    pipe.send(request("tools/call", params))
    await begun(bench, len(pointers))
    pipe.send(CANCEL)
    await ended(bench, *pointers)
    pipe.send(request("ping", {}, 8))
    while (answer := await pipe.next())["id"] != 8:
        assert answer["id"] == 7
        assert "error" in answer
    assert answer["result"] == {}


@GESTURES
async def test_the_end_of_standard_input_ends_a_gesture(
    bench: Bench, pipe: Pipe, params: dict[str, Any], pointers: list[tuple[int, float, float]]
) -> None:
    pipe.send(request("tools/call", params))
    await begun(bench, len(pointers))
    pipe.stdin.feed_eof()
    await ended(bench, *pointers)


async def test_an_action_that_waits_its_turn_is_given_up_too(bench: Bench) -> None:
    """It never begins; the one that runs goes on."""
    press = asyncio.create_task(
        bench.http.post(
            "/mcp",
            json=request("tools/call", {**PRESS, "arguments": {"x": 5, "y": 6, "duration": 2000}}),
        )
    )
    await begun(bench, 1)
    body = json.dumps(request("tools/call", PRESS, 8)).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {TOKEN}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    _, writer = await asyncio.open_connection("127.0.0.1", bench.http.base_url.port)
    writer.write(head.encode() + body)
    await writer.drain()
    await bench.call("get_screen_state")
    writer.close()
    await writer.wait_closed()
    for _ in range(2):  # by now the server has seen that it is gone
        await bench.call("get_screen_state")
    await bench.passing(asyncio.wait_for(press, HANG))
    events = [event for event in bench.events() if event[1] != "move"]
    assert events == [("touch", "down", 0, 5, 6), ("touch", "up", 0, 5, 6)]
