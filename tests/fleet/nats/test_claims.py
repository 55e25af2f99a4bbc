"""A phone that two hosts can reach has one holder: on a real server, by the phone's own log."""

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest

from handheld.fleet.nats.kv import Conflict, Kv
from handheld.fleet.nats.names import CLAIMS, HOSTS, phone_id
from handheld.fleet.nats.plan import EngineNode
from handheld.fleet.nats.wire import EngineLost
from handheld.helper.protocol import CLAIM_FILE, Claim
from handheld_virtual.phone import VirtualPhone
from harness import polling
from harness.polling import HANG, until_true

from .fleet_lab import Fleet, Host, ShiftedClock, make_phone
from .lab import Lab, Relay, through, until

pytestmark = pytest.mark.needs_nats

DESK, RACK = 100, 200
"""Where holders touch, by which host."""
SWIPE: dict[str, Any] = {"x1": DESK, "y1": 500, "x2": DESK, "y2": 900, "duration": 3000}


@pytest.fixture
async def phone() -> AsyncGenerator[VirtualPhone]:
    async with make_phone("left") as started:
        yield started


@pytest.fixture
async def way(phone: VirtualPhone) -> AsyncGenerator[Relay]:
    """Between the first host and the phone."""
    async with Relay(EngineNode("localhost", phone.port)) as relay:
        yield relay


@pytest.fixture
async def line(fleet: Fleet) -> AsyncGenerator[Relay]:
    """Between the first host and the engine."""
    async with Relay(fleet.lab.plan.nodes[0]) as relay:
        yield relay


def at(relay: Relay) -> dict[str, str]:
    return {"left": relay.address.replace("localhost", "127.0.0.1")}


def near(phone: VirtualPhone) -> dict[str, str]:
    return {"left": f"127.0.0.1:{phone.port}"}


def touches(phone: VirtualPhone) -> list[tuple[str, int]]:
    """What the phone noted of fingers: down, up or cancel, and where."""
    return [
        (event.details[0], int(cast("float", event.details[2])))
        for event in phone.world.events
        if event.kind == "touch" and event.details[0] in ("down", "up", "cancel")
    ]


async def take(host: Host, token: str = "ci", **wanted: Any) -> str:
    """Lease the phone at a host, once that has claimed it."""
    async with asyncio.timeout(HANG):
        while "failed" in (reply := await host.call("take_phone", token, **wanted)):
            host.claims.changes.tell()
            await asyncio.sleep(0)
    return str(json.loads(reply)["device"])


async def tap(host: Host, x: int, token: str = "ci", **more: Any) -> str:
    return await host.call("tap", token, x=x, y=900, **{"device": "left", **more})


def elsewhere(host: Host, phone: VirtualPhone, relay: Relay | None = None) -> str:
    serial = near(phone)["left"] if relay is None else at(relay)["left"]
    return host.claims.of(serial).elsewhere


async def make_away(
    fleet: Fleet, host: Host, clock: ShiftedClock, other: Host, phone: VirtualPhone
) -> None:
    """Let the engine not hear of a host, which is cut off, and the other host notice."""
    async with fleet.lab.wires(fleet.lab.admin()) as [admin]:
        await Kv(admin, HOSTS).delete(host.id)

    def is_taken() -> bool:
        other.claims.changes.tell()
        clock.shift += 1
        return other.claims.of(near(phone)["left"]).ours

    await polling.until(is_taken)


async def has_row(host: Host) -> bool:
    """Whether the row of a host has the phone."""
    entry = await Kv(host.wire, CLAIMS).get_latest(host.id)
    return entry is not None and phone_id("V-left").encode() in entry.value


async def test_a_phone_of_two_hosts_is_used_at_one_of_them(
    fleet: Fleet, phone: VirtualPhone
) -> None:
    desk = await fleet.host("left", name="desk", at=near(phone))
    handle = await take(desk)
    rack = await fleet.host("left", name="rack", at=near(phone))
    await until(lambda: elsewhere(rack, phone))
    gateway = await fleet.gateway("left")
    await gateway.until(lambda rows: [row["state"] for row in rows.values()] == ["yours"])
    assert "failed" not in await gateway.call("tap", device=handle, x=DESK, y=900)
    refused = await tap(rack, RACK)
    assert refused == (
        "failed: The host desk has claimed this phone. Nothing was done. Use it through the fleet."
    )
    reply = await rack.call("take_phone")
    assert "No phone is free. Nothing was taken. left is used by another host." in reply
    assert touches(phone) == [("down", DESK), ("up", DESK)]


