"""The parts of the bench: calls over HTTP, the first reply over stdio, and other modules."""

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run

from . import (
    acting,
    app_tools,
    attacks,
    commands,
    console,
    crowd,
    imports,
    memory,
    ordinary,
    phones,
    pure,
    reading,
    recording,
    scrolling,
    tasks,
    typing,
    waiting,
    wire,
)
from .client import HELLO, Client
from .economy import measure as economy
from .figures import Figure, median, of_rounds, percentile
from .ports import keep_port
from .programs import (
    TOKEN,
    cpu_seconds,
    first_line,
    resident_mb,
    running,
    server,
    virtual_phone,
)
from .timing import time_calls, time_in_turns

NODES = 500
MANY_TAPS = 3000
ROUNDS = 60
MANY_PICTURES = 100
FIRST_REPLIES = 15


async def measure_calls(home: Path) -> list[Figure]:
    """Measure complete calls over HTTP; server and phone run in their own processes."""
    port = keep_port()
    async with (
        virtual_phone(home) as (phone, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port) as serving,
        running(("-m", "bench.bare", "http"), home) as bare,
        Client("127.0.0.1", port, TOKEN) as client,
        Client("127.0.0.1", int(await first_line(bare)), TOKEN) as echo,
    ):
        spot = {"x": 540, "y": 1200}
        spent = (lambda: cpu_seconds(bare.pid), lambda: cpu_seconds(serving.pid))

        def ask() -> Awaitable[object]:
            return echo.call("echo", spot)

        def tap() -> Awaitable[object]:
            return client.call("android_tap", spot)

        taps = await time_in_turns(ask, tap, ROUNDS, 20, spent)
        link = await DirectLink.connect("127.0.0.1", phone_port)
        try:
            await _show_nodes(link)
        finally:
            await link.aclose()
        arguments: dict[str, Any] = {}

        def look() -> Awaitable[object]:
            return client.call("android_get_screen_state", arguments)

        looks = await time_in_turns(ask, look, ROUNDS, 10, spent)
        clicks = await _time_clicks(client)
        arguments = {"include_screenshot": True}
        await time_calls(look, 3)
        pictures = await time_calls(look, 20)
        serving_mb, phone_mb = resident_mb(serving.pid), resident_mb(phone.pid)
        await time_calls(look, MANY_PICTURES)
        await time_calls(tap, MANY_TAPS)
        grown = [
            Figure(f"{who} over {MANY_PICTURES} pictures and {MANY_TAPS} taps", after, "MB", 8)
            for who, after in (
                ("growth of the server", resident_mb(serving.pid) - serving_mb),
                ("growth of the virtual phone", resident_mb(phone.pid) - phone_mb),
            )
        ]
    return [
        Figure("echo tool of the bare SDK, p50", median(taps.baseline), "ms"),
        Figure("android_tap, p50", median(taps.measured), "ms"),
        Figure("android_tap, p99", percentile(taps.measured, 0.99), "ms"),
        of_rounds("android_tap against the echo tool", taps.ratios, "x", 1.0),
        of_rounds(
            "the same in the server's processor time", taps.spent_ratios, "x", 0.8, gates=True
        ),
        Figure(f"get_screen_state of {NODES} nodes, p50", median(looks.measured), "ms", 8),
        Figure(f"get_screen_state of {NODES} nodes, p99", percentile(looks.measured, 0.99), "ms"),
        of_rounds(
            f"get_screen_state of {NODES} nodes against the echo tool, in processor time",
            looks.spent_ratios,
            "x",
            4.0,
            gates=True,
        ),
        Figure("get_screen_state with a picture, p50", median(pictures), "ms", 120),
        Figure(f"click_element by an id of {NODES}, p50", median(clicks), "ms"),
        Figure("memory of the server", serving_mb, "MB", 60, gates=True),
        Figure("memory of the virtual phone", phone_mb, "MB", 80),
        *grown,
    ]


async def _time_clicks(client: Client) -> list[float]:
    screen = (await client.call("android_get_screen_state", {}))["content"][0]["text"]
    rows = [line.split("\t") for line in screen.split("\n") if line.startswith("node_")]
    id = next(row[0] for row in rows if "clk" in row[-1] and "on" in row[-1].split(","))
    return await time_calls(lambda: client.call("android_click_element", {"element_id": id}), 100)


async def _show_nodes(link: DirectLink) -> None:
    bars = 13
    answer = await run(
        link,
        ["am", "start", "-n", "dev.handheld.testbed/.Nodes", "--es", "count", str(NODES - bars)],
    )
    if answer.code:
        raise RuntimeError(f"The screen of {NODES} nodes did not open: {answer.stderr!r}")


async def measure_first_reply(home: Path) -> list[Figure]:
    """Measure from the start of the program to its reply to `initialize` on stdout."""

    async def first_reply(arguments: Sequence[str]) -> float:
        start = time.perf_counter()
        async with running(arguments, home) as process:
            assert process.stdin is not None
            process.stdin.write(HELLO)
            answer = json.loads(await first_line(process))
            spent = (time.perf_counter() - start) * 1000
            if "result" not in answer:
                raise RuntimeError(f"The program answered {answer}")
            process.stdin.close()
            await process.wait()
        return spent

    bare: list[float] = []
    ours: list[float] = []
    for _ in range(FIRST_REPLIES):
        bare.append(await first_reply(("-m", "bench.bare", "stdio")))
        ours.append(await first_reply(("-m", "handheld", "stdio", "--phone", "virtual")))
    ratios = [our / base for our, base in zip(ours, bare, strict=True)]
    return [
        Figure("first stdio reply of the bare SDK, p50", median(bare), "ms"),
        Figure("first stdio reply, p50", median(ours), "ms"),
        of_rounds("first stdio reply against the bare SDK", ratios, "x", 0.4, gates=True),
    ]


Measure = Callable[[Path], Awaitable[list[Figure]]]


async def _measure_screens(_: Path) -> list[Figure]:
    return pure.measure()


async def _measure_crowd(home: Path) -> list[Figure]:
    return [
        *await crowd.measure(),
        *await crowd.measure_rate(home),
        *await crowd.measure_fairness(home),
    ]


async def _measure_reading(home: Path) -> list[Figure]:
    return [*await reading.measure(), *await reading.measure_surfaces(home)]


PARTS: Mapping[str, Measure] = {
    "screens": _measure_screens,
    "economy": lambda _: economy.measure(),
    "tasks": lambda _: tasks.measure(),
    "recording": recording.measure,
    "waiting": lambda _: waiting.measure(),
    "calls": measure_calls,
    "acting": acting.measure,
    "app-tools": app_tools.measure,
    "console": console.measure,
    "typing": typing.measure,
    "scrolling": lambda _: scrolling.measure(),
    "first-reply": measure_first_reply,
    "commands": commands.measure,
    "imports": imports.measure,
    "memory": lambda _: memory.measure(),
    "crowd": _measure_crowd,
    "ordinary": lambda _: ordinary.measure(),
    "attacks": lambda _: attacks.measure(),
    "adb": wire.measure,
    "reading": _measure_reading,
    "phones": phones.measure,
}


def measure(name: str) -> list[Figure]:
    """Measure the part with this name."""

    async def run_part() -> list[Figure]:
        return await PARTS[name](Path(folder))

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run_part())
