"""Cancelling a request or disconnecting stops the tool."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.access.tokens import AccessToken
from handheld.clock import SYSTEM_CLOCK, Clock
from handheld.server.options import HttpOptions
from handheld.server.running import OUTCOME_SECONDS, TOKEN_CHECK_SECONDS
from handheld.tools.call import TRANSPORT_META, Caller
from handheld.tools.tool import Item
from harness.manual_clock import ManualClock
from harness.polling import HANG
from harness.serving import served

from .conftest import Served
from .little import HELLO, LittleSurface, call, raw_request, request

eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])


async def test_a_cancellation_is_matched_by_session_and_id(served: Served) -> None:
    hello = await served.http.post("/mcp", json=request("initialize", HELLO))
    session = hello.headers["mcp-session-id"]
    async with asyncio.timeout(HANG), asyncio.TaskGroup() as tasks:
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


async def test_without_a_session_a_cancellation_stops_nothing(served: Served) -> None:
    """Two clients that both count from 1 could not be told apart."""
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
    async with asyncio.timeout(HANG), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(served.post(call("slow", id=9)))
        await served.surface.slow_started.wait()
        assert (await served.post(cancel)).status_code == 202
        served.surface.let_slow_end.set()
    assert running.result().json()["result"] == {"content": [{"type": "text", "text": "done"}]}


@eras
async def test_a_client_that_disconnects_stops_its_tool(served: Served, modern: bool) -> None:
    async with asyncio.timeout(HANG):
        _, writer = await asyncio.open_connection("127.0.0.1", served.address.port)
        writer.write(raw_request(call("slow", modern=modern), modern=modern))
        await served.surface.slow_started.wait()
        writer.close()
        await writer.wait_closed()
        await served.surface.slow_stopped.wait()
    assert served.surface.finished == 0


@eras
async def test_disconnecting_after_the_answer_stops_nothing(served: Served, modern: bool) -> None:
    """The connection's end is reported for the answered request as well as for the next."""
    served.surface.let_slow_end.set()
    async with asyncio.timeout(HANG):
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


async def test_a_disconnect_before_the_body_leaves_nothing_hanging(
    served: Served,
) -> None:
    async with asyncio.timeout(HANG):
        _, writer = await asyncio.open_connection("127.0.0.1", served.address.port)
        writer.write(raw_request(call("slow"), modern=False)[:-10])
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    assert not served.surface.slow_started.is_set()


class Guests:
    """Two tokens besides the owner's, until they are revoked."""

    def __init__(self) -> None:
        self.known = {"first": AccessToken("first"), "second": AccessToken("second")}
        self.surface = LittleSurface()

    @asynccontextmanager
    async def serving(self, clock: Clock = SYSTEM_CLOCK) -> AsyncGenerator[httpx.AsyncClient]:
        options = HttpOptions(port=0, token="t", recognise=self.known.get, clock=clock)
        async with asyncio.timeout(HANG), served(self.surface, options) as (http, _):
            yield http


def shown(token: str, session: str = "s") -> dict[str, str]:
    return {"authorization": f"Bearer {token}", "mcp-session-id": session}


async def test_a_request_of_another_token_cannot_be_cancelled() -> None:
    guests = Guests()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    async with guests.serving() as http:
        calling = http.post("/mcp", json=call("slow"), headers=shown("first"))
        running = asyncio.create_task(calling)
        await guests.surface.slow_started.wait()
        for other in ("second", "t"):
            await http.post("/mcp", json=cancel, headers=shown(other))
        assert not guests.surface.slow_stopped.is_set()
        await http.post("/mcp", json=cancel, headers=shown("first"))
        assert (await running).json()["error"]["code"] == -32800


async def test_a_call_is_stopped_when_its_token_is_revoked() -> None:
    guests, clock = Guests(), ManualClock()
    async with guests.serving(clock) as http:
        calling = http.post("/mcp", json=call("slow"), headers=shown("first"))
        running = asyncio.create_task(calling)
        await guests.surface.slow_started.wait()
        await clock.advance(TOKEN_CHECK_SECONDS)
        await clock.until_waits(TOKEN_CHECK_SECONDS)
        assert not guests.surface.slow_stopped.is_set()
        del guests.known["first"]
        await clock.advance(TOKEN_CHECK_SECONDS)
        answer = await running
        await guests.surface.slow_stopped.wait()
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.json() == {
        "error": "unauthorized",
        "message": "The token of this request is no longer valid, so it was stopped.",
    }


class LingeringSurface(LittleSurface):
    """Its tool needs time to stop."""

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        try:
            return await super().call(name, arguments, caller, scope)
        except asyncio.CancelledError:
            await self.let_slow_end.wait()
            self.finished += 1
            raise


async def test_a_cancelled_call_is_answered_before_its_tool_has_stopped() -> None:
    guests, clock = Guests(), ManualClock()
    guests.surface = surface = LingeringSurface()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    async with guests.serving(clock) as http:
        calling = http.post("/mcp", json=call("slow"), headers=shown("first"))
        running = asyncio.create_task(calling)
        await surface.slow_started.wait()
        await http.post("/mcp", json=cancel, headers=shown("first"))
        await clock.until_waits(OUTCOME_SECONDS)
        assert not running.done()
        await clock.advance(OUTCOME_SECONDS)
        assert (await running).json()["error"]["code"] == -32800
        assert surface.finished == 0
        surface.let_slow_end.set()
    assert surface.finished == 1


@pytest.mark.slow
@pytest.mark.parametrize(("token", "transport"), [("t", "cli"), ("first", "http")])
async def test_only_the_owners_processes_may_name_another_transport(
    token: str, transport: str
) -> None:
    guests = Guests()
    asked = call("who")
    asked["params"]["_meta"] = {TRANSPORT_META: "cli"}
    async with guests.serving() as http:
        answer = await http.post("/mcp", json=asked, headers=shown(token))
    assert answer.json()["result"]["content"][0]["text"] == f" by {transport} on None"
