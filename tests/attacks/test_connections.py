"""Connections, bodies and calls that would leave nothing for others."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from access.test_gate import Room, a_call, sentence
from attacks.conftest import Target
from audit.calls import make_call
from cli.program import Home
from console.rig import open_rig
from handheld.access.approval import MOST_QUESTIONS
from handheld.access.tokens import AccessToken
from handheld.app_tools.app_tools import AppTools
from handheld.app_tools.trust import Trust
from handheld.calls.admission import share
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.errors import ActionFailed
from handheld.phone.leases.shares import (
    APP_CALLS,
    CALLS,
    CONNECTIONS,
    QUESTIONS,
    REQUESTS,
    WAITS,
    Share,
    Shares,
)
from handheld.server import acceptor
from handheld.server.exchange import DRAIN_SECONDS
from handheld.server.http import open_http
from handheld.server.limits import (
    BODIES,
    BODY_SECONDS,
    HANDSHAKE_SECONDS,
    MAX_CONNECTIONS,
    MAX_STRANGERS,
    UNREAD_SECONDS,
)
from handheld.server.listener import Address
from handheld.server.options import HttpOptions
from handheld.server.tls import load_tls, self_signed
from handheld.tools.call import Caller
from handheld.tools.main import CATALOG
from harness.manual_clock import ManualClock
from harness.one_phone import OnePhone
from harness.polling import HANG, wait_until
from server.little import TOKEN, LittleSurface, call, raw_request
from server.test_cancel import LingeringSurface
from testbed.misbehaving import Misbehaving

ATTACK = "connections and shares"
GUEST = "a guest's token"
OTHER = "another guest's token"
MANY = MAX_STRANGERS + 40
LARGEST = 100_000
LARGE_REPLY = 24_000_000
"""More than the buffers of a connection take."""
LOGIN = (
    b"POST /console/login HTTP/1.1\r\nHost: %b\r\nOrigin: http://%b\r\n"
    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)


class Crowd:
    """Connections that stay open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.entered: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def enter(self, data: bytes = b"") -> asyncio.StreamReader:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        self.entered.append((reader, writer))
        return reader

    async def __aenter__(self) -> "Crowd":
        return self

    async def __aexit__(self, *_: object) -> None:
        for _reader, writer in self.entered:
            writer.close()


def client(address: Address, verify: ssl.SSLContext | bool = True) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=address.url.removesuffix("/mcp"), trust_env=False, timeout=HANG, verify=verify
    )


async def health(http: httpx.AsyncClient, times: int = 10) -> list[int]:
    """Each over a connection of its own."""
    closing = {"connection": "close"}
    return [(await http.get("/health", headers=closing)).status_code for _ in range(times)]


def recognise(secret: str) -> AccessToken | None:
    name = {GUEST: "guest", OTHER: "other"}.get(secret)
    return AccessToken(name, read_only=True) if name else None


@pytest.fixture
async def server() -> AsyncGenerator[tuple[LittleSurface, Address]]:
    surface = LittleSurface()
    options = HttpOptions(port=0, token=TOKEN, recognise=recognise, body_limit=LARGEST)
    async with asyncio.timeout(HANG), open_http(surface, options) as address:
        yield surface, address


@pytest.mark.slow
async def test_unfinished_logins_leave_room_for_others(tmp_path: Path) -> None:
    async with asyncio.timeout(HANG), open_rig(tmp_path) as rig:
        port = int(rig.url.rpartition(":")[2])
        host = rig.url.partition("//")[2].encode()
        async with Crowd(port) as crowd, httpx.AsyncClient(base_url=rig.url, timeout=HANG) as http:
            for _ in range(MANY):
                await crowd.enter(LOGIN % (host, host))
            assert await health(http) == [200] * 10
            assert (await (await rig.browser()).log_in(rig.secret())).status_code == 200


