"""A client that takes its request back, or leaves, stops the tool."""

import asyncio

import pytest

from .conftest import Served
from .little import HELLO, call, raw_request, request

eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])


async def test_h1_a_cancellation_is_matched_by_session_and_id(served: Served) -> None:
    hello = await served.http.post("/mcp", json=request("initialize", HELLO))
    session = hello.headers["mcp-session-id"]
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(served.post(call("slow", id="s1"), mcp_session_id=session))
        await served.surface.slow_started.wait()
        cancel = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": "s1"},
        }
        for other in ("another session", ""):
            assert (await served.post(cancel, mcp_session_id=other)).status_code == 202
        for wrong in (5, None, True, "s2"):
            await served.post({**cancel, "params": {"requestId": wrong}}, mcp_session_id=session)
        assert not served.surface.slow_stopped.is_set()
        assert (await served.post(cancel, mcp_session_id=session)).status_code == 202
        await served.surface.slow_stopped.wait()
    answer = running.result()
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "jsonrpc": "2.0",
            "id": "s1",
            "error": {"code": -32800, "message": "The client cancelled this request."},
        },
    )


async def test_h1_without_a_session_a_cancellation_stops_nothing(served: Served) -> None:
    """Two clients that both count from 1 could not be told apart."""
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(served.post(call("slow", id=9)))
        await served.surface.slow_started.wait()
        assert (await served.post(cancel)).status_code == 202
        served.surface.let_slow_end.set()
    assert running.result().json()["result"] == {"content": [{"type": "text", "text": "done"}]}


@eras
async def test_a_client_that_leaves_stops_its_tool(served: Served, modern: bool) -> None:
    async with asyncio.timeout(60):
        _, writer = await asyncio.open_connection("127.0.0.1", served.address.port)
        writer.write(raw_request(call("slow", modern=modern), modern=modern))
        await served.surface.slow_started.wait()
        writer.close()
        await writer.wait_closed()
        await served.surface.slow_stopped.wait()
    assert served.surface.finished == 0


@eras
async def test_leaving_after_the_answer_stops_nothing(served: Served, modern: bool) -> None:
    """The connection's end is reported for the answered request as well as for the next."""
    served.surface.let_slow_end.set()
    async with asyncio.timeout(60):
        reader, writer = await asyncio.open_connection("127.0.0.1", served.address.port)
        for _ in range(2):
            writer.write(raw_request(call("slow", modern=modern), modern=modern))
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        writer.close()
        await writer.wait_closed()
        assert (await served.post(call("echo"))).status_code == 200
    assert served.surface.finished == 2
    assert not served.surface.slow_stopped.is_set()


async def test_a_body_that_never_comes_hangs_nothing_when_its_client_leaves(
    served: Served,
) -> None:
    async with asyncio.timeout(60):
        _, writer = await asyncio.open_connection("127.0.0.1", served.address.port)
        writer.write(raw_request(call("slow"), modern=False)[:-10])
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    assert not served.surface.slow_started.is_set()
