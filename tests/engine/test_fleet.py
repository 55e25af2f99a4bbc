"""Phones of several hosts through gateways, over a real server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from .fleet_lab import Fleet
from .lab import Lab, until

pytestmark = pytest.mark.needs_nats


@pytest.fixture
async def fleet(server: None, tmp_path: Path) -> AsyncGenerator[Fleet]:
    """On a server of its own: the directory keeps the phones of hosts that are gone."""
    async with AsyncExitStack() as stack:
        lab = Lab(tmp_path / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        yield Fleet(lab, tmp_path, stack)


async def test_a_tap_lands_once_on_the_phone_that_is_named(fleet: Fleet) -> None:
    left, right = await fleet.host("left"), await fleet.host("right")
    gateway = await fleet.gateway("left", "right")
    reply = await gateway.call("tap", device="right", x=500, y=900)
    assert not reply.startswith("failed"), reply
    assert (left.touches("left"), right.touches("right")) == (0, 1)
    reply = await gateway.call("tap", device="V-left", x=500, y=900)
    print(await gateway.phones(), reply)
