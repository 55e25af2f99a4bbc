"""`test_at_most_once` through Debian's adb server, which is killed meanwhile."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from bench.ports import keep_port

from cli.program import ADB_ALONE, need_adb
from handheld.adb.link import AdbError
from handheld.adb.server import AdbServer
from handheld.driver import Driver
from handheld.driver.by_helper.driver import HelperDriver
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from harness.patient_clock import PatientClock
from harness.polling import HANG, until, until_true

from .chaos import Crowd

pytestmark = pytest.mark.needs_adb

KILLS = 4


@pytest.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AdbServer]:
    need_adb()
    port = keep_port()
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in ADB_ALONE.items():
        monkeypatch.setenv(name, value)
    yield AdbServer(port=port, clock=PatientClock())
    await kill(port)


async def kill(port: int) -> None:
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *("adb", "-P", str(port), "kill-server"), stdin=quiet, stdout=quiet, stderr=quiet
    )
    await process.wait()


async def connect(server: AdbServer, serial: str) -> None:
    """Wait until the server, which may be stopping or starting, has the phone."""

    async def is_connected() -> bool:
        try:
            await server.connect(serial)
        except AdbError:
            return False
        return True

    await until_true(is_connected)


@pytest.mark.parametrize("seed", range(2))
async def test_taps_while_the_adb_server_is_killed(
    phone: VirtualPhone, server: AdbServer, seed: int
) -> None:
    chance = random.Random(seed)
    serial = f"127.0.0.1:{phone.port}"
    await connect(server, serial)
    held = Phone(serial, cast("Driver", HelperDriver(HelperClient(server.link(serial)))))

    async def pick() -> Phone:
        return held

    crowd = Crowd(pick, chance)
    crowd.impatience = 0.1
    enough = asyncio.Event()

    async def tap() -> None:
        while not enough.is_set():
            await crowd.tap(1)

    try:
        async with asyncio.timeout(HANG), asyncio.TaskGroup() as group:
            for _ in range(4):
                group.create_task(tap())
            for _ in range(KILLS):
                before = len(crowd.outcomes.done)
                await until(lambda before=before: len(crowd.outcomes.done) > before + 20)
                for _ in range(chance.randrange(30)):
                    await asyncio.sleep(0)
                await kill(server.port)
                await connect(server, serial)
            enough.set()
    finally:
        await held.aclose()
    crowd.outcomes.check(phone)
    await until(lambda: phone.processes.all() == [])