async def test_a_phone_that_is_moved_is_claimed_by_its_new_host(
    fleet: Fleet, phone: VirtualPhone, way: Relay
) -> None:
    desk = await fleet.host("left", name="desk", at=at(way))
    handle = await take(desk)
    rack = await fleet.host("left", name="rack", at=near(phone))
    await until(lambda: elsewhere(rack, phone))
    assert "failed" not in await tap(desk, DESK, device=handle)
    # While it is leased it is expected back.
    await way.close()
    desk.claims.changes.tell()
    rack.claims.changes.tell()
    assert "failed" in await rack.call("take_phone", "eve")
    assert "given back" in await desk.call("give_back_phone")
    await take(rack, "eve")
    assert "failed" not in await tap(rack, RACK, "eve")
    assert touches(phone) == [("down", DESK), ("up", DESK), ("down", RACK), ("up", RACK)]


async def test_a_phone_that_comes_back_is_leased_by_a_new_claim_alone(
    fleet: Fleet, phone: VirtualPhone, way: Relay
) -> None:
    """By the old one, which was given up, a lease would end when another host claims the phone."""
    desk = await fleet.host("left", name="desk", at=at(way))
    handle = await take(desk)
    assert "failed" not in await tap(desk, DESK, device=handle)
    assert "given back" in await desk.call("give_back_phone")
    claim = desk.claims.of(at(way)["left"])
    former = claim.claim
    way.lead_to(EngineNode("localhost", 1))

    async def is_given_up() -> bool:
        desk.claims.changes.tell()
        return not await has_row(desk)

    await until_true(is_given_up)
    assert claim.claim is None
    way.lead_to(EngineNode("localhost", phone.port))
    handle = await take(desk)
    assert former is not None
    assert claim.claim is not None
    assert await has_row(desk)
    assert "failed" not in await tap(desk, DESK, device=handle)


