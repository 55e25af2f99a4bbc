"""Hosts behind a link that loses every packet without a word: each host is a program of its own in
a network namespace, with a phone that nobody else reaches, or one that two of them do."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chaos.fleet.phones import make_phone
from chaos.fleet.programs import HANDHELD, phones
from chaos.programs import ended

from harness.polling import HANG, until, until_true

from .conftest import make_namespace
from .finger import IN_DOUBT, Finger, seen
from .fleet_lab import Fleet, open_fleet
from .network import Namespace, Network

pytestmark = pytest.mark.needs_nats


@pytest.fixture
def left(network: Network) -> Namespace:
    return make_namespace(network)


@pytest.fixture
def right(network: Network) -> Namespace:
    return make_namespace(network)


@pytest.fixture
async def fleet(
    server: None, network: Network, left: Namespace, tmp_path: Path
) -> AsyncGenerator[Fleet]:
    """Its engine is where the namespaces reach it, and its gateways are here."""
    async with open_fleet(tmp_path, host=network.address) as fleet:
        yield fleet


@dataclass
class FarHost:
    program: Process
    address: str
    """Of its phone, in its namespace."""
    journal: Path

    def touches(self) -> Counter[str]:
        """Where fingers were put down, and how often."""
        return touches(self.journal)

    def stop(self) -> None:
        """Until it goes on, what comes for it waits in its socket."""
        self.program.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.program.pid, os.WSTOPPED | os.WNOWAIT)

    def go_on(self) -> None:
        self.program.send_signal(signal.SIGCONT)

    @property
    def runs(self) -> bool:
        return self.program.returncode is None


def touches(journal: Path) -> Counter[str]:
    # The last line may be half written.
    lines = journal.read_text(encoding="utf-8").split("\n")[:-1]
    return Counter(point for _, _, point in map(json.loads, lines))


@asynccontextmanager
async def open_far_host(
    fleet: Fleet, namespace: Namespace, name: str, at: str = ""
) -> AsyncGenerator[FarHost]:
    """It joins from there. Its phone is `at` that address, or else on the loopback there."""
    home = fleet.lab.folder.path.parent / name
    home.mkdir()
    journal = home / "touches"
    async with AsyncExitStack() as stack:
        slug = "pad" if at else name
        if not at:
            journal.touch()
            phone = phones([name], journal, home, namespace.inside)
            at = f"127.0.0.1:{(await stack.enter_async_context(phone))[name]}"
        (home / "handheld.toml").write_text(f'[phones."{at}"]\nslug = "{slug}"\n', "utf-8")
        shown: asyncio.Queue[str] = asyncio.Queue()
        admitting = asyncio.create_task(
            fleet.lab.administration.admit("host", name, "main", shown.put_nowait)
        )
        with (home / "log").open("wb") as log:
            program = await asyncio.create_subprocess_exec(
                *(*namespace.inside, sys.executable, *HANDHELD, "host", "--join", "-"),
                *("--port", "0"),
                env={**os.environ, "HANDHELD_HOME": str(home), "ANDROID_ADB_SERVER_PORT": "1"},
                stdin=PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        await stack.enter_async_context(ended(program))
        assert program.stdin is not None
        async with asyncio.timeout(HANG):
            program.stdin.write((await shown.get()).encode() + b"\n")
            program.stdin.close()
            assert await admitting
        yield FarHost(program, at, journal)


@pytest.mark.parametrize("how", ["cut", "cut_there", "cut_back"])
async def test_packets_vanish_without_a_word_on_a_link_that_is_cut(
    left: Namespace, right: Namespace, how: str
) -> None:
    async def knock(at: Namespace) -> None:
        """Where nobody listens."""
        with pytest.raises(ConnectionRefusedError):
            async with asyncio.timeout(HANG):
                await asyncio.open_connection(at.address, 9)

    await knock(left)
    getattr(left.link, how)()
    knocking = asyncio.create_task(knock(left))
    for _ in range(10):
        await knock(right)
    assert not knocking.done()
    left.link.mend()
    await knocking


async def test_a_call_acts_on_a_phone_that_only_its_host_can_reach(
    fleet: Fleet, left: Namespace
) -> None:
    async with open_far_host(fleet, left, "left") as host:
        gateway = await fleet.gateway()
        await seen(gateway, "left", "free")
        port = int(host.address.partition(":")[2])
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(left.address, port)
        assert "Tap executed" in await gateway.call("tap", device="left", x=100, y=900)
        assert host.touches() == {"100,900": 1}
        shown = await gateway.call("get_screen_state", device="left")
        assert "Pad" in shown


async def test_a_call_whose_packets_were_lost_is_done_once_when_they_are_repeated(
    fleet: Fleet, left: Namespace
) -> None:
    """The connection lives on: what was lost comes late, by TCP."""
    async with open_far_host(fleet, left, "left") as host:
        finger = Finger(await fleet.gateway(), "left")
        await seen(finger.gateway, "left", "free")
        await finger.tap_until_done()
        port = fleet.lab.plan.nodes[0].port

        async def lose_a_tap() -> None:
            left.link.cut()
            tapping = asyncio.create_task(finger.tap())
            await until(lambda: left.unacknowledged(port) or tapping.done())
            left.link.mend()
            await tapping
            await until(lambda: not left.unacknowledged(port))

        for _ in range(3):
            await lose_a_tap()
        await finger.tap_until_done()
        finger.check(host.touches())


async def test_calls_while_the_link_is_down_are_answered_and_never_done_twice(
    fleet: Fleet, left: Namespace
) -> None:
    async with open_far_host(fleet, left, "left") as host:
        gateway = await fleet.gateway()
        await seen(gateway, "left", "free")
        finger = Finger(gateway, "left")
        await finger.tap_until_done()
        # One that runs when the link goes down.
        swipe: dict[str, Any] = {"x1": 500, "y1": 500, "x2": 600, "y2": 900, "duration": 6000}
        swiping = asyncio.create_task(gateway.call("swipe", device="left", **swipe))
        await until(lambda: host.touches()["500,500"])
        left.link.cut()
        async with asyncio.timeout(HANG):
            replies = await asyncio.gather(swiping, *(finger.tap() for _ in range(3)))
            assert "failed: " not in await gateway.call("list_phones")
        assert all("The host left does not answer" in reply for reply in replies)
        assert IN_DOUBT in replies[0]
        left.link.mend()
        await finger.tap_until_done()
        # What the engine had sent into the dead connection arrives at last, where nobody takes it.
        port = fleet.lab.plan.nodes[0].port
        await until(lambda: not left.unacknowledged(port))
        await finger.tap_until_done()
        finger.check(host.touches())
        assert host.touches()["500,500"] == 1
        assert host.runs


@pytest.mark.parametrize("how", ["cut", "cut_there", "cut_back", "unplug"])
async def test_a_host_without_a_link_is_away_and_comes_back_by_itself(
    fleet: Fleet, left: Namespace, how: str
) -> None:
    async with open_far_host(fleet, left, "left") as host:
        gateway = await fleet.gateway()
        await seen(gateway, "left", "free")
        finger = Finger(gateway, "left")
        await finger.tap_until_done()
        getattr(left.link, how)()
        await seen(gateway, "left", "away")
        assert "failed" in await finger.tap()
        assert "failed" in await finger.tap(device=None)
        left.link.mend()
        await seen(gateway, "left", "free")
        await finger.tap_until_done()
        finger.check(host.touches())
        assert host.runs


async def test_a_lease_outlasts_the_link_and_nobody_else_gets_the_phone(
    fleet: Fleet, left: Namespace
) -> None:
    async with open_far_host(fleet, left, "left") as host:
        gateway = await fleet.gateway()
        await seen(gateway, "left", "free")
        handle = json.loads(await gateway.call("take_phone", slug="left"))["device"]
        holder, other = Finger(gateway, handle), Finger(gateway, "left", "eve", 200)
        assert "failed" not in await holder.tap()
        assert "failed" in await other.tap()
        left.link.cut()
        refused = [await other.tap(), await gateway.call("take_phone", token="eve", slug="left")]
        await seen(gateway, "left", "away")
        assert "It may have a lease of yours." in await gateway.call("lease_status")
        refused += [await other.tap(), await gateway.call("take_phone", token="eve", slug="left")]
        left.link.mend()
        await seen(gateway, "left", "leased", token="eve")
        refused += [await other.tap(), await gateway.call("take_phone", token="eve", slug="left")]
        assert all("failed" in reply for reply in refused), refused
        await holder.tap_until_done()
        [lease] = json.loads((await gateway.call("lease_status")).partition("\n")[0])
        assert (lease["phone"], lease["device"]) == ("left", handle)
        touched = host.touches()
        holder.check(touched)
        assert not touched.keys() & other.told.keys()


async def test_hosts_that_are_cut_off_at_different_times_do_not_disturb_each_other(
    fleet: Fleet, left: Namespace, right: Namespace
) -> None:
    async with (
        open_far_host(fleet, left, "left") as one,
        open_far_host(fleet, right, "right") as two,
    ):
        gateway = await fleet.gateway()
        await asyncio.gather(*(seen(gateway, each, "free") for each in ("left", "right")))
        at_left, at_right = Finger(gateway, "left"), Finger(gateway, "right")

        async def tap() -> tuple[bool, bool]:
            """Whether it was done, of both at a time."""
            told = await asyncio.gather(at_left.tap(), at_right.tap())
            return "failed" not in told[0], "failed" not in told[1]

        await asyncio.gather(at_left.tap_until_done(), at_right.tap_until_done())
        left.link.cut()
        assert await tap() == (False, True)
        right.link.unplug()
        assert await tap() == (False, False)
        left.link.mend()
        await at_left.tap_until_done()
        assert await tap() == (True, False)
        right.link.mend()
        await at_right.tap_until_done()
        assert await tap() == (True, True)
        at_left.check(one.touches())
        at_right.check(two.touches())
        assert one.runs
        assert two.runs


async def test_a_phone_of_two_hosts_goes_to_the_other_when_its_host_falls_silent(
    fleet: Fleet, network: Network, left: Namespace, right: Namespace, tmp_path: Path
) -> None:
    """The phone is here, as one on Wi-Fi is that both can reach: a host that is cut off reaches
    neither it nor the engine, and what it had sent comes when another has the phone."""
    journal_file = tmp_path / "touches"
    async with AsyncExitStack() as stack:
        journal = stack.enter_context(journal_file.open("a", encoding="utf-8", buffering=1))
        phone = make_phone("pad", journal)
        await phone.start(network.address)
        stack.push_async_callback(phone.aclose)
        desk = await stack.enter_async_context(open_far_host(fleet, left, "desk", phone.address))
        gateway = await fleet.gateway()
        await seen(gateway, "pad", "free")
        handle = json.loads(await gateway.call("take_phone"))["device"]
        await stack.enter_async_context(open_far_host(fleet, right, "rack", phone.address))
        former, holder = Finger(gateway, handle), Finger(gateway, "pad", "eve", 200)
        assert "failed" not in await former.tap()
        # The host has the call, and sends the touch when nothing gets through any more.
        desk.stop()
        tapping = asyncio.create_task(former.tap())
        await until(lambda: left.unread(fleet.lab.plan.nodes[0].port) or tapping.done())
        left.link.cut()
        desk.go_on()
        await until(lambda: left.unsent(phone.port))
        async with asyncio.timeout(HANG):
            while "failed" in await gateway.call("take_phone", token="eve"):
                assert "failed" in await former.tap()
        before = touches(journal_file)
        assert "failed" not in await holder.tap()
        assert "failed" in await tapping
        left.link.mend()

        async def is_told() -> bool:
            if "Your lease of pad ended" in (told := await former.tap()):
                assert "the host rack has claimed this phone" in told
                return True
            assert "failed" in told
            assert "failed" not in await holder.tap()
            return False

        await until_true(is_told)
        assert "failed" not in await holder.tap()
        # What it had sent has arrived, long after.
        await until(lambda: not left.unsent(phone.port))
        after = touches(journal_file)
        former.check(after)
        holder.check(after)
        # Nothing of the former holder came after the new one was told.
        assert after - before == Counter(holder.told.keys())
