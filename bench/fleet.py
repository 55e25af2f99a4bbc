"""Measure the engine on a NATS server of this machine: `make bench WHAT=fleet`.

The directory of a gateway is read by a process of its own, so that its memory is a gateway's.
"""

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from tests.fleet.nats.fleet_lab import Fleet
from tests.fleet.nats.lab import Lab, nats_server

from handheld.fleet.nats.calls import CallAnswer, Responder, calling
from handheld.fleet.nats.directory import Directory, PhoneRow, encode_rows
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.kv import Kv
from handheld.fleet.nats.names import CLAIMS, PHONES, phone_id, slot_of, to_host
from handheld.fleet.nats.wire import EngineWire, NobodyListens, WireFault
from handheld.phone.leases.shares import OWNER
from handheld.tools.call import Caller

from .figures import Figure, median, of_rounds, percentile, show
from .fleet_load import (
    SIZES,
    cores_table,
    figures_of,
    growth_table,
    keep,
    measure_growth,
    measure_share,
)
from .programs import resident_mb
from .timing import time_in_turns

ON_A_HOST = 20
"""Phones of each host."""
AT_A_TIME = 64
CALLS = 500
SHARE_MS = (1.0, 4.0)


def row(number: int) -> PhoneRow:
    """About as large as rows of real phones are."""
    return PhoneRow(
        serial=f"R58M{number:07d}",
        slug=f"rack-{number // 100}-{number % 100}",
        model=f"Pixel {number % 9 + 1}",
        api=28 + number % 9,
        tags=("lab", f"rack-{number // 100}", "wifi" if number % 2 else "sim"),
        uses=number,
    )


