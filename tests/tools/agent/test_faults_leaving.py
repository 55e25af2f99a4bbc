"""Clients that cancel or go away, and phones that do: what was not begun is not done."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from handheld.errors import ActionFailed
from harness.polling import HANG
from testbed import show_scene
from testbed.screens import ChangingText
from tools.main.conftest import LONGEST_PAUSE_MS, TOKEN
from tools.main.test_leaving import CANCEL, HELLO, Pipe, open_pipe, request

from .conftest import AgentBench

pytestmark = pytest.mark.matrix

WAIT = {"name": "phone_wait", "arguments": {"text": "Never", "seconds": 45}}
STEPS = {
    "name": "phone_do",
    "arguments": {
        "steps": [
            {"tap": "More"},
            {"tool": "wait", "text": "Never", "seconds": 45},
            {"tap": "More"},
        ]
    },
}
CALLS = pytest.mark.parametrize(("params", "count"), [(WAIT, 0), (STEPS, 1)], ids=["wait", "steps"])


class Calls:
    """The surface of a bench, which counts the calls that run."""

    def __init__(self, bench: AgentBench) -> None:
        self._surface: Any = bench.counter.surface
        self.running = 0
        bench.counter.surface = self  # type: ignore[assignment]

    async def tools(self, scope: Any) -> Any:
        return await self._surface.tools(scope)

    async def call(self, *arguments: Any) -> Any:
        self.running += 1
        try:
            return await self._surface.call(*arguments)
        finally:
            self.running -= 1


async def counting(bench: AgentBench) -> tuple[ChangingText, Calls]:
    scene = show_scene(bench.world, "changing_text")
    assert isinstance(scene, ChangingText)
    await bench.look()
    return scene, Calls(bench)


async def begun(bench: AgentBench, calls: Calls) -> None:
    """The call has run for some seconds of the phone's time."""
    await bench.until(lambda: calls.running == 1)
    start = bench.clock.now()
    async with asyncio.timeout(HANG):
        while bench.clock.now() - start < 4000:
            due = bench.clock.due
            if due is not None and due - bench.clock.now() <= LONGEST_PAUSE_MS:
                await bench.clock.advance(due - bench.clock.now())
            await asyncio.sleep(0)
    assert calls.running == 1


async def ended(bench: AgentBench, calls: Calls, scene: ChangingText, count: int) -> None:
    """It ends without any time passing, does nothing more, and the phone is free."""
    await bench.until(lambda: calls.running == 0)
    assert scene.count == count
    await bench.call("tap", at="More")
    assert scene.count == count + 1


@CALLS
async def test_a_client_that_disconnects_ends_its_call(
    bench: AgentBench, params: dict[str, Any], count: int
) -> None:
    scene, calls = await counting(bench)
    body = json.dumps(request("tools/call", params)).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {TOKEN}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    _, writer = await asyncio.open_connection("127.0.0.1", bench.http.base_url.port)
    writer.write(head.encode() + body)
    await begun(bench, calls)
    writer.close()
    await writer.wait_closed()
    await ended(bench, calls, scene, count)


@CALLS
async def test_a_cancellation_over_http_ends_the_call(
    bench: AgentBench, params: dict[str, Any], count: int
) -> None:
    scene, calls = await counting(bench)
    hello = await bench.http.post("/mcp", json=request("initialize", HELLO, 1))
    session = {"mcp-session-id": hello.headers["mcp-session-id"]}
    call = asyncio.create_task(
        bench.http.post("/mcp", json=request("tools/call", params), headers=session)
    )
    await begun(bench, calls)
    await bench.http.post("/mcp", json=CANCEL, headers=session)
    assert (await call).json()["error"]["code"] == -32800
    await ended(bench, calls, scene, count)


@pytest.fixture
async def pipe(bench: AgentBench) -> AsyncGenerator[Pipe]:
    async with open_pipe(bench.counter) as pipe:
        yield pipe


@CALLS
async def test_a_cancellation_over_stdio_ends_the_call(
    bench: AgentBench, pipe: Pipe, params: dict[str, Any], count: int
) -> None:
    scene, calls = await counting(bench)
    pipe.send(request("tools/call", params))
    await begun(bench, calls)
    pipe.send(CANCEL)
    await ended(bench, calls, scene, count)


async def test_a_tap_on_a_phone_that_is_unplugged_may_or_may_not_have_happened(
    bench: AgentBench,
) -> None:
    scene, _ = await counting(bench)

    def more_and_cut() -> None:
        scene.more()
        bench.device.faults.drop_link(60_000)

    scene.button.on_click = more_and_cut
    failed = await bench.failure("tap", at="More")
    assert isinstance(failed, ActionFailed)
    assert "may or may not have happened" in failed.message
    assert "phone_look" in failed.message or "look at the screen" in failed.message.lower()
    assert scene.count == 1


async def test_a_look_at_a_phone_that_is_away_says_so(bench: AgentBench) -> None:
    await counting(bench)
    bench.device.faults.drop_link(60_000)
    failed = await bench.failure("look")
    assert "may or may not" not in failed.message
