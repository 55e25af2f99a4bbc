"""Starts and stops the programs that are measured."""

import asyncio
import os
import socket
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

TOKEN = "bench"
_READY_SECONDS = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")
"""Clock ticks per second, for Linux's process times."""


@asynccontextmanager
async def running(arguments: Sequence[str], home: Path) -> AsyncGenerator[Process]:
    environment = os.environ | {"HANDHELD_HOME": str(home), "HANDHELD_TOKEN": TOKEN}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=PIPE, stdout=PIPE, env=environment
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
    arguments = ("-m", "handheld.virtual", "--with-stdin-lifeline", "--port", "0")
    async with running(arguments, home) as process:
        yield process, int((await first_line(process)).removeprefix("PORT "))


@asynccontextmanager
async def server(home: Path, phone: str, port: int, *options: str) -> AsyncGenerator[Process]:
    arguments = ("-m", "handheld", "serve", "--phone", phone, "--port", str(port), *options)
    async with running(arguments, home) as process:
        await _healthy(port)
        yield process


async def _healthy(port: int) -> None:
    async with asyncio.timeout(_READY_SECONDS), httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                if (await http.get(f"http://127.0.0.1:{port}/health")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_mb(pid: int) -> float:
    answer = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True, text=True
    )
    return int(answer.stdout) / 1024
