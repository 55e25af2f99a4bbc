"""Measure everything, print and save the table; the exit code is 1 if a gate failed."""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handheld.adb.direct import DirectLink
from handheld.adb.shell import run

from . import (
    acting,
    app_tools,
    commands,
    console,
    crowd,
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
from .client import Client
from .economy import measure as economy
from .figures import Figure, median, of_rounds, percentile, save, show
from .programs import (
    TOKEN,
    cpu_seconds,
    first_line,
    free_port,
    resident_mb,
    running,
    server,
    virtual_phone,
)
from .timing import time_calls, time_in_turns

NODES = 500
MANY_TAPS = 3000
MANY_PICTURES = 100


async def measure_calls(home: Path) -> list[Figure]:
    """Measure complete calls over HTTP; server and phone run in their own processes."""
    port = free_port()
    async with (
        virtual_phone(home) as (phone, phone_port),
        server(home, f"127.0.0.1:{phone_port}", port) as serving,
        running(("-m", "bench.bare", "http", TOKEN), home) as bare,
        Client("127.0.0.1", port, TOKEN) as client,
        Client("127.0.0.1", int(await first_line(bare)), TOKEN) as echo,
    ):
        spot = {"x": 540, "y": 1200}
        before = cpu_seconds(bare.pid), cpu_seconds(serving.pid)
        turns = await time_in_turns(
            lambda: echo.call("echo", spot), lambda: client.call("android_tap", spot), 40, 25
        )
        spent = cpu_seconds(bare.pid) - before[0], cpu_seconds(serving.pid) - before[1]
        link = await DirectLink.connect("127.0.0.1", phone_port)
        try:
            await _show_nodes(link)
        finally:
            await link.aclose()
        arguments: dict[str, Any] = {}
        await time_calls(lambda: client.call("android_get_screen_state", arguments), 10)
        screens = await time_calls(lambda: client.call("android_get_screen_state", arguments), 100)
        clicks = await _time_clicks(client)
        arguments = {"include_screenshot": True}
        await time_calls(lambda: client.call("android_get_screen_state", arguments), 3)
        pictures = await time_calls(lambda: client.call("android_get_screen_state", arguments), 20)
        serving_mb, phone_mb = resident_mb(serving.pid), resident_mb(phone.pid)
        await time_calls(lambda: client.call("android_get_screen_state", arguments), MANY_PICTURES)
        await time_calls(lambda: client.call("android_tap", spot), MANY_TAPS)
        grown = [
            Figure(f"{who} over {MANY_PICTURES} pictures and {MANY_TAPS} taps", after, "MB", 8)
            for who, after in (
                ("growth of the server", resident_mb(serving.pid) - serving_mb),
                ("growth of the virtual phone", resident_mb(phone.pid) - phone_mb),
            )
        ]
    return [
        Figure("echo tool of the bare SDK behind our edge, p50", median(turns.baseline), "ms"),
        Figure("android_tap, p50", median(turns.measured), "ms"),
        Figure("android_tap, p99", percentile(turns.measured, 0.99), "ms"),
        of_rounds("android_tap against the echo tool", turns.ratios, "x", 1.0),
        Figure("the same in the server's processor time", spent[1] / spent[0], "x", 0.8, True),
        Figure(f"get_screen_state of {NODES} nodes, p50", median(screens), "ms", 15),
        Figure(f"get_screen_state of {NODES} nodes, p99", percentile(screens, 0.99), "ms"),
        Figure("the same with a picture, p50", median(pictures), "ms", 120),
        Figure(f"click_element by an id of {NODES}, p50", median(clicks), "ms"),
        Figure("memory of the server", serving_mb, "MB", 60),
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
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    }
    line = json.dumps(hello).encode() + b"\n"

    async def first_reply(arguments: Sequence[str]) -> float:
        start = time.perf_counter()
        async with running(arguments, home) as process:
            assert process.stdin is not None
            process.stdin.write(line)
            answer = json.loads(await first_line(process))
            spent = (time.perf_counter() - start) * 1000
            if "result" not in answer:
                raise RuntimeError(f"The program answered {answer}")
            process.stdin.close()
            await process.wait()
        return spent

    bare: list[float] = []
    ours: list[float] = []
    for _ in range(7):
        bare.append(await first_reply(("-m", "bench.bare", "stdio")))
        ours.append(await first_reply(("-m", "handheld", "stdio", "--phone", "virtual")))
    ratios = [our / base for our, base in zip(ours, bare, strict=True)]
    return [
        Figure("first stdio reply of the bare SDK, p50", median(bare), "ms"),
        Figure("first stdio reply, p50", median(ours), "ms"),
        of_rounds("first stdio reply against the bare SDK", ratios, "x", 0.4, gates=True),
    ]


async def _main() -> int:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        print("Measuring the processing of screens …", file=sys.stderr)
        figures += pure.measure()
        print("Printing screens for models …", file=sys.stderr)
        figures += await economy.measure()
        print("Playing tasks on both surfaces …", file=sys.stderr)
        figures += await tasks.measure()
        print("Recording calls …", file=sys.stderr)
        figures += await recording.measure(Path(folder))
        print("Measuring waits …", file=sys.stderr)
        figures += await waiting.measure()
        print("Measuring calls over HTTP …", file=sys.stderr)
        figures += await measure_calls(Path(folder))
        print("Acting and reading in one call …", file=sys.stderr)
        figures += await acting.measure(Path(folder))
        print("Discovering and calling app tools …", file=sys.stderr)
        figures += await app_tools.measure(Path(folder))
        print("Watching the phone in a console …", file=sys.stderr)
        figures += await console.measure(Path(folder))
        print("Measuring typing …", file=sys.stderr)
        figures += await typing.measure(Path(folder))
        print("Scrolling …", file=sys.stderr)
        figures += await scrolling.measure()
        print("Measuring the first reply over stdio …", file=sys.stderr)
        figures += await measure_first_reply(Path(folder))
        print("Starting commands …", file=sys.stderr)
        figures += await commands.measure(Path(folder))
        print(f"Running {crowd.CLIENTS} clients for {crowd.SECONDS:g} s …", file=sys.stderr)
        figures += await crowd.measure()
        figures += await crowd.measure_rate(Path(folder))
        print("Measuring adb …", file=sys.stderr)
        figures += await wire.measure(Path(folder))
        print("Reading screens with and without latency …", file=sys.stderr)
        figures += await reading.measure()
        figures += await reading.measure_surfaces(Path(folder))
        print(f"Using {phones.PHONES} phones for {phones.SECONDS:g} s …", file=sys.stderr)
        figures += await phones.measure(Path(folder))
    print(show(figures))
    save(figures, Path("build/bench.json"))
    failed = [figure.name for figure in figures if figure.gates and not figure.within]
    if failed:
        print(f"\nOver the limit: {'; '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(
            "python -m bench takes no arguments: it measures everything and takes some minutes."
        )
    sys.exit(asyncio.run(_main()))
