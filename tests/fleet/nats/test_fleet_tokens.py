"""Tokens that an administrator writes into the engine, at gateways and hosts."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from access.authorization_server import AuthorizationServer
from handheld.access.issuer import Issuer
from handheld.access.resource_server import ResourceServer
from handheld.access.tokens import AccessToken, Tokens, TokensError, TokensUnknown
from handheld.clock import SYSTEM_CLOCK
from handheld.fleet.host_calls import NothingDone
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import TOKENS, to_host
from handheld.fleet.tokens import KEPT_SECONDS, FleetTokens, add_token, list_tokens, revoke_token
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.server.running import TOKEN_CHECK_SECONDS
from harness.manual_clock import MORNING, ManualClock
from harness.polling import HANG

from .fleet_lab import Fleet, ShiftedClock
from .lab import Lab, until
from .test_fleet import SWIPE, SWIPING, TAP, TAPPING

pytestmark = pytest.mark.needs_nats

NOW = MORNING
CI = AccessToken("ci", ("touch", "fleet"), (), False, NOW)


@pytest.fixture
async def table(fleet: Fleet) -> AsyncGenerator[Kv]:
    async with fleet.lab.administration.table(TOKENS, "main") as kv:
        yield kv


@asynccontextmanager
async def following(lab: Lab, role: str, clock: Any = None) -> AsyncGenerator[FleetTokens]:
    tokens = FleetTokens(clock) if clock else FleetTokens()
    async with lab.wires(lab.member(role)) as [wire]:
        task = asyncio.create_task(tokens.run(wire))
        try:
            yield tokens
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_every_gateway_accepts_a_token_until_it_is_revoked(fleet: Fleet, table: Kv) -> None:
    lab = fleet.lab
    async with following(lab, "gateway") as one, following(lab, "gateway") as other:
        with pytest.raises(TokensUnknown, match="cannot be read now"):
            FleetTokens().recognise("hh_x")  # before the table was read
        secret = await add_token(table, CI)
        for tokens in (one, other):
            await until(lambda tokens=tokens: tokens.has("ci"))
            assert tokens.recognise(secret) == CI
            assert tokens.recognise(secret) == CI  # known by now
            assert tokens.recognise(f"{secret} ") is tokens.recognise("") is None
        stored = await table.get("ci")
        assert stored is not None
        assert secret.removeprefix("hh_").encode() not in stored.value
        await revoke_token(table, "ci")
        for tokens in (one, other):
            await until(lambda tokens=tokens: not tokens.has("ci"))
            assert tokens.recognise(secret) is None
        # Another of that name is another token.
        again = await add_token(table, AccessToken("ci", made=NOW + 1))
        await until(lambda: one.has("ci"))
        assert one.recognise(secret) is None
        assert one.recognise(again) == AccessToken("ci", made=NOW + 1)


async def test_what_a_token_of_the_fleet_cannot_be_is_refused(fleet: Fleet, table: Kv) -> None:
    await add_token(table, CI)
    for token, sentence in (
        (CI, "The fleet has a token called ci already"),
        (AccessToken("a.b", made=NOW), "cannot be the name of a token of the fleet"),
        (AccessToken("a_b", made=NOW), "cannot be the name of a token of the fleet"),
        (AccessToken("owner", made=NOW), "choose another"),
        (AccessToken("you", made=NOW), "reads like the name of a person"),
        (AccessToken("b", ("tuch",), made=NOW), "There is no toolset 'tuch'"),
        (AccessToken("b", made=NOW, expires=NOW - 1), "cannot expire before it is created"),
    ):
        with pytest.raises(TokensError, match=sentence):
            await add_token(table, token)
    with pytest.raises(TokensError, match=r"no token called 'bob'\. It has: ci\."):
        await revoke_token(table, "bob")
    assert await list_tokens(table) == [CI]


async def test_a_token_ends_when_it_expires_also_without_the_engine(
    fleet: Fleet, table: Kv
) -> None:
    clock = ShiftedClock()
    async with following(fleet.lab, "gateway", clock) as tokens:
        short = AccessToken("short", made=clock.time(), expires=clock.time() + 3600)
        secret = await add_token(table, short)
        await until(lambda: tokens.has("short"))
        assert tokens.recognise(secret) == short
        assert tokens.stamp("short") == short.made
        clock.day_shift = 3600.0
        assert tokens.recognise(secret) is None
        assert tokens.stamp("short") is None
        assert tokens.has("short")  # nobody else can have its name


async def test_without_the_engine_the_tokens_of_before_hold_for_a_minute(
    fleet: Fleet, table: Kv
) -> None:
    clock = ShiftedClock()
    async with following(fleet.lab, "gateway", clock) as tokens:
        secret = await add_token(table, CI)
        await until(lambda: tokens.has("ci"))
        fleet.lab.pause(1)
        clock.shift = KEPT_SECONDS - 30
        assert tokens.recognise(secret) == CI
        clock.shift = KEPT_SECONDS + 30
        with pytest.raises(TokensUnknown):
            tokens.recognise(secret)
        fleet.lab.heal()

        def recognised() -> bool:
            try:
                return tokens.recognise(secret) == CI
            except TokensUnknown:
                return False

        await until(recognised)


async def test_a_gateways_own_token_gives_way_to_one_of_the_fleet(
    fleet: Fleet, table: Kv, tmp_path: Path
) -> None:
    own = Tokens(tmp_path / "tokens.json")
    local, other = own.make("ci"), own.make("other")
    async with following(fleet.lab, "gateway") as tokens:
        recognise = tokens.beside(own.recognise)
        await until(lambda: not recognise("x"))
        assert recognise(local) is not None
        await add_token(table, CI)
        await until(lambda: tokens.has("ci"))
        assert recognise(local) is None
        assert recognise(other) is not None
        await revoke_token(table, "ci")
        await until(lambda: recognise(local))


@pytest.mark.parametrize("damage", [b"{}", b"[]", b"\xff", b"[" * 5000, None])
async def test_a_damaged_row_is_not_recognised_and_its_name_stays_taken(
    fleet: Fleet, table: Kv, damage: bytes | None
) -> None:
    secret = await add_token(table, CI)
    row = await table.get("ci")
    assert row is not None
    await table.put("other", row.value if damage is None else damage)
    async with following(fleet.lab, "gateway") as tokens:
        await until(lambda: tokens.has("ci") and tokens.has("other"))
        assert tokens.recognise(secret) == CI  # also where the other has the same digest
        assert tokens.stamp("other") is None
        await revoke_token(table, "ci")
        await until(lambda: not tokens.has("ci"))
        assert tokens.recognise(secret) is None
    assert [token.name for token in await list_tokens(table)] == []


async def test_what_went_while_a_run_was_broken_is_gone(fleet: Fleet, table: Kv) -> None:
    tokens = FleetTokens()
    secret = await add_token(table, CI)
    async with fleet.lab.wires(fleet.lab.member("gateway")) as [wire]:
        for there in (True, False):
            task = asyncio.create_task(tokens.run(wire))
            await until(lambda there=there: tokens.has("ci") is there)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if there:
                assert tokens.recognise(secret) == CI
                await revoke_token(table, "ci")


async def test_the_leases_of_a_revoked_token_end_at_their_hosts(fleet: Fleet, table: Kv) -> None:
    host = await fleet.host("left", "right")
    secret = await add_token(table, CI)
    gateway = await fleet.gateway("left", "right")
    await until(lambda: gateway.tokens.has("ci"))
    assert gateway.tokens.recognise(secret) == CI
    assert json.loads(await gateway.call("take_phone", slug="left"))["phone"] == "left"
    # A token of the gateway's own is none of the fleet's business.
    taken = json.loads(await gateway.call("take_phone", slug="right", token="bob"))
    assert taken["phone"] == "right"
    await revoke_token(table, "ci")
    await until(lambda: [lease.token for lease in host.leases.all()] == ["bob"])
    await until(lambda: not gateway.tokens.has("ci"))
    # Its name does not get it back.
    await add_token(table, AccessToken("ci", made=NOW + 1))
    await until(lambda: gateway.tokens.has("ci"))
    assert await gateway.call("lease_status") == "[]"


async def test_a_host_and_a_gateway_that_disagree_on_a_token_do_nothing(
    fleet: Fleet, table: Kv
) -> None:
    clock = ShiftedClock()
    host = await fleet.host("left", clock=clock)
    wire, calls = await fleet.line(clock)
    await add_token(table, CI)

    async def asked(made: float | None) -> Any:
        head = {
            **TAPPING._replace(made=made).pack(),
            "call": str(made),
            "stamp": clock.now(),
        }
        answer = await wire.request(to_host("call", host.id, wire.id), NatsFrame(head).encode(), 60)
        return NatsFrame.decode(answer.data).head

    # The gateway takes it for one of its own, for an earlier one, or for one that is gone.
    await until(lambda: host.tokens.has("ci"))
    for made in (None, NOW - 1, NOW + 1):
        assert (await asked(made)).get("refused") == "token"
    with pytest.raises(NothingDone, match="was just added or revoked"):
        await calls.call(host.id, TAPPING)
    assert "refused" not in await asked(NOW)


async def test_a_host_waits_a_moment_for_a_token_that_a_gateway_knows(
    fleet: Fleet, table: Kv
) -> None:
    async with following(fleet.lab, "host") as tokens:
        added = asyncio.create_task(tokens.agree("ci", NOW, 60))
        await add_token(table, CI)
        assert await added
        revoked = asyncio.create_task(tokens.agree("ci", None, 60))
        await revoke_token(table, "ci")
        assert await revoked


async def test_a_revoked_token_stops_what_runs_within_a_second(fleet: Fleet, table: Kv) -> None:
    host = await fleet.host("left")
    secret = await add_token(table, CI)
    gateway = await fleet.gateway("left")
    await until(lambda: gateway.tokens.has("ci"))
    clock = ManualClock()
    options = HttpOptions(
        token="the owner's", recognise=gateway.tokens.recognise, port=0, clock=clock
    )
    call = {"name": SWIPING.name, "arguments": {"device": "left", **SWIPE}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    async with (
        open_http(gateway.surface, options) as address,
        httpx.AsyncClient(timeout=HANG) as client,
    ):
        headers = {"Authorization": f"Bearer {secret}"}
        task = asyncio.create_task(
            client.post(address.url, json=body, headers=headers, timeout=HANG)
        )
        await until(lambda: host.phones["left"].world.injection.down)
        await revoke_token(table, "ci")
        await until(lambda: not gateway.tokens.has("ci"))
        await clock.advance(TOKEN_CHECK_SECONDS)
        answer = await task
        assert answer.status_code == 401
        assert "no longer valid" in answer.json()["message"]
        assert "fingers were lifted" in answer.json()["message"]
        await until(lambda: not host.phones["left"].world.injection.down)
        refused = await client.post(address.url, json=body, headers=headers)
        assert (refused.status_code, refused.json()["message"]) == (401, "Invalid bearer token")


async def test_the_command_adds_lists_and_revokes(fleet: Fleet, tmp_path: Path) -> None:
    async def run(*words: str) -> tuple[int | None, str, str]:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "handheld", "token", *words),
            *("--fleet", "--folder", str(fleet.lab.folder.path)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await program.communicate()
        return program.returncode, out.decode(), err.decode()

    limits = ("--toolset", "touch", "--for", "left", "--read-only", "--expires", "2030-12-31")
    code, secret, note = await run("add", "ci", *limits)
    assert (code, note) == (0, "It is shown only once: only its digest is stored.\n")
    listed = "ci  touch  left  read-only  expires 2031-01-01 00:00\n"
    assert await run("list") == (0, listed, "")
    async with following(fleet.lab, "gateway") as tokens:
        await until(lambda: tokens.has("ci"))
        token = tokens.recognise(secret.strip())
        assert token is not None
        assert (token.toolsets, token.phones, token.read_only) == (("touch",), ("left",), True)
        revoked = "Revoked: ci. Gateways no longer accept it.\n"
        assert await run("revoke", "ci") == (0, "", revoked)
        await until(lambda: not tokens.has("ci"))
    code, _, error = await run("add", "ci", "--tenant", "acme")
    assert (code, error) == (1, "handheld: There is no tenant acme: main.\n")
    code, _, error = await run("show")
    assert (code, error) == (
        2,
        "handheld: handheld token show is about the owner's token: leave out --fleet.\n",
    )


async def test_a_caller_with_an_access_token_leases_by_its_subject(fleet: Fleet) -> None:
    host = await fleet.host("left")
    gateway = await fleet.gateway("left")
    here = "https://phones.example.com"
    async with AuthorizationServer() as issuer, AsyncExitStack() as stack:
        server = ResourceServer(here, [Issuer(issuer.url)])
        options = HttpOptions(token="the owner's", oauth=server, port=0)
        address = await stack.enter_async_context(open_http(gateway.surface, options))
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=HANG))

        async def call(subject: str, tool: str, **arguments: Any) -> Any:
            # A new one at each call, as clients renew them.
            token = issuer.token(here, SYSTEM_CLOCK.time(), "d", sub=subject)
            params = {"name": f"android_{tool}", "arguments": arguments}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            headers = {"Authorization": f"Bearer {token}"}
            answer = await client.post(address.url, json=body, headers=headers)
            return answer.json()["result"]["content"][0]["text"]

        assert json.loads(await call("alice", "take_phone"))["phone"] == "left"
        assert "Tap executed" in await call("alice", "tap", **TAP)
        place = issuer.url.removeprefix("http://")
        refused = await call("bob", "tap", device="left", **TAP)
        assert f"left is leased to token oauth:alice@{place} until" in refused
        assert {entry.token for entry in host.log.entries()} == {
            f"oauth:alice@{place}",
            f"oauth:bob@{place}",
        }
        assert host.touches("left") == 1


async def test_the_sms_surface_of_a_gateway_takes_no_access_tokens(
    fleet: Fleet, tmp_path: Path
) -> None:
    """It sends without asking: only who was given a token of this gateway may use it."""
    here, home = "https://phones.example.com", tmp_path / "front"
    joined = Joined("gateway", "front", "main", fleet.lab.member("gateway"))
    joined.save(home / "state" / "gateway.json")
    async with AuthorizationServer() as issuer, httpx.AsyncClient(timeout=HANG) as client:
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "handheld", "gateway", "--surface", "sms"),
            *("--port", "0", "--sms-port", "0", "--no-console"),
            *("--oauth-issuer", issuer.url, "--oauth-url", here),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "HANDHELD_HOME": str(home), "HANDHELD_TOKEN": "of-the-gateway-1"},
        )
        try:
            assert program.stdout is not None
            urls: list[str] = []
            async with asyncio.timeout(HANG):
                while len(urls) < 3:  # for models, main, sms
                    urls += re.findall(r"http://\S+", (await program.stdout.readline()).decode())
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}

            async def ask(url: str, token: str) -> int:
                headers = {"Authorization": f"Bearer {token}"}
                return (await client.post(url, json=body, headers=headers)).status_code

            access = issuer.token(here, SYSTEM_CLOCK.time())
            assert [await ask(url, "of-the-gateway-1") for url in urls] == [200, 200, 200]
            assert [await ask(url, access) for url in urls] == [200, 200, 401]
        finally:
            program.kill()
            await program.wait()


def test_a_hosts_own_token_is_told_from_a_later_one_of_its_name() -> None:
    own: dict[str, float] = {"bob": 1.0}
    tokens = FleetTokens(own=own.get)
    first, unknown = tokens.stamp("bob"), tokens.stamp("eve")
    assert unknown is not None, "a gateway may have it"
    del own["bob"]
    revoked = tokens.stamp("bob")
    own["bob"] = 2.0
    assert len({first, revoked, tokens.stamp("bob")}) == 3
