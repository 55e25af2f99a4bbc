"""An admitted host that attacks its neighbours: it has a credential and writes whatever the engine
lets it, at any time. It does not reach their phones."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from handheld.engine.kv import Kv
from handheld.engine.names import CLAIMS, phone_id
from handheld.engine.wire import Wire, WireError
from handheld.helper.protocol import CLAIM_FILE
from polling import until_true

from .fleet_lab import Fleet, Gateway, Host, ShiftedClock
from .lab import Lab

pytestmark = pytest.mark.needs_nats

TAP: dict[str, Any] = {"x": 100, "y": 900}
PHONE = phone_id("V-right1")


@pytest.fixture(params=[1, 3], ids=["one node", "three nodes"])
async def fleet(
    server: None, request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncGenerator[Fleet]:
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "engine", nodes=request.param)
        stack.callback(lab.close)
        await lab.set_up()
        yield Fleet(lab, tmp_path, stack)


@pytest.fixture
async def right(fleet: Fleet) -> Host:
    """The neighbour."""
    return await fleet.host("right1", name="right", clock=ShiftedClock())


@pytest.fixture
async def gateway(fleet: Fleet, right: Host) -> Gateway:
    return await fleet.gateway("right1")


@pytest.fixture
async def evil(fleet: Fleet, gateway: Gateway) -> Wire:
    """The hostile host, which comes last."""
    [wire] = await fleet.stack.enter_async_context(fleet.lab.wires(fleet.lab.member("host")))
    return wire


async def write(wire: Wire, subject: str, data: bytes) -> bool:
    """Whether the engine has stored it."""
    try:
        answer = json.loads((await wire.request(subject, b"0" * 16 + b" " + data, 60)).data)
    except WireError:
        return False
    return "error" not in answer


async def test_it_cannot_end_a_lease_by_a_claim(
    fleet: Fleet, gateway: Gateway, evil: Wire, right: Host
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


async def test_it_does_not_learn_of_a_lease(gateway: Gateway, evil: Wire, right: Host) -> None:
    await gateway.call("take_phone", slug="right1")
    with pytest.raises(WireError):
        await Kv(evil, CLAIMS).read_all()
    for subject in (
        f"$JS.API.DIRECT.GET.KV_phones.$KV.phones.{right.id}.{PHONE}",
        "$JS.API.DIRECT.GET.KV_phones",
        "$JS.API.STREAM.MSG.GET.KV_phones",
        "$JS.API.DIRECT.GET.AUDIT",
        "$JS.API.STREAM.MSG.GET.AUDIT",
    ):
        with pytest.raises(WireError):
            await evil.request(subject, b"{}", 60)
    # Of claims it reads which phones a host has, and nothing of their leases.
    row = await Kv(evil, CLAIMS).get_latest(right.id)
    assert row is not None
    assert json.loads(row.value) == [PHONE]
