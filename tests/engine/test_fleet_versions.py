"""Members of the version before rows had shares, beside those of this one: its rights, its rows."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handheld import __version__
from handheld.engine import credentials, names
from handheld.engine.directory import HostRow, Registrar
from handheld.engine.kv import Kv
from handheld.engine.names import CLAIMS, HOSTS, PHONES, phone_id
from handheld.engine.wire import NotAllowed, Wire
from polling import until, until_true

from .fleet_lab import Fleet, make_phone
from .lab import Lab

pytestmark = pytest.mark.needs_nats
TAP: dict[str, Any] = {"x": 100, "y": 900}


@pytest.fixture
async def fleet(server: None, tmp_path: Path) -> AsyncGenerator[Fleet]:
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        yield Fleet(lab, tmp_path, stack)


async def grant_old_rights(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of hosts, as the version before told them to the servers."""
    now = names.rights

    def before(role: str) -> Mapping[str, Any]:
        given = now(role)
        if role != "host":
            return given
        me = "{{name()}}"
        kept = [
            each
            for each in given["pub"]["allow"]
            if not each.startswith(("$KV.phones", "$KV.claims", "$JS.API.STREAM.MSG.GET"))
        ]
        kept += [f"$KV.phones.{me}.>", "$KV.claims.*"]
        kept += ["$JS.API.DIRECT.GET.KV_claims.$KV.claims.*"]
        return {**given, "pub": {"allow": kept}}

    monkeypatch.setattr(credentials, "rights", before)
    await fleet.lab.administration.push(fleet.lab.plan, "main")
    monkeypatch.undo()


@asynccontextmanager
async def beating(wire: Wire) -> AsyncGenerator[None]:
    """Such a host is heard of."""
    running = asyncio.create_task(Registrar(wire, HostRow("old", "0.0.1")).run())
    try:
        await until_true(lambda: _is_heard(wire))
        yield
    finally:
        running.cancel()


async def _is_heard(wire: Wire) -> bool:
    return await Kv(wire, HOSTS).get(wire.id) is not None


async def pretend_old_host(wire: Wire, serial: str) -> None:
    """What it writes."""
    phone = phone_id(serial)
    await Kv(wire, PHONES).put(f"{wire.id}.{phone}", json.dumps({"serial": serial}).encode())
    await Kv(wire, CLAIMS).put(phone, json.dumps([wire.id, "old", 0]).encode())


async def test_a_running_fleet_is_upgraded(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await grant_old_rights(fleet, monkeypatch)
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
