"""How long small commands take, including the start of the program."""

import time
from pathlib import Path

from .figures import Figure, median, of_rounds
from .programs import free_port, running, server, virtual_phone

RUNS = 9
LIMIT = 10.0
"""Of a Python that does nothing; asyncio's import alone is a third of it."""


async def measure(home: Path) -> list[Figure]:
    port = free_port()
    async with (
        virtual_phone(home) as (_, phone),
        server(home, f"127.0.0.1:{phone}", port),
    ):
        nothing: list[float] = []
        helps: list[float] = []
        calls: list[float] = []
        for _ in range(RUNS):
            nothing.append(await _time(home, "-c", "pass"))
            helps.append(await _time(home, "-m", "handheld", "--help"))
            calls.append(await _time(home, "-m", "handheld", "call", "tap", "x=540", "y=1200"))
    ratios = [call / base for call, base in zip(calls, nothing, strict=True)]
    return [
        Figure("python that does nothing, p50", median(nothing), "ms"),
        Figure("handheld --help, p50", median(helps), "ms"),
        Figure("handheld call through a running server, p50", median(calls), "ms"),
        of_rounds("the same against python that does nothing", ratios, "x", LIMIT),
    ]


async def _time(home: Path, *arguments: str) -> float:
    start = time.perf_counter()
    async with running(arguments, home) as process:
        output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed: {output.decode()}")
    return (time.perf_counter() - start) * 1000
