"""Helpers left over on the phone by an earlier connection or process."""

import asyncio
import logging
import os
import socket
import subprocess
import sys
from contextlib import aclosing
from typing import Any

import pytest

from driver.conftest import Clients, install
from driver.silent_relay import silent_relay
from handheld.adb.link import LinkLost
from handheld.driver.by_helper.driver import HelperDriver
from handheld.errors import PermissionDenied
from handheld.helper.client import HelperClient
from handheld.helper.holder import is_left_over, this_holder
from handheld.helper.protocol import GREETING, Code, Happened, HelperFailure, encode_failure
from handheld.helper.session import Timing
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.reference_helper import program as reference
from handheld_virtual.sh.process import Process
from handheld_virtual.system.clock import ManualClock as PhoneClock
from harness.manual_clock import ManualClock
from harness.phones import WatchedLink, link_to
from harness.polling import HANG, until

HERE = socket.gethostname()


def ended_pid() -> int:
    """Return the pid of a process that has exited."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def held_by(phone: VirtualPhone, data: dict[str, Any], times: int = 10**6) -> list[int]:
    """Hold the phone for a number of attempts; the list's length is their count."""
    attempts: list[int] = []

    async def program(process: Process) -> int:
        attempts.append(len(attempts))
        if len(attempts) > times:
            return await reference.run(process)
        failure = HelperFailure(Code.IN_USE, "Another Handheld holds this phone.", data=data)
        await process.stdout.write(GREETING + encode_failure(0, failure))
        return 1

    install(phone, program)
    return attempts


@pytest.mark.parametrize(
    ("held", "left_over"),
    [
        ({"host": HERE, "pid": os.getpid(), "client": "a"}, True),
        ({"host": HERE, "pid": os.getpid(), "client": "b"}, False),
        ({"host": HERE, "pid": os.getppid(), "client": "a"}, False),
        ({"host": HERE, "pid": ended_pid(), "client": "b"}, True),
        ({"host": HERE, "pid": 2**40, "client": "b"}, True),
        ({"host": HERE, "pid": 1, "client": "a"}, False),
        ({"host": HERE, "pid": True, "client": "a"}, False),
        ({"host": HERE, "pid": "7", "client": "a"}, False),
        ({"host": HERE + "x", "pid": ended_pid(), "client": "a"}, False),
        ({}, False),
    ],
)
def test_leftover_is_our_own_or_of_a_dead_process(held: dict[str, Any], left_over: bool) -> None:
    assert is_left_over(held, this_holder("a")) is left_over


async def test_leftover_of_a_silent_link_is_awaited(
    caplog: pytest.LogCaptureFixture, clock: ManualClock
) -> None:
    """The phone does not notice a lost Wi-Fi: its helper runs on for 20 s."""
    caplog.set_level(logging.INFO, "handheld")
    phone_clock = PhoneClock()
    async with (
        VirtualPhone(clock=phone_clock) as phone,
        silent_relay(phone.port) as relay,
        link_to(relay) as far,
        link_to(phone) as direct,
    ):
        near = WatchedLink(direct)
        async with (
            aclosing(HelperClient(far)) as before,
            aclosing(HelperClient(near, clock=clock)) as after,
        ):
            await before.call("screen", budget_ms=5000)
            relay.cut()
            waiting = asyncio.create_task(after.call("screen", budget_ms=5000))
            for pause in (0.05, 0.1, 0.2, 0.4, 0.8):
                await clock.until_waits_only(pause)
                assert "earlier helper" not in caplog.text
                await clock.advance(pause)
            await clock.until_waits_only(1)
            assert near.starts == 6
            assert "waiting for that" in caplog.text
            [left] = phone.processes.find("handheld")
            await phone_clock.advance(20_000)
            await until(lambda: left not in phone.processes.all())
            await clock.advance(1)
            async with asyncio.timeout(HANG):
                await waiting
    [line] = [record.message for record in caplog.records if "earlier helper" in record.message]
    assert line == (
        f"An earlier helper (pid {os.getpid()} of this machine) still holds {near.serial}. "
        "It ends by itself, within 25 s: waiting for that."
    )


async def test_leftover_of_a_crashed_local_process_is_awaited(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    attempts = held_by(phone, {"host": HERE, "pid": ended_pid(), "client": "serve"}, times=3)
    call = asyncio.create_task(clients(clock=clock).call("screen", budget_ms=5000))
    for pause in (0.05, 0.1, 0.2):
        await clock.until_waits_only(pause)
        await clock.advance(pause)
    await call
    assert len(attempts) == 4


@pytest.mark.parametrize(
    "holder",
    [
        {"host": HERE, "pid": os.getppid(), "client": "suite"},
        {"host": "elsewhere", "pid": ended_pid(), "client": "suite"},
    ],
    ids=["it runs", "another machine"],
)
async def test_another_handheld_is_reported_immediately(
    phone: VirtualPhone, clients: Clients, holder: dict[str, Any]
) -> None:
    attempts = held_by(phone, holder)
    with pytest.raises(PermissionDenied) as caught:
        await HelperDriver(clients()).press("home")
    assert len(attempts) == 1
    assert caught.value.message == (
        f"Another Handheld holds this phone: suite, pid {holder['pid']} on {holder['host']}. "
        "Stop it, or use the phone through it."
    )


async def test_leftover_that_stays_becomes_an_error(
    phone: VirtualPhone, clients: Clients, clock: ManualClock
) -> None:
    pid = ended_pid()
    attempts = held_by(phone, {"host": HERE, "pid": pid, "client": "suite"})
    pressing = asyncio.create_task(HelperDriver(clients(clock=clock)).press("home"))
    # Time passes only between two attempts, not while a helper starts.
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, *[1.0] * 24):
        await clock.until_waits_only(pause)
        assert clock.now() < 25
        await clock.advance(pause)
    with pytest.raises(PermissionDenied) as caught:
        await pressing
    assert caught.value.message == (
        f"An earlier helper (started by pid {pid} of this machine) holds the phone and has not "
        "ended within 25 s. Restart the phone if it stays so."
    )
    assert len(attempts) == 30


@pytest.mark.parametrize("act", [True, False])
async def test_dead_stream_is_closed_and_the_next_call_opens_another(
    phone: VirtualPhone, link: WatchedLink, clients: Clients, clock: ManualClock, act: bool
) -> None:
    client = clients(timing=Timing(grace_ms=50, backoff_seconds=(0.0,)), clock=clock)
    await client.call("screen", budget_ms=5000)
    phone.faults.stall("shell*")
    call = asyncio.create_task(client.call("press", {"button": "home"}, budget_ms=50, act=act))
    await clock.until_waits(0.1)
    await clock.advance(0.1)
    with pytest.raises(HelperFailure) as caught:
        await call
    assert caught.value.code is Code.OUT_OF_TIME
    assert (caught.value.happened is Happened.MAYBE) is act
    phone.faults.clear("stall")
    assert (await client.call("press", {"button": "home"}, budget_ms=5000, act=True)).reply == {}
    assert link.starts == 2
    await until(lambda: len(phone.processes.find("handheld")) == 1)


async def test_phone_lost_during_the_start_is_no_helper_failure(
    phone: VirtualPhone, client: HelperClient
) -> None:
    async def vanish(process: Process) -> int:
        phone.faults.drop_link()
        while await process.stdin.read():
            pass
        return 0

    install(phone, vanish)
    with pytest.raises(LinkLost):
        await client.call("screen", budget_ms=5000)
