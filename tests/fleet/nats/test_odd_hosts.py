"""What a gateway makes of hosts that answer as no Handheld does."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from handheld.fleet.messages import pack_items
from handheld.fleet.nats.calls import CallAnswer, Responder
from handheld.fleet.nats.directory import HostRow, PhoneRow, Registrar
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.wire import EngineWire

from .fleet_lab import Fleet

pytestmark = pytest.mark.needs_nats


TAKEN = '"phone": "odd", "device": "lease-x"'


@asynccontextmanager
async def open_odd_host(fleet: Fleet, reply: str, phone: PhoneRow) -> AsyncGenerator[Registrar]:
    """One that answers every call by `reply`."""

    async def handle(gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken({"clock": 1.0})
        if "name" in frame.head:
            await answer.end(*pack_items([reply]))
        else:
            await answer.end({"clock": 1.0})

    host = EngineWire(fleet.lab.member("host"))
    responder = Responder(host, handle)
    async with host:
        registrar = Registrar(host, HostRow("odd", "1"))
        registrar.set(phone)
        running = asyncio.create_task(registrar.run())
        try:
            yield registrar
        finally:
            running.cancel()
            await responder.close()


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"phone": "odd"}',
        '{"device": "lease-x"}',
        '{"phone": null, "device": "lease-x"}',
        f'{{{TAKEN}, "model": 5}}',
        f'{{{TAKEN}, "api": "34"}}',
        f'{{{TAKEN}, "tags": "lab"}}',
        f'{{{TAKEN}, "seconds_left": "long"}}',
    ],
)
async def test_a_reply_to_take_phone_without_what_belongs_in_it_is_told_so(
    fleet: Fleet, reply: str
) -> None:
    async with open_odd_host(fleet, reply, PhoneRow("V-odd", slug="odd")):
        gateway = await fleet.gateway("odd")
        told = await gateway.call("take_phone", slug="odd")
    assert told == ("failed: The host's reply cannot be read. lease_status lists your leases.")


async def test_a_phone_that_its_host_is_about_to_claim_is_waited_for(fleet: Fleet) -> None:
    claiming = PhoneRow("V-odd", slug="odd", state="claiming")
    async with open_odd_host(fleet, f"{{{TAKEN}}}", claiming) as registrar:
        gateway = await fleet.gateway()
        await gateway.until(lambda rows: rows.get("odd", {}).get("state") == "claiming")
        [row] = json.loads(await gateway.call("list_phones"))
        assert row["state"] == "claiming"
        taking = asyncio.create_task(gateway.call("take_phone", slug="odd"))
        await asyncio.sleep(0)
        registrar.set(PhoneRow("V-odd", slug="odd"))
        assert json.loads((await taking).partition("\n")[0])["device"] == "lease-x"
