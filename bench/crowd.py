"""A hundred clients on one phone: no errors, and actions run in the order of the queue; and how
many calls they make, against the same clients of the bare SDK."""

import asyncio
import json
import random
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.access.tokens import AccessToken
from handheld.adb.direct import DirectLink
from handheld.calls.local import Caller, LocalSurface
from handheld.driver.fallback import FallbackDriver
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.tools.main import CATALOG
from handheld.tools.tool import Item
from handheld_virtual.phone import VirtualPhone

from .client import Client
from .figures import Figure, median, of_rounds, percentile
from .ports import keep_port
from .programs import TOKEN, cpu_seconds, first_line, running, server, virtual_phone

CLIENTS = 100
SECONDS = 5.0
ROUNDS = 15
ROUND_SECONDS = 1.5
FAIR = 30.0
"""Times its own p99 that a caller may have beside others."""

Spot = tuple[float, float]
_spot: ContextVar[Spot] = ContextVar("spot")


class _Queued(Phone):
    """A phone that records the order in which calls reach its lock."""

    def __init__(self, serial: str, driver: FallbackDriver) -> None:
        super().__init__(serial, driver)
        self.reached: list[Spot] = []

    @asynccontextmanager
    async def acting(self, call: str, caller: str = "", **how: Any) -> AsyncGenerator[None]:
        self.reached.append(_spot.get())
        async with super().acting(call, caller, **how):
            yield


class _Surface(LocalSurface):
    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        _spot.set((arguments["x"], arguments["y"]))
        return await super().call(name, arguments, caller, scope)


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
        phone = _Queued(link.serial, FallbackDriver(HelperClient(link)))
        try:
            surface = _Surface(CATALOG, SinglePhone(phone))
            async with open_http(surface, HttpOptions(port=0, token=TOKEN)) as address:
                process = await asyncio.create_subprocess_exec(
                    *(
                        sys.executable,
                        "-m",
                        "bench.crowd",
                        str(address.port),
                        "android_tap",
                        str(SECONDS),
                        TOKEN,
                        str(CLIENTS),
                    ),
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
        Figure(f"{CLIENTS} clients: errors", result["errors"], "", 0, gates=True),
        Figure(f"{CLIENTS} clients: taps out of order", disorder, "", 0, gates=True),
    ]


async def measure_rate(home: Path) -> list[Figure]:
    """Phone, server and clients are processes of their own; both servers are asked in turns. The
    ratio is of calls in a second of the server's processor time: how many there are in a second of
    the clock depends on how many cores the other processes leave to it."""
    port = keep_port()
    ours: list[_Rate] = []
    theirs: list[_Rate] = []
    async with (
        virtual_phone(home) as (_, phone),
        server(home, f"127.0.0.1:{phone}", port) as serving,
        running(("-m", "bench.bare", "http"), home) as bare,
    ):
        echo = int(await first_line(bare))
        for _ in range(ROUNDS):
            theirs.append(await _rate(home, bare.pid, echo, "echo"))
            ours.append(await _rate(home, serving.pid, port, "android_tap"))
    ratios = [one.spent / other.spent for one, other in zip(ours, theirs, strict=True)]
    return [
        Figure(
            f"{CLIENTS} clients: echoes of the bare SDK", median([r.passed for r in theirs]), "1/s"
        ),
        Figure(f"{CLIENTS} clients: taps", median([r.passed for r in ours]), "1/s"),
        of_rounds(
            f"{CLIENTS} clients: taps against echoes, in the server's processor time",
            ratios,
            "x",
            1.2,
            gates=True,
            at_least=True,
        ),
    ]


async def measure_fairness(home: Path) -> list[Figure]:
    """One token with 90 clients and one with 10; and a third caller, alone and beside them."""
    alone: list[float] = []
    beside: list[float] = []
    async with virtual_phone(home) as (_, port):
        link = await DirectLink.connect("127.0.0.1", port)
        phone = Phone(link.serial, FallbackDriver(HelperClient(link)))
        tokens = {name: AccessToken(name) for name in ("many", "few", "single")}
        try:
            options = HttpOptions(port=0, token=TOKEN, recognise=tokens.get)
            surface = LocalSurface(CATALOG, SinglePhone(phone))
            async with open_http(surface, options) as address:
                for _ in range(3):
                    alone.append((await _clients(home, address.port, "single", 1))["p99"])
                    results = await asyncio.gather(
                        _clients(home, address.port, "many", 90),
                        _clients(home, address.port, "few", 10),
                        _clients(home, address.port, "single", 1),
                    )
                    beside.append(results[-1]["p99"])
        finally:
            await phone.aclose()
            await link.aclose()
    ratios = [one / other for one, other in zip(beside, alone, strict=True)]
    return [
        Figure("a single caller's tap, p99", median(alone), "ms"),
        Figure("the same beside 90 clients of a token and 10 of another", median(beside), "ms"),
        of_rounds("the same against the caller alone", ratios, "x", FAIR),
    ]


async def _clients(home: Path, port: int, token: str, count: int) -> dict[str, Any]:
    async with running(_arguments(port, "android_tap", token, count), home) as process:
        output, _ = await process.communicate()
    result = json.loads(output)
    if result["errors"]:
        raise RuntimeError(f"{result['errors']} clients of {token} failed: {result}")
    return result


class _Rate(NamedTuple):
    passed: float
    """Calls in a second of the clock."""
    spent: float
    """Calls in a second of the server's processor time."""


def _arguments(port: int, tool: str, token: str, clients: int) -> tuple[str, ...]:
    """Of the process of so many clients."""
    return "-m", "bench.crowd", str(port), tool, str(ROUND_SECONDS), token, str(clients)


async def _rate(home: Path, pid: int, port: int, tool: str) -> _Rate:
    arguments = _arguments(port, tool, TOKEN, CLIENTS)
    before = cpu_seconds(pid)
    async with running(arguments, home) as process:
        output, _ = await process.communicate()
    spent = cpu_seconds(pid) - before
    result = json.loads(output)
    if result["errors"]:
        raise RuntimeError(f"{result['errors']} of {CLIENTS} clients failed to call {tool}")
    return _Rate(result["calls"] / ROUND_SECONDS, result["calls"] / spent)


async def press(
    port: int, tool: str, seconds: float, token: str = TOKEN, clients: int = CLIENTS
) -> dict[str, Any]:
    """Run the clients. One that is told to call later does so; any other error ends it."""
    counts = {"calls": 0, "errors": 0, "refused": 0}
    times: list[float] = []
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds

    async def use(number: int) -> None:
        chance = random.Random(number)
        async with Client("127.0.0.1", port, token) as client:
            while (begun := loop.time()) < end:
                counts["calls"] += 1
                spot = {"x": chance.randrange(1080), "y": chance.randrange(100, 2200)}
                try:
                    await client.call(tool, spot)
                    times.append((loop.time() - begun) * 1000)
                except (RuntimeError, OSError, asyncio.IncompleteReadError) as problem:
                    if "may run on a phone at a time" not in str(problem):
                        counts["errors"] += 1
                        return
                    counts["refused"] += 1

    async with asyncio.TaskGroup() as tasks:
        for number in range(clients):
            tasks.create_task(use(number))
    return {**counts, "p50": median(times), "p99": percentile(times, 0.99)}


async def _press(port: int, tool: str, seconds: float, token: str, clients: int) -> None:
    print(json.dumps(await press(port, tool, seconds, token, clients)))


if __name__ == "__main__":
    asyncio.run(
        _press(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
    )
