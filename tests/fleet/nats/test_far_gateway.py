"""A gateway behind a link that loses every packet without a word: to the engine, or to its clients.
It is a program of its own in a network namespace, and so is the engine."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from chaos.clients import HttpTransport, NoAnswer
from chaos.fleet.programs import HANDHELD, member

from handheld_virtual.phone import VirtualPhone
from harness.polling import until, until_true

from .conftest import make_namespace
from .finger import Finger, seen, touches_of
from .fleet_lab import Fleet, open_fleet
from .network import Link, Namespace, Network

pytestmark = pytest.mark.needs_nats

TOKEN = "far-" + "0" * 32
PORT = 8080
"""Free in a namespace of its own."""


class FarGateway:
    """As its clients reach it."""

    def __init__(self, namespace: Namespace) -> None:
        self._http = HttpTransport(PORT, "/mcp", TOKEN, namespace.address)

    async def call(self, name: str, *, token: str = "", **arguments: Any) -> str:
        """All text of a reply, with `failed: ` before that of an error."""
        answer = await self._http.call(f"android_{name}", arguments)
        return f"failed: {answer.text}" if answer.failed else answer.text

    async def phones(self, token: str = "") -> dict[str, dict[str, Any]]:
        return {row["phone"]: row for row in json.loads(await self.call("list_phones"))}

    async def is_there(self) -> bool:
        try:
            await self.phones()
        except (NoAnswer, ValueError):
            return False
        return True

    async def aclose(self) -> None:
        await self._http.aclose()


@pytest.fixture
def place(network: Network) -> Namespace:
    """Of the gateway. Its own link leads to its clients."""
    return make_namespace(network)


@pytest.fixture
async def fleet(server: None, network: Network, tmp_path: Path) -> AsyncGenerator[Fleet]:
    async with open_fleet(tmp_path, namespaces=[make_namespace(network)]) as fleet:
        yield fleet


@pytest.fixture
def to_engine(fleet: Fleet, place: Namespace) -> Link:
    return place.link_to(fleet.lab.namespaces[0].place)


@pytest.fixture
async def gateway(
    fleet: Fleet, place: Namespace, to_engine: Link, tmp_path: Path
) -> AsyncGenerator[FarGateway]:
    home = tmp_path / "gateway"
    home.mkdir()
    async with member(
        *(fleet.lab, "gateway", "front", home),
        command=(*HANDHELD, "gateway", "--host", place.address, "--port", str(PORT)),
        environment={"HANDHELD_TOKEN": TOKEN},
        namespace=place,
    ):
        reached = FarGateway(place)
        await until_true(reached.is_there)
        yield reached
        await reached.aclose()


@pytest.mark.parametrize("how", ["cut", "cut_there", "cut_back", "unplug"])
async def test_a_gateway_that_the_engine_cannot_reach_says_so_and_comes_back_by_itself(
    fleet: Fleet, gateway: FarGateway, to_engine: Link, how: str
) -> None:
    host = await fleet.host("left")
    await seen(gateway, "left", "free")
    finger = Finger(gateway, "left")
    await finger.tap_until_done()
    getattr(to_engine, how)()
    told = [await finger.tap() for _ in range(3)]
    assert all("failed" in reply for reply in told), told
    await seen(gateway, "left", "away")
    assert "The engine is away" in await finger.tap()
    to_engine.mend()
    await finger.tap_until_done()
    await seen(gateway, "left", "free")
    finger.check(touches_of(host.phones["left"]))


async def test_a_call_whose_client_fell_silent_is_done_once(
    fleet: Fleet, gateway: FarGateway, place: Namespace
) -> None:
    """Nobody closed anything: the gateway cannot know, and the client is never told."""
    async with VirtualPhone(serial="V-left") as phone:
        await fleet.host("left", at={"left": f"127.0.0.1:{phone.port}"})
        await seen(gateway, "left", "free")
        swipe: dict[str, Any] = {"x1": 500, "y1": 500, "x2": 600, "y2": 900, "duration": 2000}
        swiping = asyncio.create_task(gateway.call("swipe", device="left", **swipe))
        await until(lambda: touches_of(phone)["500,500"])
        place.link.cut()
        await until(lambda: ("touch", "up") in [(e.kind, e.details[0]) for e in phone.world.events])
        assert not swiping.done()
        swiping.cancel()
        await asyncio.wait([swiping])
        place.link.mend()
        finger = Finger(gateway, "left")
        await finger.tap_until_done()
        assert touches_of(phone) == {"500,500": 1, **dict.fromkeys(finger.told, 1)}
