"""A hundred clients on one phone: no errors, and actions run in the order of the queue."""

import asyncio
import json
import random
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from handheld.access.tool_filter import EVERYTHING, ToolFilter
from handheld.adb.direct import DirectLink
from handheld.driver.helper_driver import HelperDriver
from handheld.helper.client import HelperClient
from handheld.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.surface.local import Caller, LocalSurface
from handheld.toolkit.tool import Item
from handheld.tools import CATALOG
from handheld.virtual.phone import VirtualPhone

from .client import Client
from .figures import Figure
from .programs import TOKEN

CLIENTS = 100
SECONDS = 10.0

Spot = tuple[float, float]
_spot: ContextVar[Spot] = ContextVar("spot")


class _Queued(Phone):
    """A phone that records the order in which calls reach its lock."""

    def __init__(self, serial: str, driver: HelperDriver) -> None:
        super().__init__(serial, driver)
        self.reached: list[Spot] = []

    @asynccontextmanager
    async def acting(self, call: str) -> AsyncGenerator[None]:
        self.reached.append(_spot.get())
        async with super().acting(call):
            yield


class _Surface(LocalSurface):
    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        _spot.set((arguments["x"], arguments["y"]))
        return await super().call(name, arguments, caller, tool_filter)


class SinglePhone:
    """The phones of a surface: a single one."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone

    async def pick(self, ref: str | None) -> Phone:
        return self._phone

    async def present(self, ref: str | None) -> list[Phone]:
        return [self._phone]

    async def slug_of(self, ref: str) -> str:
        return ""

    def describe(self) -> str:
        return ""


async def measure() -> list[Figure]:
    async with VirtualPhone() as virtual:
        link = await DirectLink.connect("127.0.0.1", virtual.port)
        phone = _Queued(link.serial, HelperDriver(HelperClient(link)))
        try:
            surface = _Surface(CATALOG, SinglePhone(phone))
            async with open_http(surface, HttpOptions(port=0, token=TOKEN)) as address:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "bench.crowd", str(address.port)),
                    stdout=asyncio.subprocess.PIPE,
                )
                output, _ = await process.communicate()
        finally:
            await phone.aclose()
            await link.aclose()
        happened = [
            (event.details[2], event.details[3])
            for event in virtual.world.events
            if event.kind == "touch" and event.details[0] == "down"
        ]
    result = json.loads(output)
    # The phone keeps only its last events, so they are compared from the end. A lost tap shifts all
    # earlier ones.
    both = zip(reversed(phone.reached), reversed(happened), strict=False)
    disorder = sum(queued != done for queued, done in both)
    disorder += max(0, len(happened) - len(phone.reached), not happened)
    return [
        Figure(f"{CLIENTS} clients: calls", result["calls"] / SECONDS, "1/s"),
        Figure(f"{CLIENTS} clients: errors", result["errors"], "", 0, gates=True),
        Figure(f"{CLIENTS} clients: taps out of order", disorder, "", 0, gates=True),
    ]


async def _press(port: int) -> None:
    """Run the clients, in a process of their own."""
    counts = {"calls": 0, "errors": 0}
    loop = asyncio.get_running_loop()
    end = loop.time() + SECONDS

    async def use(number: int) -> None:
        chance = random.Random(number)
        async with Client("127.0.0.1", port, TOKEN) as client:
            while loop.time() < end:
                counts["calls"] += 1
                spot = {"x": chance.randrange(1080), "y": chance.randrange(100, 2200)}
                try:
                    await client.call("android_tap", spot)
                except (RuntimeError, OSError, asyncio.IncompleteReadError):
                    counts["errors"] += 1
                    return

    async with asyncio.TaskGroup() as tasks:
        for number in range(CLIENTS):
            tasks.create_task(use(number))
    sys.stdout.write(json.dumps(counts))


if __name__ == "__main__":
    asyncio.run(_press(int(sys.argv[1])))
