"""An admitted host that attacks its neighbours: it has a credential and writes whatever the engine
lets it, at any time. It does not reach their phones."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from handheld.access.approval import MOST_QUESTIONS
from handheld.fleet.messages import _ASKED
from handheld.fleet.nats.directory import HostRow, LeaseRow, PhoneRow, Registrar
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import CLAIMS, HOSTS, PHONES, ROOM, RULES, SLOTS, phone_id, slot_of
from handheld.fleet.nats.wire import EngineWire, WireFault
from handheld.helper.protocol import CLAIM_FILE
from harness.polling import until_true

from .fleet_lab import Fleet, Gateway, Host, ShiftedClock, open_fleet
from .lab import until

pytestmark = pytest.mark.needs_nats

TAP: dict[str, Any] = {"x": 100, "y": 900}
PHONE = phone_id("V-right1")
QUESTION = {**dict.fromkeys(_ASKED, "x"), "arguments": {}}
GONE = {"KV-Operation": "DEL"}


@pytest.fixture(params=[1, 3], ids=["one node", "three nodes"])
async def fleet(
    server: None, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncGenerator[Fleet]:
    async with open_fleet(tmp_path, nodes=request.param) as fleet:
        yield fleet


@pytest.fixture
async def right(fleet: Fleet) -> Host:
    """The neighbour."""
    return await fleet.host("right1", name="right", clock=ShiftedClock())


@pytest.fixture
async def gateway(fleet: Fleet, right: Host) -> Gateway:
    return await fleet.gateway("right1")


@pytest.fixture
async def evil(fleet: Fleet, gateway: Gateway) -> EngineWire:
    """The hostile host, which comes last."""
    [wire] = await fleet.stack.enter_async_context(fleet.lab.wires(fleet.lab.member("host")))
    return wire


def right_serial(right: Host) -> str:
    return f"127.0.0.1:{right.phones['right1'].port}"


async def write(wire: EngineWire, subject: str, data: bytes) -> bool:
    """Whether the engine has stored it."""
    try:
        answer = json.loads((await wire.request(subject, b"0" * 16 + b" " + data, 60)).data)
    except WireFault:
        return False
    return "error" not in answer


async def test_it_cannot_end_a_lease_by_a_claim(
    fleet: Fleet, gateway: Gateway, evil: EngineWire, right: Host
) -> None:
    handle = json.loads(await gateway.call("take_phone", slug="right1"))["device"]
    accepted = right.phones["right1"].files.read(CLAIM_FILE)
    claim = json.dumps([evil.id, "evil", 2**40]).encode()
    for key in (PHONE, f"{PHONE}.{evil.id}", right.id, f"{right.id}.{PHONE}", evil.id):
        await write(evil, f"$KV.claims.{key}", claim)
    # Its own row it may write: nobody asks for it, because the phone does not name it.
    await Kv(evil, CLAIMS).put(evil.id, json.dumps([PHONE]).encode())

    # The host looks at the table again and again: also after this, once its row is back.
    async with fleet.lab.wires(fleet.lab.admin()) as [admin]:
        rows = Kv(admin, CLAIMS)
        await rows.delete(right.id)

        async def is_written_again() -> bool:
            assert isinstance(right.clock, ShiftedClock)
            right.clock.shift += 1
            right.claims.changes.tell()
            assert "failed" not in await gateway.call("tap", device=handle, **TAP)
            return await rows.get(right.id) is not None

        await until_true(is_written_again)
    assert [lease.handle for lease in right.leases.all()] == [handle]
    assert right.phones["right1"].files.read(CLAIM_FILE).split()[1] == accepted.split()[1]


async def pretend(
    wire: EngineWire, gateway: Gateway, *phones: PhoneRow, name: str = "evil"
) -> None:
    """Have these phones, as far as the directory tells."""
    registrar = Registrar(wire, HostRow(name, "1", rules=RULES))
    for phone in phones:
        registrar.set(phone)
    running = asyncio.create_task(registrar.run())
    known = gateway.surface.phones
    try:
        await until(lambda: all(known.at(wire.id, each.serial) for each in phones))
        await until(lambda: gateway.surface.directory.is_fresh(wire.id))
    finally:
        running.cancel()


@pytest.mark.parametrize("serial", ["", "V-other"], ids=["serial", "slug"])
async def test_it_gets_no_calls_by_the_name_of_another(
    gateway: Gateway, evil: EngineWire, right: Host, serial: str
) -> None:
    [mine] = gateway.surface.phones.all()
    lease = LeaseRow("tests", 1.0, 2.0**37, "ci")
    await pretend(evil, gateway, PhoneRow(serial or mine.serial, slug="right1", lease=lease))
    for name in ("right1", "right/right1"):
        assert "failed" not in await gateway.call("tap", device=name, **TAP)
    assert right.touches("right1") == 2
    # What is not the neighbour's has another name.
    assert sorted(await gateway.phones()) == ["evil/right1", "right1"]
    # It says that it has a lease of ours, of which nobody else has heard.
    refused = await gateway.call("tap", **TAP)
    assert "The directory says that you have leased evil/right1" in refused
    taken = json.loads(await gateway.call("take_phone", slug="right1"))
    assert right.id in taken["device"]
    assert "failed" not in await gateway.call("tap", **TAP)
    assert "right1 is given back" in await gateway.call("give_back_phone")
    assert right.touches("right1") == 3


async def test_a_name_that_another_host_has_instead_is_not_used_without_a_word(
    fleet: Fleet, evil: EngineWire, right: Host, gateway: Gateway
) -> None:
    assert "failed" not in await gateway.call("tap", device="right1", **TAP)
    await pretend(evil, gateway, PhoneRow("V-other", slug="right1"))
    async with fleet.lab.wires(fleet.lab.admin()) as [admin]:
        await admin.request(
            f"$KV.phones.{right.id}.{slot_of(phone_id(right_serial(right)))}", b"", 60, GONE
        )
    await until(lambda: len(gateway.surface.phones.named("right1")) == 1)
    for call in (
        gateway.call("tap", device="right1", **TAP),
        gateway.call("take_phone", token="bob", slug="right1"),
    ):
        assert await call == (
            "failed: right1 was at the host right, which does not have it now. The host evil has a"
            " phone of that name. Nothing was done. If you mean that one, call again, or name it"
            " evil/right1."
        )


async def test_a_gateway_that_is_started_again_knows_whose_a_name_was(
    fleet: Fleet, right: Host
) -> None:
    member = fleet.lab.member("gateway")
    async with AsyncExitStack() as stack:
        first = await Fleet(fleet.lab, fleet.folder, stack).gateway("right1", membership=member)
        kept = fleet.folder / member.id / "names.json"
        await until(lambda: kept.exists() and "right1" in kept.read_text(encoding="utf-8"))
        [wire] = await fleet.stack.enter_async_context(fleet.lab.wires(fleet.lab.member("host")))
        await pretend(wire, first, PhoneRow("V-other", slug="right1"))
    gateway = await fleet.gateway("right1", membership=member)
    await until(lambda: len(gateway.surface.phones.named("right1")) == 2)
    assert "failed" not in await gateway.call("tap", device="right1", **TAP)
    assert right.touches("right1") == 1


async def test_it_cannot_have_the_name_of_another_host(
    gateway: Gateway, evil: EngineWire, right: Host
) -> None:
    await pretend(evil, gateway, PhoneRow("V-other", slug="mine"), name="right")
    assert "failed" in await gateway.call("tap", device="right/right1", **TAP)
    assert "failed" not in await gateway.call("tap", device=f"{right.id}/right1", **TAP)


async def test_it_fills_its_own_share_alone(
    fleet: Fleet, gateway: Gateway, evil: EngineWire, right: Host
) -> None:
    stored = 0
    for number in range(300):
        keys = (f"claims.p{number:016x}", f"phones.{evil.id}.p{number:016x}", f"tokens.t{number}")
        for key in (*keys, f"claims.{number}.{evil.id}", f"hosts.{evil.id}.{number}"):
            stored += await write(evil, f"$KV.{key}", b"x" * 60_000)
    assert stored == 0
    # What it may write, as large as it may be.
    for bucket in (HOSTS, PHONES, CLAIMS):
        for slot in (f".{slot}" for slot in SLOTS) if bucket is PHONES else ("",):
            key = f"$KV.{bucket.name}.{evil.id}{slot}"
            assert not await write(evil, key, b"x" * (bucket.largest + ROOM))
            assert await write(evil, key, b"x" * bucket.largest)
    async with fleet.lab.wires(fleet.lab.admin()) as [admin]:
        for bucket in (HOSTS, PHONES, CLAIMS):
            answer = await admin.request(f"$JS.API.STREAM.INFO.KV_{bucket.name}", b"", 60)
            info = json.loads(answer.data)
            most = info["config"]["max_bytes"]
            assert info["state"]["bytes"] < most / 100, "a hundred hosts would not have room"
    # Its neighbours claim, and are found.
    await fleet.host("left1", name="left")
    await gateway.until(lambda rows: rows.get("left1", {}).get("state") == "free")
    assert "failed" not in await gateway.call("take_phone", slug="left1")


async def test_it_does_not_ask_in_place_of_others(
    fleet: Fleet, gateway: Gateway, evil: EngineWire, right: Host
) -> None:
    questions = gateway.surface.questions
    for number in range(3 * MOST_QUESTIONS):
        asked = {"run": "r", "question": {**QUESTION, "id": number}, "left": 600}
        await evil.publish(f"hh1.ask.{evil.id}", NatsFrame(asked).encode())
        await evil.publish(f"hh1.ask.{right.id}", NatsFrame(asked).encode())
    mine = {**QUESTION, "id": 1}
    await right.wire.publish(
        f"hh1.ask.{right.id}", NatsFrame({"run": "r", "question": mine, "left": 600}).encode()
    )
    await until(lambda: [each for each in questions.pending() if each["host"] == "right"])
    assert sum(each["host"] != "right" for each in questions.pending()) == MOST_QUESTIONS
    assert sum(each["host"] == "right" for each in questions.pending()) == 1


async def test_it_does_not_learn_of_a_lease(
    gateway: Gateway, evil: EngineWire, right: Host
) -> None:
    await gateway.call("take_phone", slug="right1")
    with pytest.raises(WireFault):
        await Kv(evil, CLAIMS).read_all()
    for subject in (
        f"$JS.API.DIRECT.GET.KV_phones.$KV.phones.{right.id}.{PHONE}",
        "$JS.API.DIRECT.GET.KV_phones",
        "$JS.API.STREAM.MSG.GET.KV_phones",
        "$JS.API.DIRECT.GET.AUDIT",
        "$JS.API.STREAM.MSG.GET.AUDIT",
    ):
        with pytest.raises(WireFault):
            await evil.request(subject, b"{}", 60)
    # Of claims it reads which phones a host has, and nothing of their leases.
    row = await Kv(evil, CLAIMS).get_latest(right.id)
    assert row is not None
    assert json.loads(row.value) == [PHONE]
