"""Calls on the phones of a whole fleet: what one more way costs a tap, how many calls a machine
makes, what each costs by role, and how that grows with the number of phones."""

import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from .client import Client
from .figures import Figure, median, of_rounds, percentile
from .fleet_programs import CLIENT, ROLES, FleetPrograms, fleet_programs
from .programs import TOKEN, proportional_mb, running
from .timing import time_in_turns

KEPT = Path("build/bench-fleet.json")
CLIENTS = 24
SCREENS = 0.2
"""The share of calls that read a screen; the others tap."""
SIZES = (10, 100, 1000)
LEAST_RATE = 150.0
MOST_MB = 1536.0
WANTED = (500, 5000)
"""Calls in a second for which the cores are told."""


class Load(NamedTuple):
    phones: int
    seconds: float
    calls: int
    errors: list[str]
    p50: float
    p95: float
    spent: dict[str, float]
    """Milliseconds of processor time of a call by role."""
    memory: dict[str, float]
    """MB by role at the end."""

    @property
    def rate(self) -> float:
        return self.calls / self.seconds


async def measure_share(home: Path, rounds: int = 15, count: int = 40) -> list[Figure]:
    """A tap through gateway, engine and host, each a process, against the same at the host's own
    port."""
    async with (
        fleet_programs(home, 1) as fleet,
        Client("127.0.0.1", fleet.host, TOKEN) as near,
        Client("127.0.0.1", fleet.gateway, TOKEN) as far,
    ):
        spot = {"x": 500, "y": 900, "device": "p0"}
        compared = await time_in_turns(
            lambda: near.call("android_tap", spot),
            lambda: far.call("android_tap", spot),
            rounds,
            count,
        )
    return [
        Figure("a tap at its host, p50", median(compared.baseline), "ms"),
        Figure("a tap through the gateway, p50", median(compared.measured), "ms"),
        of_rounds("what a gateway adds to a tap, p50", compared.differences, "ms", None),
    ]


async def press(port: int, slugs: list[str], seconds: float) -> dict[str, Any]:
    """What the process of the clients does."""
    loop = asyncio.get_running_loop()
    times: list[float] = []
    errors: list[str] = []
    end = loop.time() + seconds

    async def use(number: int) -> None:
        chance = random.Random(number)
        async with Client("127.0.0.1", port, TOKEN) as client:
            while (begun := loop.time()) < end:
                device = {"device": chance.choice(slugs)}
                try:
                    if chance.random() < SCREENS:
                        await client.call("android_get_screen_state", device)
                    else:
                        spot = {"x": chance.randrange(1080), "y": chance.randrange(300, 2000)}
                        await client.call("android_tap", {**spot, **device})
                except (RuntimeError, OSError, asyncio.IncompleteReadError) as problem:
                    errors.append(str(problem)[:300])
                    if not isinstance(problem, RuntimeError):
                        return  # the connection is lost
                times.append((loop.time() - begun) * 1000)

    worked, begun = time.process_time(), loop.time()
    async with asyncio.TaskGroup() as tasks:
        for number in range(CLIENTS):
            tasks.create_task(use(number))
    return {
        "calls": len(times),
        "errors": errors,
        "seconds": loop.time() - begun,
        "p50": median(times),
        "p95": percentile(times, 0.95),
        "spent": time.process_time() - worked,
        "memory": proportional_mb(os.getpid()),
    }


async def measure_load(home: Path, phones: int, seconds: float) -> Load:
    async with fleet_programs(home, phones) as fleet:
        return await load(fleet, home, seconds)


async def load(fleet: FleetPrograms, home: Path, seconds: float) -> Load:
    before = fleet.spent()
    arguments = ("-m", "bench.fleet_load", str(fleet.gateway), str(len(fleet.slugs)), str(seconds))
    async with running(arguments, home) as process:
        printed, _ = await process.communicate()
    result = json.loads(printed)
    after, calls = fleet.spent(), result["calls"]
    spent = {role: 1000 * (after[role] - before[role]) / calls for role in before}
    spent[CLIENT] = 1000 * result["spent"] / calls
    return Load(
        len(fleet.slugs),
        result["seconds"],
        calls,
        result["errors"],
        result["p50"],
        result["p95"],
        spent,
        fleet.memory() | {CLIENT: result["memory"]},
    )


def figures_of(found: Load) -> list[Figure]:
    """Of the largest fleet."""
    name = f"{found.phones} phones"
    return [
        Figure(f"{name}: calls in {found.seconds:.0f} s", found.calls, ""),
        Figure(f"{name}: errors", len(found.errors), "", 0, gates=True),
        Figure(f"{name}: calls", found.rate, "1/s", LEAST_RATE, gates=True, at_least=True),
        Figure(f"{name}: a call, p50", found.p50, "ms"),
        Figure(f"{name}: a call, p95", found.p95, "ms"),
        Figure(
            f"{name}: memory of all processes",
            sum(found.memory.values()),
            "MB",
            MOST_MB,
            gates=True,
        ),
    ]


def growth_table(loads: list[Load]) -> str:
    """How cost grows with the phones, in Markdown."""
    head = ["phones", "calls/s", "p50 ms", "p95 ms", *(f"{role} ms" for role in ROLES), "MB"]
    lines = [head, ["---:"] * len(head)]
    for one in loads:
        cells = [f"{one.phones:,}", f"{one.rate:.0f}", f"{one.p50:.0f}", f"{one.p95:.0f}"]
        cells += [f"{one.spent[role]:.2f}" for role in ROLES]
        lines.append([*cells, f"{sum(one.memory.values()):.0f}"])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def cores_table(found: Load) -> str:
    """How many cores each role needs for more calls, in Markdown."""
    head = ["calls/s", *ROLES, "all but the client"]
    lines = [head, ["---:"] * len(head)]
    for rate in WANTED:
        needed = [rate * found.spent[role] / 1000 for role in ROLES]
        without = sum(needed) - needed[ROLES.index(CLIENT)]
        lines.append([f"{rate:,}", *(f"{one:.1f}" for one in needed), f"{without:.1f}"])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


async def measure_growth(home: Path, seconds: float, sizes: tuple[int, ...] = SIZES) -> list[Load]:
    """The largest fleet for so long, the smaller ones for a minute at most."""
    loads: list[Load] = []
    for size in sizes:
        lasts = seconds if size == max(sizes) else min(seconds, 60.0)
        loads.append(await measure_load(home / f"{size}-phones", size, lasts))
    return loads


def keep(loads: list[Load]) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    rows = [one._replace(errors=one.errors[:20])._asdict() for one in loads]
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    port, phones, seconds = sys.argv[1:]
    slugs = [f"p{number}" for number in range(int(phones))]
    print(json.dumps(asyncio.run(press(int(port), slugs, float(seconds)))))


if __name__ == "__main__":
    main()
