"""Clients that ask for it are told how far a call has come, in both eras and over both
transports."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.access.tokens import AccessToken
from handheld.calls.local import Caller
from handheld.errors import ActionFailed
from handheld.progress import report
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from handheld.server.running import TOKEN_CHECK_SECONDS
from handheld.tools.tool import Item
from harness.event_stream import BOTH, messages, told
from harness.manual_clock import ManualClock
from harness.polling import HANG
from harness.serving import served

from .little import HELLO, META, TOKEN, LittleSurface, call, headers_for, raw_request, request
from .test_stdio import serving

eras = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
TOLD = [(0, 50, "Sending"), (50, 50, "Checking")]


class LongSurface(LittleSurface):
    """`long` reports two stages and waits; `fails` reports one before it fails."""

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        if name not in ("long", "fails"):
            return await super().call(name, arguments, caller, scope)
        for done in range(50):
            report(done, 50, "Sending")
        await _turns()
        if name == "fails":
            raise ActionFailed("It did not work.")
        report(0, 0, "Checking")
        await _turns()
        if arguments.get("waits"):
            return await super().call("slow", {}, caller, scope)
        return ["done"]


async def _turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def opened(surface: LittleSurface) -> AsyncGenerator[tuple[httpx.AsyncClient, Address]]:
    async with served(surface, HttpOptions(port=0, token=TOKEN), TOKEN) as both:
        yield both


def asking(
    name: str, *, modern: bool, token: int | str = "t", id: Any = 1, **arguments: Any
) -> dict[str, Any]:
    body = call(name, arguments, id, modern=modern)
    body["params"]["_meta"] = {**body["params"].get("_meta", {}), "progressToken": token}
    return body


async def post(http: httpx.AsyncClient, body: Any, *, modern: bool, **more: str) -> httpx.Response:
    headers = {**headers_for(body, modern=modern), "accept": BOTH, **more}
    return await http.post("/mcp", json=body, headers=headers)


@pytest.mark.slow
@eras
@pytest.mark.parametrize("token", ["a token", 7, 0])
async def test_a_call_that_reports_is_answered_by_a_stream(modern: bool, token: int | str) -> None:
    async with opened(LongSurface()) as (http, _):
        answer = await post(http, asking("long", modern=modern, token=token), modern=modern)
        *notes, last = messages(answer)
        assert [told(note, token) for note in notes] == TOLD
        assert (last["id"], last["result"]["content"][0]["text"]) == (1, "done")
        failed = await post(http, asking("fails", modern=modern), modern=modern)
        *notes, last = messages(failed)
        assert [told(note) for note in notes] == TOLD[:1]
        assert last["result"]["isError"] is True


@pytest.mark.slow
@eras
async def test_a_call_that_the_sdk_is_left_reports_too(modern: bool) -> None:
    body = asking("long", modern=modern)
    body["params"]["unusual"] = 1
    async with opened(LongSurface()) as (http, _):
        *notes, last = messages(await post(http, body, modern=modern))
    assert [told(note) for note in notes] == TOLD
    assert last["result"]["content"] == [{"type": "text", "text": "done"}]


@pytest.mark.slow
@eras
async def test_all_others_are_answered_by_json_as_ever(modern: bool) -> None:
    async with opened(LongSurface()) as (http, _):
        plain = await post(http, call("long", modern=modern), modern=modern)
        json_alone = await post(
            http, asking("long", modern=modern), modern=modern, accept="application/json"
        )
        short = await post(http, asking("echo", modern=modern), modern=modern)
    for answer in (plain, json_alone, short):
        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["result"]["content"]
    assert plain.content == json_alone.content


async def test_a_call_that_is_cancelled_in_the_middle_ends_its_stream_with_that() -> None:
    surface = LongSurface()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "s"}}
    async with asyncio.timeout(HANG), opened(surface) as (http, _), asyncio.TaskGroup() as tasks:
        hello = await http.post("/mcp", json=request("initialize", HELLO))
        session = {"mcp-session-id": hello.headers["mcp-session-id"]}
        body = asking("long", modern=False, id="s", waits=True)
        running = tasks.create_task(post(http, body, modern=False, **session))
        await surface.slow_started.wait()
        assert (await post(http, cancel, modern=False, **session)).status_code == 202
        await surface.slow_stopped.wait()
        *notes, last = messages(await running)
    assert [told(note) for note in notes] == TOLD
    assert last["error"] == {"code": -32800, "message": "The client cancelled this request."}


@pytest.mark.slow
@eras
async def test_a_client_that_leaves_its_stream_stops_the_call(modern: bool) -> None:
    surface = LongSurface()
    body = asking("long", modern=modern, waits=True)
    async with asyncio.timeout(HANG), opened(surface) as (_, address):
        reader, writer = await asyncio.open_connection("127.0.0.1", address.port)
        writer.write(raw_request(body, modern=modern, accept=BOTH))
        await reader.readuntil(b"Checking")
        writer.close()
        await surface.slow_stopped.wait()
    assert surface.finished == 0


async def test_a_stream_whose_token_is_revoked_ends_with_that() -> None:
    surface, clock = LongSurface(), ManualClock()
    known = {"guest": AccessToken("guest")}
    options = HttpOptions(port=0, token=TOKEN, clock=clock, recognise=known.get)
    async with asyncio.timeout(HANG), served(surface, options) as (http, _):
        body = asking("long", modern=True, waits=True)
        shown = {"authorization": "Bearer guest"}
        running = asyncio.create_task(post(http, body, modern=True, **shown))
        await surface.slow_started.wait()
        known.clear()
        await clock.until_waits(TOKEN_CHECK_SECONDS)
        await clock.advance(TOKEN_CHECK_SECONDS)
        *notes, last = messages(await running)
    assert [told(note) for note in notes] == TOLD
    sentence = "The token of this request is no longer valid, so it was stopped."
    assert last["error"] == {"code": -32800, "message": sentence}


@eras
async def test_stdio_clients_are_told_before_the_answer(modern: bool) -> None:
    async with serving(LongSurface(), modern=modern) as client:
        client.send(asking("long", modern=modern))
        notes = [await client.next(), await client.next()]
        assert [told(note) for note in notes] == TOLD
        assert (await client.next())["result"]["content"][0]["text"] == "done"
        assert (await client.ask(call("long", modern=modern)))["result"]
        client.send({**asking("long", modern=modern), "unusual": 1})  # the SDK's
        notes = [await client.next(), await client.next()]
        assert [told(note) for note in notes] == TOLD
        assert (await client.next())["result"]["content"][0]["text"] == "done"
        assert client.lines.empty()


@eras
async def test_a_stdio_call_that_is_cancelled_is_told_no_more(modern: bool) -> None:
    surface = LongSurface()
    async with serving(surface, modern=modern) as client:
        client.send(asking("long", modern=modern, id=5, waits=True))
        assert [told(await client.next()) for _ in TOLD] == TOLD
        await surface.slow_started.wait()
        meta = {"_meta": META} if modern else {}
        client.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 5, **meta},
            }
        )
        await surface.slow_stopped.wait()
        assert (await client.ask(call("echo", id=6, modern=modern)))["id"] == 6


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_is_told(mode: Any) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with (
        opened(LongSurface()) as (_, address),
        create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(address.url, http_client=http), mode=mode) as client,
    ):
        reply = await client.call_tool("long", {}, progress_callback=note)
        assert not reply.is_error
        assert [*seen] == TOLD
        await client.call_tool("long", {})
    assert seen == TOLD
