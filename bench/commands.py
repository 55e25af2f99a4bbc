"""How long small commands take, including the start of the program."""

import time
from pathlib import Path

from .figures import Figure, median
from .programs import free_port, running, server, virtual_phone

RUNS = 7


async def measure(home: Path) -> list[Figure]:
    port = free_port()
    async with (
        virtual_phone(home) as (_, phone),
        server(home, f"127.0.0.1:{phone}", port),
    ):
        return [
            Figure("handheld --help, p50", await _median(home, "--help"), "ms"),
            Figure(
                "handheld call through a running server, p50",
                await _median(home, "call", "tap", "x=540", "y=1200"),
                "ms",
            ),
        ]


async def _median(home: Path, *arguments: str) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        async with running(("-m", "handheld", *arguments), home) as process:
            output, _ = await process.communicate()
        times.append((time.perf_counter() - start) * 1000)
        if process.returncode:
            raise RuntimeError(f"handheld {' '.join(arguments)} failed: {output.decode()}")
    return median(times)
