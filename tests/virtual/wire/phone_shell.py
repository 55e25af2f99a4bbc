"""Commands in a virtual phone's shell, without adb."""

import asyncio
from typing import NamedTuple

from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from handheld_virtual.system.clock import ManualClock
from harness.polling import HANG

LIMIT = 64 * 1024 * 1024


class Result(NamedTuple):
    stdout: str
    stderr: str = ""
    code: int = 0


def new_phone(api: int = 34, clock: ManualClock | None = None) -> VirtualPhone:
    return VirtualPhone(clock=clock or ManualClock(), api=api)


async def run(phone: VirtualPhone, command: str) -> Result:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    async with asyncio.timeout(HANG):
        code = await Shell(phone, Given(b""), stdout, stderr, {}).run(command)
    return Result(stdout.data.decode(errors="replace"), stderr.data.decode(errors="replace"), code)


async def run_while_time_passes(phone: VirtualPhone, command: str, ms: float) -> Result:
    """Run a command; the clock advances while the command waits for it."""
    clock = phone.clock
    assert isinstance(clock, ManualClock)
    running = asyncio.create_task(run(phone, command))
    end = clock.now() + ms
    async with asyncio.timeout(HANG):
        while not running.done() and clock.now() < end:
            await asyncio.sleep(0)
            if (due := clock.due) is not None:
                await clock.advance(max(0.0, min(due, end) - clock.now()))
        return await running
