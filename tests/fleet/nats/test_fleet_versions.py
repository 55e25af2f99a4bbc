"""Members of the version before rows had shares, beside those of this one: its rights, its rows.
And an engine of one before tables had an account of their own."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handheld import __version__
from handheld.access.tokens import AccessToken, StoredToken
from handheld.clock import SYSTEM_CLOCK
from handheld.fleet.fleet_record import FleetRecord
from handheld.fleet.nats import credentials, names
from handheld.fleet.nats.audit_stream import AuditStream
from handheld.fleet.nats.directory import HostRow, Registrar
from handheld.fleet.nats.jetstream import JetStream
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import BUCKETS, CLAIMS, HOSTS, PHONES, TABLES, TOKENS, phone_id
from handheld.fleet.nats.plan import SIGNERS, EngineError
from handheld.fleet.nats.wire import EngineWire, NobodyListens, NotAllowed
from handheld.fleet.tokens import add_token
from harness.polling import until, until_true

from .fleet_lab import Fleet, make_phone
from .lab import Lab

pytestmark = pytest.mark.needs_nats
TAP: dict[str, Any] = {"x": 100, "y": 900}


@pytest.fixture
async def former(
    server: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Fleet]:
    """Its tables are in the account of its members, and have a token and what a hostile host had
    the store answer."""
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "engine")
        stack.callback(lab.close)
        await grant(lab, monkeypatch, names.rights)
        async with lab.wires(lab.admin_of(lab.folder.key("main")), lab.member("host")) as wires:
            admin, evil = wires
            for bucket in BUCKETS:
                await Kv(admin, bucket).ensure(1, 3)
            await AuditStream(admin).ensure(1)
            secret = await add_token(Kv(admin, TOKENS), AccessToken("ci"))
            (tmp_path / "secret").write_text(secret, encoding="utf-8")
            stored, _ = StoredToken.make(AccessToken("mallory"))
            row = b"0" * 16 + b" " + json.dumps(stored.encode()).encode()
            own = f"$KV.phones.{evil.id}.00"
            await evil.request(own, row, 60)
            for to in ("$KV.tokens.mallory", "hh1.audit.h000000000000"):
                await evil.publish(f"$JS.API.DIRECT.GET.KV_phones.{own}", b"", reply=to)
            await until_true(lambda: _are_stored(admin, "KV_tokens", 2))
            await until_true(lambda: _are_stored(admin, "AUDIT", 1))
        yield Fleet(lab, tmp_path, stack)


async def _are_stored(admin: EngineWire, stream: str, count: int) -> bool:
    look = await JetStream(admin).look(stream)
    return look is not None and look.messages == count


async def grant(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, rights: Callable[[str], Mapping[str, Any]]
) -> None:
    """Tell the servers what a version before told them."""

    def before(role: str) -> Mapping[str, Any]:
        given = rights(role)
        allowed = [each.removeprefix(TABLES) for each in given["pub"]["allow"]]
        return {**given, "pub": {"allow": allowed}}

    now, account = SYSTEM_CLOCK.time(), lab.plan.tenants["main"]
    signing = {role: lab.folder.signer("main", role).public for role in SIGNERS}
    describe = credentials._account
    with monkeypatch.context() as patched:
        patched.setattr(credentials, "rights", before)
        patched.setattr(credentials, "_account", lambda *, store: describe(store=True))
        operator = lab.folder.key("operator")
        told = credentials.account_credential(operator, account, "main", now, signing=signing)
    async with lab.wires(lab.admin_of(lab.folder.key("system"))) as [servers]:
        await servers.request("$SYS.REQ.CLAIMS.UPDATE", told.encode(), 60)


def old_rights(role: str) -> Mapping[str, Any]:
    """Those of hosts, in the version before rows had shares."""
    given = names.rights(role)
    if role != "host":
        return given
    me = "{{name()}}"
    allowed = [each.removeprefix(TABLES) for each in given["pub"]["allow"]]
    former = ("$KV.phones", "$KV.claims", "$JS.API.STREAM.MSG.GET")
    kept = [each for each in allowed if not each.startswith(former)]
    kept += [f"$KV.phones.{me}.>", "$KV.claims.*"]
    kept += ["$JS.API.DIRECT.GET.KV_claims.$KV.claims.*"]
    return {**given, "pub": {"allow": kept}}


@asynccontextmanager
async def beating(wire: EngineWire) -> AsyncGenerator[None]:
    """Such a host is heard of."""
    running = asyncio.create_task(Registrar(wire, HostRow("old", "0.0.1")).run())
    try:
        await until_true(lambda: _is_heard(wire))
        yield
    finally:
        running.cancel()


async def _is_heard(wire: EngineWire) -> bool:
    return await Kv(wire, HOSTS).get(wire.id) is not None


async def pretend_old_host(wire: EngineWire, serial: str) -> None:
    """What it writes."""
    phone = phone_id(serial)
    await Kv(wire, PHONES).put(f"{wire.id}.{phone}", json.dumps({"serial": serial}).encode())
    await Kv(wire, CLAIMS).put(phone, json.dumps([wire.id, "old", 0]).encode())


async def test_a_running_fleet_is_upgraded(
    former: Fleet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fleet = former
    await grant(fleet.lab, monkeypatch, old_rights)
    [old] = await fleet.stack.enter_async_context(fleet.lab.wires(fleet.lab.member("host")))
    await pretend_old_host(old, "V-old")
    # A host of this version before the keys were upgraded uses its phones, and leases none.
    new = await fleet.host("left", name="new")
    refused = await new.call("take_phone")
    assert "left cannot be leased: its host has not claimed it yet." in refused
    assert "failed" not in await new.call("tap", device="left", **TAP)
    await until(lambda: "Upgrade Handheld where the keys of the engine are" in caplog.text)
    # Any command with the keys tells the servers the new rights.
    await fleet.lab.administration.bring_up_to_date(fleet.lab.plan, "main")
    await until(lambda: new.claims.of(f"127.0.0.1:{new.phones['left'].port}").ours)
    gateway = await fleet.gateway("left")
    assert "failed" not in await gateway.call("take_phone", slug="left")
    # The old one is refused, and who looks for its phones reads why.
    with pytest.raises(NotAllowed):
        await Kv(old, CLAIMS).put(phone_id("V-old"), b"[]")
    with pytest.raises(NotAllowed):
        await Kv(old, PHONES).put(f"{old.id}.{phone_id('V-old')}", b"{}")
    await fleet.stack.enter_async_context(beating(old))
    await until(lambda: gateway.surface.directory.is_fresh(old.id))
    for refused in (
        await gateway.call("tap", device="V-old", **TAP),
        await gateway.call("take_phone", slug="V-old"),
    ):
        assert (
            "These hosts have a Handheld that is too old for this fleet: old (0.0.1). Upgrade it"
            f" there to {__version__} to use their phones."
        ) in refused


async def test_a_phone_that_an_old_host_has_is_left_to_it(fleet: Fleet) -> None:
    async with make_phone("left") as phone:
        at = {"left": f"127.0.0.1:{phone.port}"}
        member = fleet.lab.member("host")
        async with fleet.open_host("left", name="old", at=at, membership=member) as old:
            await until(lambda: old.claims.of(at["left"]).ours)
        # It goes on in the version of before: it is heard of, and has no row of claims.
        [wire] = await fleet.stack.enter_async_context(fleet.lab.wires(replace(member)))
        await fleet.stack.enter_async_context(beating(wire))
        new = await fleet.host("left", name="new", at=at)
        await until(lambda: new.claims.of(at["left"]).elsewhere)
        assert "The host old has claimed this phone" in await new.call("tap", device="left", **TAP)


@pytest.mark.parametrize("broken_off", [False, True], ids=["at once", "broken off"])
async def test_tables_move_while_a_fleet_runs(
    former: Fleet, monkeypatch: pytest.MonkeyPatch, *, broken_off: bool
) -> None:
    host = await former.host("left")
    gateway = await former.gateway("left")
    secret = (former.folder / "secret").read_text(encoding="utf-8")
    await until(lambda: gateway.tokens.has("ci"))
    handle = json.loads(await gateway.call("take_phone", slug="left"))["device"]
    assert "failed" not in await gateway.call("tap", device=handle, **TAP)
    administration, plan = former.lab.administration, former.lab.plan
    if broken_off:

        async def end(*_: object) -> None:
            raise EngineError("The power is off.")

        with monkeypatch.context() as patched:
            patched.setattr(administration, "_tell_members", end)
            with pytest.raises(EngineError, match="power"):
                await administration.bring_up_to_date(plan, "main")
        await administration.push(plan, "main")  # as to revoke a member
    else:
        await administration.bring_up_to_date(plan, "main")
    # Whose rights change is sent away, and comes back.
    wires = host.wire, gateway.surface.hosts._wire
    await until(lambda: all(each.links == 2 and each.linked for each in wires))
    await gateway.until(lambda rows: rows["left"]["state"] == "yours")
    # The lease goes on, and what is asked, written and recorded is in the new tables.
    assert "failed" not in await gateway.call("tap", device=handle, **TAP)
    assert [lease.handle for lease in host.leases.all()] == [handle]
    later = await former.gateway("left")
    await until(lambda: later.tokens.has("ci"))
    assert later.tokens.recognise(secret) is not None
    assert not later.tokens.has("mallory")
    assert "failed" not in await later.call("give_back_phone", device=handle)
    assert "failed" not in await later.call("take_phone", slug="left")
    wire, _ = await former.line()
    record = FleetRecord(wire)

    async def are_copied() -> bool:
        found = await record.newest()
        return [each.entry.state for each in found.entries].count("done") == 5

    await until_true(are_copied)
    verified = await record.verify()
    assert {key: found.problems for key, found in verified.items()} == {host.id: []}
    members = former.lab.admin_of(former.lab.folder.key("main"))
    async with former.lab.wires(members) as [wire]:
        with pytest.raises(NobodyListens):
            await wire.request("$JS.API.STREAM.NAMES", b"", 60)
