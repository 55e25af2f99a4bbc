"""Engine nodes that lose each other while everybody still reaches them: three servers in network
namespaces, with links on which packets vanish."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from handheld.fleet.nats.wire import Membership
from harness.polling import until, until_true

from .finger import Finger, seen, touches_of
from .fleet_lab import Fleet, make_phone, open_fleet
from .lab import through
from .network import Mesh, Network, NoNamespaces

pytestmark = pytest.mark.needs_nats


@pytest.fixture
def mesh(network: Network) -> Mesh:
    """Of the nodes."""
    try:
        return network.mesh(3)
    except NoNamespaces as why:
        pytest.skip(str(why))


@pytest.fixture
async def fleet(server: None, mesh: Mesh, tmp_path: Path) -> AsyncGenerator[Fleet]:
    async with open_fleet(tmp_path, nodes=3, namespaces=mesh.namespaces) as fleet:
        yield fleet


def at(fleet: Fleet, number: int, role: str) -> Membership:
    """A member that knows this node alone."""
    return through(fleet.lab.member(role), fleet.lab.plan.nodes[number - 1].address)


async def test_calls_over_a_split_are_answered_and_done_once_at_most(
    fleet: Fleet, mesh: Mesh
) -> None:
    """What a node had sent into the dead route arrives when it is mended, where nobody takes it."""
    host = await fleet.host("left", membership=at(fleet, 1, "host"))
    gateway = await fleet.gateway("left", membership=at(fleet, 2, "gateway"))
    finger = Finger(gateway, "left")
    await finger.tap_until_done()
    mesh.cut_off(1)
    told = await asyncio.gather(*(finger.tap() for _ in range(5)))
    assert all("does not answer" in reply for reply in told), told
    mesh.mend()
    await finger.tap_until_done()
    finger.check(touches_of(host.phones["left"]))


@pytest.mark.parametrize("away", [1, 2, 3])
async def test_two_nodes_of_three_go_on_without_the_third(
    fleet: Fleet, mesh: Mesh, away: int
) -> None:
    """Whichever led the tables."""
    here, there = {1, 2, 3} - {away}
    host = await fleet.host("left", membership=at(fleet, here, "host"))
    gateway = await fleet.gateway("left", membership=at(fleet, there, "gateway"))
    finger = Finger(gateway, "left")
    await finger.tap_until_done()
    mesh.cut_off(away)
    assert "failed" not in await finger.tap()
    assert "failed" not in await gateway.call("take_phone")
    # Its row in the directory is written by the two.
    await seen(gateway, "left", "leased", token="eve")
    assert "failed" not in await finger.tap()
    finger.check(touches_of(host.phones["left"]))


async def test_members_of_a_node_that_is_alone_go_on_with_each_other(
    fleet: Fleet, mesh: Mesh
) -> None:
    """Without the tables: a phone that is named is used, though nobody can say who is there."""
    host = await fleet.host("left", membership=at(fleet, 1, "host"))
    gateway = await fleet.gateway("left", membership=at(fleet, 1, "gateway"))
    handle = json.loads(await gateway.call("take_phone"))["device"]
    holder, other = Finger(gateway, handle), Finger(gateway, "left", "eve", 200)
    mesh.cut()
    await seen(gateway, "left", "away")
    assert "failed" not in await holder.tap()
    assert "failed" in await other.tap()
    mesh.mend()
    await seen(gateway, "left", "leased", token="eve")
    assert "failed" not in await holder.tap()
    assert "failed" in await other.tap()
    holder.check(touches_of(host.phones["left"]))
    other.check(touches_of(host.phones["left"]))


async def test_a_phone_that_hosts_on_both_sides_reach_never_has_two_holders(
    fleet: Fleet, mesh: Mesh
) -> None:
    """The host that is alone works on until another has claimed the phone, of which the phone
    itself tells it."""
    async with make_phone("pad") as phone:
        place = {"pad": f"127.0.0.1:{phone.port}"}
        await fleet.host("pad", name="desk", at=place, membership=at(fleet, 1, "host"))
        here = await fleet.gateway("pad", membership=at(fleet, 1, "gateway"))
        handle = json.loads(await here.call("take_phone"))["device"]
        rack = await fleet.host("pad", name="rack", at=place, membership=at(fleet, 2, "host"))
        there = await fleet.gateway("pad", membership=at(fleet, 2, "gateway"))
        await until(lambda: rack.claims.of(place["pad"]).elsewhere)
        former, holder = Finger(here, handle), Finger(there, "pad", "eve", 200)
        mesh.cut_off(1)
        assert "failed" not in await former.tap()
        done: list[str] = []

        async def is_taken() -> bool:
            if "failed" not in await there.call("take_phone", token="eve"):
                return True
            done.append(await former.tap())
            return False

        await until_true(is_taken)
        assert any("failed" not in reply for reply in done)
        before = touches_of(phone)
        assert "failed" not in await holder.tap()
        assert "the host rack has claimed this phone" in await former.tap()
        assert "failed" not in await holder.tap()
        mesh.mend()
        assert "failed" in await former.tap()
        assert "failed" not in await holder.tap()
        after = touches_of(phone)
        former.check(after)
        holder.check(after)
        # Nothing of the former holder came after the new one was told.
        assert after - before == Counter(holder.told.keys())


async def test_members_go_to_the_other_nodes_when_one_that_is_alone_is_stopped(
    fleet: Fleet, mesh: Mesh
) -> None:
    host = await fleet.host("left")
    finger = Finger(await fleet.gateway("left"), "left")
    await finger.tap_until_done()
    alone = 1 + fleet.lab.plan.addresses.index(host.wire.server)
    mesh.cut_off(alone)
    fleet.lab.kill(alone)
    await finger.tap_until_done()
    finger.check(touches_of(host.phones["left"]))
