"""How long small commands take, including the start of the program."""

import resource
import time
from pathlib import Path
from typing import NamedTuple

from .figures import Figure, median, of_rounds
from .ports import keep_port
from .programs import running, server, virtual_phone

RUNS = 15
LIMIT = 10.0
"""Of a Python that does nothing."""


class _Spent(NamedTuple):
    ms: float
    processor_ms: float


async def measure(home: Path) -> list[Figure]:
    port = keep_port()
    async with (
        virtual_phone(home) as (_, phone),
        server(home, f"127.0.0.1:{phone}", port),
    ):
        nothing: list[_Spent] = []
        helps: list[_Spent] = []
        calls: list[_Spent] = []
        for _ in range(RUNS):
            nothing.append(await _time(home, "-c", "pass"))
            helps.append(await _time(home, "-m", "handheld", "--help"))
            calls.append(await _time(home, "-m", "handheld", "call", "tap", "x=540", "y=1200"))
    pairs = list(zip(calls, nothing, strict=True))
    return [
        Figure("python that does nothing, p50", median([each.ms for each in nothing]), "ms"),
        Figure("handheld --help, p50", median([each.ms for each in helps]), "ms"),
        Figure(
            "handheld call through a running server, p50", median([each.ms for each in calls]), "ms"
        ),
        of_rounds(
            "the same against python that does nothing",
            [call.ms / base.ms for call, base in pairs],
            "x",
            LIMIT,
        ),
        of_rounds(
            "the same in processor time",
            [call.processor_ms / base.processor_ms for call, base in pairs],
            "x",
            LIMIT,
            gates=True,
        ),
    ]


async def _time(home: Path, *arguments: str) -> _Spent:
    start, before = time.perf_counter(), _processor_seconds()
    async with running(arguments, home) as process:
        output, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} failed: {output.decode()}")
    spent = time.perf_counter() - start, _processor_seconds() - before
    return _Spent(*(seconds * 1000 for seconds in spent))


def _processor_seconds() -> float:
    """Of the programs that have ended; the server and the phone still run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
