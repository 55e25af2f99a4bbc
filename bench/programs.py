"""Starts and stops the programs that are measured."""

import asyncio
import os
import subprocess
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import httpx

TOKEN = "bench"
TESTS = Path(__file__).resolve().parent.parent / "tests"
TESTBED = f"{TESTS / 'testbed' / 'screens.py'}:Testbed"
"""Its screens are shown to be measured."""
_READY_SECONDS = 120.0


@asynccontextmanager
async def running(
    arguments: Sequence[str], home: Path, stderr: IO[bytes] | None = None
) -> AsyncGenerator[Process]:
    environment = os.environ | {
        "HANDHELD_HOME": str(home),
        "HANDHELD_TOKEN": TOKEN,
        "PYTHONPATH": str(TESTS),  # of the testbed
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=PIPE, stdout=PIPE, stderr=stderr, env=environment
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def first_line(process: Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(_READY_SECONDS):
        return (await process.stdout.readline()).decode().strip()


@asynccontextmanager
async def virtual_phone(home: Path) -> AsyncGenerator[tuple[Process, int]]:
    arguments = ("-m", "handheld_virtual", "--with-stdin-lifeline", "--port", "0", "--app", TESTBED)
    async with running(arguments, home) as process:
        yield process, int((await first_line(process)).removeprefix("PORT "))


@asynccontextmanager
async def server(home: Path, phone: str, port: int, *options: str) -> AsyncGenerator[Process]:
    arguments = ("-m", "handheld", "serve", "--phone", phone, "--port", str(port), *options)
    async with running(arguments, home) as process:
        await healthy(port)
        yield process


async def healthy(port: int) -> None:
    async with asyncio.timeout(_READY_SECONDS), httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                if (await http.get(f"http://127.0.0.1:{port}/health")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    # Linux's clock of another process, as clock_getcpuclockid(3) names it: /proc counts in steps of
    # 10 ms, which is longer than a round.
    return time.clock_gettime(~pid << 3 | 2)


def resident_mb(pid: int) -> float:
    answer = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True, text=True
    )
    return int(answer.stdout) / 1024


def proportional_mb(pid: int) -> float:
    """What a process has, with its share of what several have in common."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
