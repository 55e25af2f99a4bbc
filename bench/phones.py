"""Fifty virtual phones in one process: start time, and memory of each."""

import asyncio
import gc
import json
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

from PIL import Image

from handheld.adb.direct import DirectLink
from handheld.driver.by_helper.driver import HelperDriver
from handheld.helper.client import HelperClient
from handheld_virtual.phone import VirtualPhone

from .figures import Figure, median, of_rounds, percentile
from .programs import first_line, resident_mb, running

PHONES = 50
SECONDS = 10
START_MS = 400.0
EACH_MB = 6.0


async def measure(home: Path) -> list[Figure]:
    """Make one helper call a second on each; a first phone has made all of them before, so that
    imports are not measured."""
    took: list[float] = []
    errors: list[str] = []
    async with running(("-m", "bench.phones"), home) as process, AsyncExitStack() as links:
        started = json.loads(await first_line(process))
        first = await _driver(links, started["ports"][0])
        for call in range(SECONDS):
            await _call(first, call)
        before = resident_mb(process.pid)
        await _send(process, "more")
        more = json.loads(await first_line(process))
        ports = more["ports"]
        crowd = [await _driver(links, port) for port in ports]
        loop = asyncio.get_running_loop()
        start = loop.time() + 0.5

        async def use(number: int, driver: HelperDriver) -> None:
            for call in range(SECONDS):
                # Spread over the second, like calls of independent clients.
                due = start + call + number / len(crowd)
                await asyncio.sleep(max(0.0, due - loop.time()))
                begun = loop.time()
                try:
                    await _call(driver, call + number)
                except Exception as error:
                    errors.append(f"{type(error).__name__}: {error}")
                else:
                    took.append((loop.time() - begun) * 1000)

        await asyncio.gather(*(use(number, driver) for number, driver in enumerate(crowd)))
        await _send(process, "frames")
        frames = json.loads(await first_line(process))["frames"]
        each = (resident_mb(process.pid) - before) / len(crowd)
    for error in errors[:3]:
        print(error, file=sys.stderr)
    return [
        Figure("start of the first virtual phone after imports", started["ms"][0], "ms"),
        of_rounds("start of a further virtual phone", more["ms"], "ms", START_MS, gates=True),
        Figure(f"{PHONES} phones in one process: a call each second, p50", median(took), "ms"),
        Figure(f"{PHONES} phones in one process: the same, p95", percentile(took, 0.95), "ms"),
        Figure(f"{PHONES} phones in one process: errors", len(errors), "", 0, gates=True),
        Figure(f"{PHONES} phones in one process: memory of each", each, "MB", EACH_MB, gates=True),
        Figure(f"{PHONES} phones in one process: frames kept", frames, "", 0, gates=True),
    ]


async def _driver(links: AsyncExitStack, port: int) -> HelperDriver:
    link = await DirectLink.connect("127.0.0.1", port)
    links.push_async_callback(link.aclose)
    driver = HelperDriver(HelperClient(link))
    links.push_async_callback(driver.aclose)
    return driver


async def _call(driver: HelperDriver, number: int) -> None:
    """Read or touch the screen, or take a picture (one in ten calls)."""
    if number % 10 == 9:
        await driver.capture(1024, "jpeg", 80)
    elif number % 5 == 1:
        await driver.touch([[(540.0, 1200.0, 0)]])
    else:
        await driver.read_screen()


async def _send(process: asyncio.subprocess.Process, word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n".encode())
    await process.stdin.drain()


async def _host() -> None:
    """The process of the phones: one at first, the others on command."""
    phones: list[VirtualPhone] = []

    async def start(count: int) -> None:
        spent: list[float] = []
        for _ in range(count):
            begun = time.perf_counter()
            phones.append(VirtualPhone())
            await phones[-1].start()
            spent.append((time.perf_counter() - begun) * 1000)
        _print({"ports": [phone.port for phone in phones[-count:]], "ms": spent})

    await start(1)
    loop = asyncio.get_running_loop()
    while word := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        if word == "more":
            await start(PHONES - 1)
        else:
            gc.collect()
            width, height = phones[0].world.width, phones[0].world.height
            # Frames that were scaled down before use count too.
            frames = [
                each
                for each in gc.get_objects()
                if isinstance(each, Image.Image) and each.width * each.height >= width * height / 8
            ]
            _print({"frames": len(frames)})
    for phone in phones:
        await phone.aclose()


def _print(value: object) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    asyncio.run(_host())