async def test_a_login_is_short(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        assert (await (await rig.browser()).log_in("x" * 5000)).status_code == 413


@pytest.mark.slow
async def test_silent_tls_connections_leave_room_for_others(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    clock = ManualClock()
    options = HttpOptions(port=0, token=TOKEN, tls=load_tls(certificate, key), clock=clock)
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with (
        asyncio.timeout(HANG),
        open_http(LittleSurface(), options) as address,
        Crowd(address.port) as crowd,
        client(address, trusting) as http,
    ):
        silent = [await crowd.enter() for _ in range(MANY)]
        assert await health(http) == [200] * 10
        assert await silent[0].read() == b""
        await clock.advance(HANDSHAKE_SECONDS)
        assert await silent[-1].read() == b""


async def test_the_newest_connection_is_not_closed_for_older_ones(
    server: tuple[LittleSurface, Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "MAX_CONNECTIONS", 3)
    surface, address = server
    async with Crowd(address.port) as crowd, client(address) as http:
        for _ in range(4):
            surface.slow_started.clear()
            await crowd.enter(raw_request(call("slow"), modern=False))
            await surface.slow_started.wait()
        assert await health(http) == [200] * 10
        surface.let_slow_end.set()
        for reader, _ in crowd.entered:
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")


def begun(token: str, sent: int = LARGEST - 1000) -> bytes:
    """A request whose body never ends."""
    return (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nAccept: */*\r\nContent-Length: {LARGEST}\r\n\r\n"
    ).encode() + b" " * sent


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Whether the server has closed the connection, without an answer."""
    try:
        return await reader.read(1) == b""
    except ConnectionResetError:
        return True


def test_connections_of_tokens_and_strangers_leave_room_for_the_owner() -> None:
    assert CONNECTIONS.of_all + MAX_STRANGERS < MAX_CONNECTIONS
    # One that can be closed is always among them.
    assert REQUESTS.of_one < CONNECTIONS.of_one
    assert REQUESTS.of_all < CONNECTIONS.of_all


@pytest.mark.slow
async def test_unfinished_bodies_of_a_token_are_closed_for_others(
    server: tuple[LittleSurface, Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "CONNECTIONS", Share(6, 10))
    surface, address = server
    async with Crowd(address.port) as crowd, client(address) as http:
        owners = await crowd.enter(begun(TOKEN, sent=1))
        others = await crowd.enter(begun(OTHER, sent=1))
        assert await health(http) == [200] * 10
        calls = list[asyncio.StreamReader]()
        for _ in range(2):
            surface.slow_started.clear()
            guest = f"Bearer {GUEST}"
            calls.append(
                await crowd.enter(raw_request(call("slow"), modern=False, authorization=guest))
            )
            await surface.slow_started.wait()
        unfinished = list[asyncio.StreamReader]()
        for _ in range(14):
            unfinished.append(await crowd.enter(begun(GUEST, sent=1)))
            assert await health(http, 1) == [200]
        for each in unfinished[:8]:
            assert await is_closed(each)
        # Neither the others' connections nor the token's own calls are closed for them.
        surface.let_slow_end.set()
        for each in calls:
            assert (await each.readline()).startswith(b"HTTP/1.1 200 ")
        assert not owners.at_eof()
        assert not others.at_eof()
        owner = {"authorization": f"Bearer {TOKEN}"}
        answer = await http.post("/mcp", json=call("echo"), headers=owner)
        assert answer.status_code == 200


@pytest.mark.slow
async def test_the_connections_of_all_tokens_leave_room_for_the_owner(
    server: tuple[LittleSurface, Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptor, "MAX_CONNECTIONS", 12)
    monkeypatch.setattr(acceptor, "CONNECTIONS", Share(100, 100))
    _, address = server
    async with Crowd(address.port) as crowd, client(address) as http:
        owners = await crowd.enter(begun(TOKEN, sent=1))
        others = await crowd.enter(begun(OTHER, sent=1))
        assert await health(http) == [200] * 10
        unfinished = list[asyncio.StreamReader]()
        for _ in range(30):
            unfinished.append(await crowd.enter(begun(GUEST, sent=1)))
            assert await health(http, 1) == [200]
        for each in unfinished[:18]:
            assert await is_closed(each)
        assert not owners.at_eof()
        assert not others.at_eof()  # of the token that has fewer


class LargeSurface(LittleSurface):
    async def call(self, name: str, *given: Any, **named: Any) -> Any:
        return ["x" * LARGE_REPLY] if name == "large" else await super().call(name, *given, **named)


@pytest.mark.slow
@pytest.mark.parametrize("requests", [1, 2])
async def test_a_reply_that_is_not_read_ends_the_connection(requests: int) -> None:
    """A second request on the same connection would wait for that, for ever."""
    clock = ManualClock()
    options = HttpOptions(port=0, token=TOKEN, recognise=recognise, clock=clock)
    asked = raw_request(call("large"), modern=False, authorization=f"Bearer {GUEST}")
    async with (
        asyncio.timeout(HANG),
        open_http(LargeSurface(), options) as address,
        Crowd(address.port) as crowd,
        client(address) as http,
    ):
        reader = await crowd.enter(asked * requests)
        await clock.until_waits(UNREAD_SECONDS)
        assert await health(http) == [200] * 10
        for _ in range(2):  # something may still have been on its way at first
            await clock.advance(UNREAD_SECONDS)
        with suppress(ConnectionResetError):
            read = await reader.read()
            assert read.startswith(b"HTTP/1.1 200 ")
            assert len(read) < LARGE_REPLY


async def test_unfinished_bodies_share_one_budget() -> None:
    clock = ManualClock()
    options = HttpOptions(port=0, token=TOKEN, recognise=recognise, body_limit=LARGEST, clock=clock)
    async with (
        asyncio.timeout(HANG),
        open_http(LittleSurface(), options) as address,
        Crowd(address.port) as crowd,
        client(address) as http,
    ):
        guests = [await crowd.enter(begun(GUEST)) for _ in range(20)]
        await clock.until_waits_only(*[DRAIN_SECONDS] * 19, BODY_SECONDS)
        owner = {"authorization": f"Bearer {TOKEN}"}
        body: Any = call("echo", {"text": "x" * (LARGEST - 1000)})
        assert (await http.post("/mcp", json=body, headers=owner)).status_code == 200
        owners = [await crowd.enter(begun(TOKEN)) for _ in range(BODIES)]
        await clock.until(lambda: clock.waits.count(DRAIN_SECONDS) == 20)
        await clock.advance(DRAIN_SECONDS)
        answers = [asyncio.ensure_future(each.readline()) for each in (*guests, *owners)]
        for _ in range(20):
            await asyncio.wait(answers, return_when="FIRST_COMPLETED")
            [refused, *_] = [each for each in answers if each.done()]
            assert refused.result() == b"HTTP/1.1 503 Service Unavailable\r\n"
            answers.remove(refused)
        assert (await http.get("/health")).status_code == 200
        for each in answers:
            each.cancel()


@pytest.mark.slow
async def test_the_requests_of_a_token_leave_room_for_the_owner(
    server: tuple[LittleSurface, Address],
) -> None:
    surface, address = server
    body = call("slow")
    guest, owner = ({"authorization": f"Bearer {token}"} for token in (GUEST, TOKEN))
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(client(address))
        crowd = await stack.enter_async_context(Crowd(address.port))
        for _ in range(REQUESTS.of_one):
            surface.slow_started.clear()
            request = raw_request(body, modern=False, authorization=f"Bearer {GUEST}")
            await crowd.enter(request)
            await surface.slow_started.wait()
        refused = await http.post("/mcp", json=call("echo"), headers=guest)
        assert refused.status_code == 503
        answer = await http.post("/mcp", json=call("echo"), headers=owner)
        assert answer.status_code == 200
        surface.let_slow_end.set()


@pytest.mark.slow
async def test_requests_count_until_their_tools_have_stopped() -> None:
    surface = LingeringSurface()
    options = HttpOptions(port=0, token=TOKEN, recognise=recognise)
    guest = {"authorization": f"Bearer {GUEST}"}
    async with (
        asyncio.timeout(HANG),
        open_http(surface, options) as address,
        client(address) as http,
    ):
        async with Crowd(address.port) as crowd:
            for _ in range(REQUESTS.of_one):
                surface.slow_started.clear()
                await crowd.enter(raw_request(call("slow"), modern=False, **guest))
                await surface.slow_started.wait()
        # The client has left them all, and waits for none.
        await surface.slow_stopped.wait()
        assert (await http.post("/mcp", json=call("echo"), headers=guest)).status_code == 503
        surface.let_slow_end.set()


@pytest.mark.parametrize(("tool", "most"), [("tap", CALLS.of_one), ("phone_wait", WAITS.of_one)])
def test_the_calls_of_a_token_leave_room_for_the_owner(tool: str, most: int) -> None:
    phone: Any = SimpleNamespace(calls=Shares(CALLS), waits=Shares(WAITS))
    guest = make_call(tool, {}, caller=Caller("http", "", "guest"))
    with ExitStack() as stack:
        for _ in range(most):
            stack.enter_context(share(guest, phone))
        with pytest.raises(ActionFailed, match="Nothing was done"):
            stack.enter_context(share(guest, phone))
        for _ in range(300):
            stack.enter_context(share(make_call(tool, {}), phone))
    with share(guest, phone):
        pass


@pytest.mark.parametrize("target", ["helper"], indirect=True)
async def test_calls_to_apps_that_do_not_answer_leave_room_for_the_owner(
    target: Target, tmp_path: Path
) -> None:
    target.world.install(Misbehaving)
    trust = Trust(tmp_path / "apps.json", first_use=True)
    source = AppTools(trust, timeout_ms=30_000, reply_limit=1000)
    surface = LocalSurface(CATALOG, OnePhone(target.phone), SurfaceOptions(source=source))
    silent = [
        asyncio.ensure_future(
            target.passing(surface.call("android_app_no_reply", {}, Caller("http", "", token)))
        )
        for token in ("guest", "other")
        for _ in range(APP_CALLS.of_one + 1)
    ]
    try:
        refused = list[str]()
        for each in asyncio.as_completed(silent):
            with pytest.raises(ActionFailed, match="Nothing was done") as failure:
                await each
            refused.append(failure.value.message)
            if len(refused) == len(silent) - APP_CALLS.of_all:
                break
        assert all("4 calls to tools of apps of a token, and 6 of all" in one for one in refused)
        answered = surface.call("android_app_clock_in_today", {}, Caller("http", "", "owner"))
        assert "Clock in successfully!" in str(await target.passing(answered))
        assert sum(not each.done() for each in silent) == APP_CALLS.of_all
    finally:
        for each in silent:
            each.cancel()
        await asyncio.gather(*silent, return_exceptions=True)


async def test_the_questions_of_a_token_leave_room_for_the_owner() -> None:
    room = Room()
    guest = a_call()._replace(caller=Caller("http", "", "guest"))
    for _ in range(QUESTIONS.of_one):
        await room.ask(guest)
    assert "was not asked about" in await sentence(room.gate.ask(guest))
    assert len(room.gate.pending()) == QUESTIONS.of_one < MOST_QUESTIONS
    await room.ask()
    await room.aclose()


@pytest.mark.slow
@pytest.mark.parametrize("token", ["", TOKEN])
async def test_many_small_chunks_end_the_connection(
    server: tuple[LittleSurface, Address], token: str
) -> None:
    """Each takes as long to parse as a kilobyte does."""
    _, address = server
    head = begun(token).partition(b"Content-Length")[0] + b"Transfer-Encoding: chunked\r\n\r\n"
    async with Crowd(address.port) as crowd, client(address) as http:
        chunks = head + b"1\r\nx\r\n" * 40_000
        with suppress(ConnectionResetError):
            assert await (await crowd.enter(chunks)).read() == b""
        assert (await http.get("/health")).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "head",
    [
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + "a:\r\n" * 50_000,
        f"GET /{'%41/' * 50_000} HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        f"GET /health?{'a' * 200_000} HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        f"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {'a=b; ' * 40_000}\r\n",
    ],
)
async def test_a_large_head_is_refused_before_all_of_it_is_read(
    server: tuple[LittleSurface, Address], head: str
) -> None:
    _, address = server
    async with Crowd(address.port) as crowd:
        reader = await crowd.enter(f"{head}\r\n".encode())
        assert await reader.readline() == b"HTTP/1.1 400 Bad Request\r\n"


@pytest.mark.slow
def test_a_client_over_stdio_leaves_room_for_others(tmp_path: Path) -> None:
    """It has the owner's token, which has no share of the server."""
    with Home(tmp_path).start("stdio", "--phone", "virtual") as agent:
        agent.hello()
        assert agent.process.stdin is not None
        endless = {"name": "phone_wait", "arguments": {"text": "never", "seconds": 30}}
        for id in range(REQUESTS.of_one):
            asked = {"jsonrpc": "2.0", "id": f"wait {id}", "method": "tools/call"}
            agent.process.stdin.write(json.dumps({**asked, "params": endless}).encode() + b"\n")
        failed, text = agent.call("phone_look")
        assert (failed, text) == (
            True,
            "100 requests of a client may run at a time, and as many do. Nothing was done. Call"
            " this again when one has ended.",
        )
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": "wait 0"}}
        agent.process.stdin.write(json.dumps({"jsonrpc": "2.0", **cancelled}).encode() + b"\n")
        # The phone takes fewer at a time, and may refuse it; the server does not any more.
        wait_until(lambda: "requests of a client" not in agent.call("phone_look")[1])
