"""What a program's imports cost when it starts, module by module: Python's `-X importtime`."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from .client import HELLO
from .figures import Figure, median
from .ports import keep_port
from .programs import first_line, healthy, running, server, virtual_phone

ROUNDS = 3
TOP = 12
_LINE = re.compile(r"import time: +(\d+) \| +(\d+) \| +(\S+)")


class Module(NamedTuple):
    name: str
    ms: float
    """With all that it imports and nobody imported before."""
    own_ms: float


def read(report: str) -> list[Module]:
    """What Python reported, in the order in which the modules were done."""
    found = _LINE.findall(report)
    return [Module(name, int(both) / 1000, int(own) / 1000) for own, both, name in found]


def middle(rounds: Iterable[Sequence[Module]]) -> list[Module]:
    """The medians of each module, the costliest first."""
    times: dict[str, list[Module]] = {}
    for modules in rounds:
        for module in modules:
            times.setdefault(module.name, []).append(module)
    medians = [
        Module(name, median([one.ms for one in each]), median([one.own_ms for one in each]))
        for name, each in times.items()
    ]
    return sorted(medians, key=lambda module: module.ms, reverse=True)


def table(program: str, modules: Sequence[Module]) -> str:
    total = sum(module.own_ms for module in modules)
    lines = [f"{program}: {len(modules)} modules, {total:.1f} ms", f"{'ms':>8}{'own ms':>8}"]
    lines += [f"{one.ms:>8.1f}{one.own_ms:>8.1f}  {one.name}" for one in modules[:TOP]]
    return "\n".join(lines)


@asynccontextmanager
async def _called(home: Path, report: Path) -> AsyncGenerator[None]:
    """A command through a running server, to its end."""
    async with (
        virtual_phone(home) as (_, phone),
        server(home, f"127.0.0.1:{phone}", keep_port()),
        _started(home, report, "call", "tap", "x=540", "y=1200") as process,
    ):
        if await process.wait():
            raise RuntimeError("handheld call failed")
        yield


@asynccontextmanager
async def _answered(home: Path, report: Path) -> AsyncGenerator[None]:
    """A stdio server, up to its first reply."""
    async with _started(home, report, "stdio", "--phone", "virtual") as process:
        assert process.stdin is not None
        process.stdin.write(HELLO)
        if "result" not in json.loads(await first_line(process)):
            raise RuntimeError("handheld stdio did not answer")
        yield
        process.stdin.close()
        await process.wait()


@asynccontextmanager
async def _served(home: Path, report: Path) -> AsyncGenerator[None]:
    """A server, until it can be asked."""
    port = keep_port()
    async with _started(home, report, "serve", "--phone", "virtual", "--port", str(port)):
        await healthy(port)
        yield


@asynccontextmanager
async def _started(
    home: Path, report: Path, *arguments: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    with report.open("wb") as file:
        timed = ("-X", "importtime", "-m", "handheld", *arguments)
        async with running(timed, home, stderr=file) as process:
            yield process


PROGRAMS: Mapping[str, Callable[[Path, Path], AbstractAsyncContextManager[None]]] = {
    "handheld call through a running server": _called,
    "handheld stdio up to the first reply": _answered,
    "handheld serve": _served,
}


async def measure(home: Path) -> list[Figure]:
    figures: list[Figure] = []
    report = home / "imports.txt"
    for program, started in PROGRAMS.items():
        rounds: list[list[Module]] = []
        for _ in range(ROUNDS):
            async with started(home, report):
                rounds.append(read(report.read_text(encoding="utf-8")))
        modules = middle(rounds)
        print(table(f"imports of {program}", modules), file=sys.stderr)
        figures.append(
            Figure(
                f"imports of {program}, {len(modules)} modules",
                sum(module.own_ms for module in modules),
                "ms",
                details=[module._asdict() for module in modules],
            )
        )
    return figures