async def test_a_claim_whose_release_is_in_doubt_is_not_used_again(
    fleet: Fleet, phone: VirtualPhone, way: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The phone comes back before the release arrives at the engine: a lease by the old claim would
    end when another host claims what nobody seems to have."""
    desk = await fleet.host("left", name="desk", at=at(way))
    await take(desk)
    assert "given back" in await desk.call("give_back_phone")
    lost = lose_writing(monkeypatch)
    before = await Kv(desk.wire, CLAIMS).get_latest(desk.id)
    way.lead_to(EngineNode("localhost", 1))

    def is_released() -> bool:
        desk.claims.changes.tell()
        return lost.is_set()

    await polling.until(is_released)
    monkeypatch.undo()
    way.lead_to(EngineNode("localhost", phone.port))
    handle = await take(desk)
    # Now it arrives.
    assert before is not None
    with pytest.raises(Conflict):
        await Kv(desk.wire, CLAIMS).swap(desk.id, b"[]", before.revision)
    assert await has_row(desk)
    assert "failed" not in await tap(desk, DESK, device=handle)


def lose_writing(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The next row of claims that is written does not arrive; set once it was sent."""
    lost, swap = asyncio.Event(), Kv.swap

    async def lose(self: Kv, key: str, value: bytes, revision: int) -> int:
        if self._bucket is not CLAIMS:
            return await swap(self, key, value, revision)
        lost.set()
        raise EngineLost("The connection to the engine was lost.")

    monkeypatch.setattr(Kv, "swap", lose)
    return lost


async def test_a_claim_that_arrives_late_keeps_no_phone_from_others(
    fleet: Fleet, phone: VirtualPhone, way: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The phone was unplugged before its host knew whether it has claimed it."""
    lost = lose_writing(monkeypatch)
    desk = await fleet.host("left", name="desk", at=at(way))
    await lost.wait()
    monkeypatch.undo()
    way.lead_to(EngineNode("localhost", 1))

    async def is_written() -> bool:
        desk.claims.changes.tell()
        return await Kv(desk.wire, CLAIMS).get_latest(desk.id) is not None

    await until_true(is_written)
    # Now it arrives.
    with pytest.raises(Conflict):
        await Kv(desk.wire, CLAIMS).swap(desk.id, f'["{phone_id("V-left")}"]'.encode(), 0)
    rack = await fleet.host("left", name="rack", at=near(phone))
    await take(rack, "eve")
    assert "failed" not in await tap(rack, RACK, "eve")


async def test_a_host_that_is_cut_off_loses_the_phone_in_the_middle_of_a_gesture(
    fleet: Fleet, phone: VirtualPhone, line: Relay
) -> None:
    clock = ShiftedClock()
    member = through(fleet.lab.member("host"), line.address)
    desk = await fleet.host("left", name="desk", at=near(phone), membership=member)
    handle = await take(desk)
    rack = await fleet.host("left", name="rack", at=near(phone), clock=clock)
    await until(lambda: elsewhere(rack, phone))
    swiping = asyncio.create_task(desk.call("swipe", device=handle, **SWIPE))
    await until(lambda: phone.world.injection.down)
    line.hold()
    await make_away(fleet, desk, clock, rack, phone)
    await take(rack, "eve")
    assert touches(phone) == [("down", DESK), ("cancel", DESK)]
    reply = await swiping
    assert "failed" in reply
    assert "Tap" not in reply
    assert "failed" not in await tap(rack, RACK, "eve")
    # The former holder is told, without an engine.
    reply = await tap(desk, DESK, device=handle)
    assert "Your lease of left ended at" in reply
    assert "the host rack has claimed this phone" in reply
    assert "Take a phone again" in reply
    reply = await tap(desk, DESK)
    assert "The host rack has claimed this phone" in reply
    assert touches(phone)[2:] == [("down", RACK), ("up", RACK)]
    line.release()


async def test_what_a_paused_host_had_sent_is_not_done_for_a_former_holder(
    fleet: Fleet, phone: VirtualPhone, line: Relay, way: Relay
) -> None:
    clock = ShiftedClock()
    member = through(fleet.lab.member("host"), line.address)
    desk = await fleet.host("left", name="desk", at=at(way), membership=member)
    handle = await take(desk)
    assert "failed" not in await tap(desk, DESK, device=handle)
    rack = await fleet.host("left", name="rack", at=near(phone), clock=clock)
    await until(lambda: elsewhere(rack, phone))
    way.hold()
    line.hold()
    tapping = asyncio.create_task(tap(desk, DESK, device=handle))
    await until(lambda: way.held)
    await make_away(fleet, desk, clock, rack, phone)
    await take(rack, "eve")
    assert "failed" not in await tap(rack, RACK, "eve")
    way.release()
    assert "failed" in await tapping
    await until(lambda: elsewhere(desk, phone, way))
    assert "failed" not in await tap(rack, RACK, "eve")
    assert [where for what, where in touches(phone) if what == "down"] == [DESK, RACK, RACK]
    line.release()


async def test_an_engine_that_has_lost_its_rows_takes_no_phone_from_its_holder(
    fleet: Fleet, phone: VirtualPhone, tmp_path: Path
) -> None:
    lab, clock = fleet.lab, ShiftedClock()
    store = lab.folder.node(1) / "store"
    lab.kill(1)
    shutil.copytree(store, tmp_path / "before")
    lab.start(1)
    desk = await fleet.host("left", name="desk", at=near(phone), clock=clock)
    handle = await take(desk)
    accepted = phone.files.read(CLAIM_FILE).decode().split()[1]
    assert accepted == f"1:{desk.id}:desk"
    # The store is as it was before the claim.
    lab.kill(1)
    shutil.rmtree(store)
    shutil.copytree(tmp_path / "before", store)
    lab.start(1)
    rack = await fleet.host("left", name="rack", at=near(phone))
    await until(lambda: elsewhere(rack, phone))
    assert not await has_row(desk)
    assert "failed" in await rack.call("take_phone", "eve")
    clock.shift += 60

    async def is_written_again() -> bool:
        desk.claims.changes.tell()
        return await has_row(desk)

    await until_true(is_written_again)
    assert "failed" not in await tap(desk, DESK, device=handle)
    assert phone.files.read(CLAIM_FILE).decode().split()[1] == accepted


async def test_a_helper_that_restarts_knows_its_host(fleet: Fleet, phone: VirtualPhone) -> None:
    desk = await fleet.host("left", name="desk", at=near(phone))
    handle = await take(desk)
    accepted = phone.files.read(CLAIM_FILE).decode().split()[1]
    assert phone.kill("handheld") == 1
    async with asyncio.timeout(HANG):
        while "failed" in await tap(desk, DESK, device=handle):
            pass
    assert phone.files.read(CLAIM_FILE).decode().split()[1] == accepted
    assert touches(phone)[-2:] == [("down", DESK), ("up", DESK)]


async def test_a_host_without_its_engine_goes_on_with_the_phones_that_it_had(
    fleet: Fleet, phone: VirtualPhone, line: Relay
) -> None:
    member = through(fleet.lab.member("host"), line.address)
    async with fleet.open_host("left", name="desk", at=near(phone), membership=member) as desk:
        await take(desk)
        line.hold()
    accepted = phone.files.read(CLAIM_FILE).decode().split()[1]
    again = fleet.open_host(
        "left", "new", name="desk", at=near(phone), membership=member, engine=False
    )
    async with again as desk:
        handle = await take(desk)
        assert "failed" not in await tap(desk, DESK, device=handle)
        assert phone.files.read(CLAIM_FILE).decode().split()[1] == accepted
        # One that it has never claimed is served, but nobody is promised to have it alone.
        assert "failed" not in await tap(desk, DESK, device="new")
        reply = await desk.call("take_phone", slug="new")
        assert "new cannot be leased: its host has not claimed it yet." in reply
        line.release()
        handle = await take(desk, slug="new")
        assert "failed" not in await tap(desk, DESK, device=handle)


async def test_a_host_that_ends_lets_the_other_have_the_phone(
    fleet: Fleet, phone: VirtualPhone
) -> None:
    async with fleet.open_host("left", name="desk", at=near(phone)) as desk:
        await take(desk)
        rack = await fleet.host("left", name="rack", at=near(phone))
        await until(lambda: elsewhere(rack, phone))
    await take(rack)
    assert "failed" not in await tap(rack, RACK)


async def test_a_phone_of_another_fleet_is_left_to_it(
    fleet: Fleet, phone: VirtualPhone, tmp_path: Path
) -> None:
    """Neither engine knows of the other: the phone does."""
    desk = await fleet.host("left", name="desk", at=near(phone))
    handle = await take(desk)
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "other")
        stack.callback(lab.close)
        await lab.set_up()
        other = Fleet(lab, tmp_path, stack)
        rack = await other.host("left", name="rack", at=near(phone))
        await until(lambda: elsewhere(rack, phone))
        for _ in range(3):
            reply = await rack.call("take_phone", "eve")
            assert "failed" in reply
            assert "failed" not in await tap(desk, DESK, device=handle)
        assert "The host desk has claimed this phone" in elsewhere(rack, phone)
    assert {where for _, where in touches(phone)} == {DESK}


APP = "com.android.settings"


async def test_a_host_that_lost_a_phone_clears_no_data_on_it(
    fleet: Fleet, phone: VirtualPhone, line: Relay, way: Relay
) -> None:
    """Although it has not noticed yet when the lease that it gave ends."""
    clock = ShiftedClock()
    member = through(fleet.lab.member("host"), line.address)
    options = f'fleet.clear_data = "{APP}"\n'
    desk = await fleet.host("left", name="desk", at=at(way), membership=member, options=options)
    await take(desk)
    assert "given back" in await desk.call("give_back_phone")
    kept = phone.world.apps[APP]
    handle = await take(desk)
    rack = await fleet.host("left", name="rack", at=near(phone), clock=clock)
    await until(lambda: elsewhere(rack, phone))
    way.hold()
    line.hold()
    giving = asyncio.create_task(desk.call("give_back_phone", device=handle))
    await until(lambda: way.held)
    await make_away(fleet, desk, clock, rack, phone)
    await take(rack, "eve")
    way.release()
    assert "given back" in await giving
    assert elsewhere(desk, phone, way)
    assert phone.world.apps[APP] is kept
    line.release()


async def test_an_address_that_leads_to_another_phone_takes_it_from_nobody(
    fleet: Fleet, phone: VirtualPhone, line: Relay, way: Relay
) -> None:
    """Another host has that phone, by a smaller number than we had for ours."""
    member = through(fleet.lab.member("host"), line.address)
    desk = await fleet.host("left", name="desk", at=at(way), membership=member)
    handle = await take(desk)
    assert "failed" not in await tap(desk, DESK, device=handle)
    async with make_phone("other") as other:
        rack = await fleet.host("other", name="rack", at={"other": f"127.0.0.1:{other.port}"})
        await take(rack, "eve")
        line.hold()
        accepted = other.files.read(CLAIM_FILE)
        way.lead_to(EngineNode("localhost", other.port))
        serial = at(way)["left"]
        ours = desk.claims.of(serial)
        ours.claim = Claim(50, desk.id, "desk")

        async def press() -> None:
            while "failed" in await tap(desk, DESK, device=handle):
                pass

        pressing = asyncio.create_task(press())
        await until(lambda: ours.claim is None or pressing.done())
        assert "failed" not in await tap(rack, RACK, "eve", device="other")
        assert other.files.read(CLAIM_FILE) == accepted
        assert touches(other) == [("down", RACK), ("up", RACK)]
        pressing.cancel()
        await asyncio.gather(pressing, return_exceptions=True)
        await way.close()
        line.release()


async def test_a_leased_phone_that_comes_back_by_another_way_is_still_leased(
    fleet: Fleet, phone: VirtualPhone, way: Relay
) -> None:
    ways = {"cable": at(way)["left"], "wifi": near(phone)["left"]}
    desk = await fleet.host("cable", "wifi", name="desk", at=ways)
    gateway = await fleet.gateway("cable")
    await gateway.until(lambda rows: rows["cable"]["state"] == "free")
    assert json.loads(await gateway.call("take_phone"))["phone"] == "cable"
    await way.close()
    await gateway.until(lambda rows: rows.get("wifi", {}).get("state") == "yours")
    assert "failed" not in await gateway.call("tap", x=DESK, y=900)
    assert "is given back" in await gateway.call("give_back_phone")
    assert desk.leases.all() == []
