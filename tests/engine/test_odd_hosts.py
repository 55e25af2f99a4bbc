"""What a gateway makes of hosts that answer as no Handheld does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from handheld.engine.calls import Answer, Responder
from handheld.engine.directory import HostRow, PhoneRow, Registrar
from handheld.engine.frames import Frame
from handheld.engine.wire import Wire
from handheld.fleet.messages import pack_items

from .fleet_lab import Fleet
from .lab import Lab

pytestmark = pytest.mark.needs_nats


@pytest.fixture
async def fleet(server: None, tmp_path: Path) -> AsyncGenerator[Fleet]:
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        yield Fleet(lab, tmp_path, stack)


TAKEN = '"phone": "odd", "device": "lease-x"'


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
    async def handle(gateway: str, frame: Frame, answer: Answer) -> None:
        await answer.taken({"clock": 1.0})
        if "name" in frame.head:
            await answer.end(*pack_items([reply]))
        else:
            await answer.end({"clock": 1.0})

    host = Wire(fleet.lab.member("host"))
    responder = Responder(host, handle)
    async with host:
        registrar = Registrar(host, HostRow("odd", "1"))
        registrar.set(PhoneRow("V-odd", slug="odd"))
        running = asyncio.create_task(registrar.run())
        try:
            gateway = await fleet.gateway("odd")
            told = await gateway.call("take_phone", slug="odd")
        finally:
            running.cancel()
            await responder.close()
    assert told == ("failed: The host's reply cannot be read. lease_status tells what you have.")