async def write(lab: Lab, count: int) -> float:
    """Write the rows as their hosts would; the seconds that it took."""
    hosts = [lab.member("host").id for _ in range(-(-count // ON_A_HOST))]
    async with lab.wires(lab.admin()) as [wire]:
        kv = Kv(wire, PHONES)
        phones: dict[str, list[PhoneRow]] = {}
        for number in range(count):
            one = row(number)
            key = f"{hosts[number // ON_A_HOST]}.{slot_of(phone_id(one.serial))}"
            phones.setdefault(key, []).append(one)
        left = iter(phones.items())

        async def writer() -> None:
            for key, rows in left:
                await kv.swap(key, encode_rows(rows), 0)

        begun = time.perf_counter()
        await asyncio.gather(*(writer() for _ in range(AT_A_TIME)))
        return time.perf_counter() - begun


async def read(file: Path, count: int) -> None:
    """What a gateway does at its start, in this process; prints seconds and MB."""
    wire = EngineWire(Joined.load(file).membership)
    async with wire:
        await wire.ready(30)
        directory = Directory(wire)
        begun, worked = time.perf_counter(), time.process_time()
        task = asyncio.create_task(directory.run())
        await directory.complete.wait()
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
        assert directory.count() == count, directory.count()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        sys.stdout.write(json.dumps([seconds, worked, resident_mb(os.getpid())]) + "\n")


async def read_elsewhere(lab: Lab, home: Path, count: int) -> tuple[float, float, float]:
    file = home / "joined.json"
    Joined("gateway", "bench", "main", lab.member("gateway")).save(file)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.fleet",
        "read",
        file,
        str(count),
        stdout=asyncio.subprocess.PIPE,
    )
    printed, _ = await process.communicate()
    seconds, worked, megabytes = json.loads(printed)
    return seconds, worked, megabytes


async def measure_engine(home: Path, rounds: int = 15, count: int = 40) -> Figure:
    """A tap on the surface of a gateway, over the engine, against one on the surface of the host.
    Both are in this process, so that nothing but the way over the engine is compared."""
    async with AsyncExitStack() as stack:
        lab = Lab(home / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        fleet = Fleet(lab, home, stack)
        host, gateway = await fleet.host("p0"), await fleet.gateway("p0")
        caller = Caller("http", "bench", OWNER)
        spot = {"x": 500, "y": 900, "device": "p0"}
        compared = await time_in_turns(
            lambda: host.surface.call("android_tap", spot, caller),
            lambda: gateway.surface.call("android_tap", spot, caller),
            rounds,
            count,
        )
    name = "the engine's share of a tap, p50"
    return of_rounds(name, compared.differences, "ms", SHARE_MS[0], gates=True)


async def measure_calls(lab: Lab) -> list[Figure]:
    picture = bytes(95_000)
    host, gateway = EngineWire(lab.member("host")), EngineWire(lab.member("gateway"))

    async def handler(_: str, frame: NatsFrame, answer: CallAnswer) -> None:
        await answer.taken()
        if frame.head.get("wait"):
            await asyncio.Event().wait()
        await answer.end({"text": "Tap executed at (500, 1000)"}, picture[: frame.head["bytes"]])

    responder = Responder(host, handler)
    taken: dict[str, list[float]] = {"call": [], "picture": [], "nobody": [], "stop": []}
    async with host, gateway:
        await host.ready(30)
        await gateway.ready(30)
        for _ in range(CALLS):
            for name, size in (("call", 0), ("picture", len(picture))):
                begun = time.perf_counter()
                async with calling(gateway, host.id, {"name": "tap", "bytes": size}) as call:
                    await call.end(10)
                taken[name].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            try:
                await gateway.request(to_host("call", "h000000000000", gateway.id), b"", 10)
            except NobodyListens:
                taken["nobody"].append(time.perf_counter() - begun)
            async with calling(gateway, host.id, {"wait": True, "bytes": 0}) as call:
                begun = time.perf_counter()
                await call.stop()
                await call.end(10)
                taken["stop"].append(time.perf_counter() - begun)
        await responder.close()
    names = {
        "call": ("a call over the engine that does nothing", *SHARE_MS),
        "picture": ("the same with a picture of 95 kB", None, None),
        "nobody": ("a host that is gone is told", None, 5.0),
        "stop": ("a running call is stopped", None, 5.0),
    }
    figures: list[Figure] = []
    for key, (name, half, most) in names.items():
        times, gates = [one * 1000 for one in taken[key]], half is not None
        figures.append(Figure(f"{name}, p50", median(times), "ms", half, gates))
        figures.append(Figure(f"{name}, p95", percentile(times, 0.95), "ms", most, gates))
    return figures


async def measure_outages(home: Path) -> list[Figure]:
    """How long no call is answered when the node of three that the gateway is connected to is
    killed, and when it hangs."""
    figures: list[Figure] = []
    lab = Lab(home / "cluster", nodes=3)
    try:
        await lab.set_up()
        for what, which, limit in (
            ("is killed", signal.SIGKILL, 0.5),
            ("hangs", signal.SIGSTOP, 3.0),
        ):
            host, gateway = EngineWire(lab.member("host")), EngineWire(lab.member("gateway"))
            responder = Responder(host, answer_at_once)
            async with host, gateway:
                await host.ready(60)
                await gateway.ready(60)
                node = 1 + lab.plan.addresses.index(gateway.server)
                await call_until_answered(gateway, host.id)
                lab.signal(node, which)
                begun = time.perf_counter()
                lost = gateway.links
                while gateway.links == lost:
                    await call_until_answered(gateway, host.id)
                away = await call_until_answered(gateway, host.id) - begun
                await responder.close()
            lab.heal()
            figures.append(
                Figure(f"calls are away when the gateway's engine node {what}", away, "s", limit)
            )
    finally:
        lab.close()
    return figures


async def answer_at_once(_: str, frame: NatsFrame, answer: CallAnswer) -> None:
    await answer.taken()
    await answer.end({})


async def call_until_answered(gateway: EngineWire, host: str) -> float:
    """When a call was answered."""
    while True:
        try:
            async with calling(gateway, host, {}) as call:
                await call.end(10)
            return time.perf_counter()
        except WireFault:
            await asyncio.sleep(0.005)


async def measure_swaps(lab: Lab) -> Figure:
    async with lab.wires(lab.admin()) as [wire]:
        kv, revision, taken = Kv(wire, CLAIMS), 0, list[float]()
        for _ in range(100):
            begun = time.perf_counter()
            revision = await kv.swap("bench", b"x", revision)
            taken.append(time.perf_counter() - begun)
        return Figure("a swap on disk, p50", statistics.median(taken) * 1000, "ms")


async def measure(home: Path, count: int) -> list[Figure]:
    lab = Lab(home / "engine")
    try:
        await lab.set_up()
        figures = [
            await measure_engine(home / "one-process"),
            *await measure_share(home / "programs"),
            *await measure_calls(lab),
            *await measure_outages(home),
            await measure_swaps(lab),
        ]
        written = await write(lab, count)
        seconds, worked, megabytes = await read_elsewhere(lab, home, count)
        return [
            *figures,
            Figure(f"{count} phones are written", written, "s"),
            Figure(f"the directory of {count} phones is read", seconds, "s", 2.0, gates=True),
            Figure("processor time of the gateway for it", worked, "s"),
            Figure("memory of the gateway then", megabytes, "MB", 120.0, gates=True),
            Figure("memory of the server then", resident_mb(lab.processes[1].pid), "MB"),
        ]
    finally:
        lab.close()


def main() -> int:
    if sys.argv[1] == "read":
        asyncio.run(read(Path(sys.argv[2]), int(sys.argv[3])))
        return 0
    if nats_server() is None:
        print("There is no nats-server: `make bench WHAT=fleet` installs one.")
        return 1
    count, seconds, phones = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    sizes = tuple(size for size in SIZES if size <= phones)
    with tempfile.TemporaryDirectory(
        prefix="handheld-fleet-", ignore_cleanup_errors=True
    ) as folder:
        figures = asyncio.run(measure(Path(folder), count))
        print(show(figures), flush=True)
        loads = asyncio.run(measure_growth(Path(folder), seconds, sizes))
    keep(loads)
    largest = figures_of(loads[-1])
    print(f"\n{show(largest)}\n\nProcessor time of a call by role, in milliseconds:\n")
    print(f"{growth_table(loads)}\n\nCores for more calls:\n\n{cores_table(loads[-1])}")
    for error in dict.fromkeys(loads[-1].errors[:20]):
        print(f"error: {error}")
    return 0 if all(figure.within for figure in (*figures, *largest) if figure.gates) else 1


if __name__ == "__main__":
    sys.exit(main())
