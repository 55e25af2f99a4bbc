"""Starts and ends the programs of a run: phones, the adb server, the server under test."""

import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.ports import keep_port

READY_SECONDS = 180.0
RECORD_MB = 64
"""Room for the record of calls where it has a file system of its own."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


@asynccontextmanager
async def ended(process: Process) -> AsyncGenerator[Process]:
    """End the process with the block."""
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(10):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


@dataclass(frozen=True, slots=True)
class PhonePlan:
    slug: str
    api: int
    helper: bool
    by_server: bool
    """Through an adb server, where there is one."""
    change_ms: float
    clients: tuple[int, ...] = tuple(range(8))
    """Which clients use it: fewer those of a phone that takes seconds for each screen."""


class PhoneProgram:
    """A virtual phone in its own process."""

    def __init__(self, plan: PhonePlan, process: Process, port: int, journal: Path) -> None:
        self.plan, self.port, self.journal = plan, port, journal
        self._process = process
        self._asking = asyncio.Lock()

    async def ask(self, do: str, **values: object) -> dict[str, Any]:
        # The answer is read even if nobody waits for it any more: the next is another's.
        return await asyncio.shield(self._exchange({"do": do, **values}))

    async def _exchange(self, command: dict[str, object]) -> dict[str, Any]:
        async with self._asking:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The phone {self.plan.slug} has ended.")
        return json.loads(line)


@asynccontextmanager
async def phone_program(plan: PhonePlan, home: Path, seed: int) -> AsyncGenerator[PhoneProgram]:
    journal = home / f"{plan.slug}.journal"
    journal.touch()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "chaos.phone", "--journal", str(journal)),
        *("--api", str(plan.api), "--serial", f"CHAOS{plan.slug.upper()}"),
        *("--seed", str(seed), "--change-ms", str(plan.change_ms)),
        *(() if plan.helper else ("--no-helper",)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=(home / f"{plan.slug}.stderr").open("wb"),
        limit=64 * 1024 * 1024,
    )
    async with ended(process):
        assert process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            port = json.loads(await process.stdout.readline())["port"]
        yield PhoneProgram(plan, process, port, journal)


class AdbServer:
    """An adb server of our own, on a port of its own."""

    def __init__(self, home: Path) -> None:
        self.port = keep_port()
        self._environment = os.environ | {
            "HOME": str(home),
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            # It finds no phones by itself.
            "ADB_MDNS": "0",
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
        }
        self._addresses: list[str] = []

    async def run(self, *arguments: str) -> None:
        process = await asyncio.create_subprocess_exec(
            "adb",
            *("-P", str(self.port), *arguments),
            env=self._environment,
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
        try:
            async with asyncio.timeout(READY_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()

    async def connect(self, address: str) -> None:
        self._addresses.append(address)
        await self.run("connect", address)

    async def restart(self) -> None:
        await self.run("kill-server")
        await self.run("start-server")
        for address in self._addresses:
            await self.run("connect", address)


@asynccontextmanager
async def adb_server(home: Path) -> AsyncGenerator[AdbServer | None]:
    if shutil.which("adb") is None:
        yield None
        return
    server = AdbServer(home)
    await server.run("start-server")
    try:
        yield server
    finally:
        await server.run("kill-server")


class Server:
    """`handheld serve`, and the disk of its record."""

    def __init__(self, process: Process, port: int, audit: Path, own_disk: bool) -> None:
        self.process, self.port, self.own_disk = process, port, own_disk
        # Its own file systems are seen through it.
        self._audit = Path(f"/proc/{process.pid}/root{audit}") if own_disk else audit
        self._limits = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)

    def fill_disk(self) -> None:
        """Leave no room for the record: its file system is full, or, where we may not have one,
        no file of the server may grow."""
        if self.own_disk:
            with (self._audit / "filler").open("wb", buffering=0) as file:
                for size in (1024 * 1024, 4096, 1):
                    try:
                        while True:
                            file.write(bytes(size))
                    except OSError:
                        continue
        else:
            resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (0, self._limits[1]))

    def free_disk(self) -> None:
        if self.own_disk:
            (self._audit / "filler").unlink(missing_ok=True)
        else:
            resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, self._limits)

    def resident_mb(self) -> float:
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * _PAGE / 1024 / 1024


def mounting_prefix(folder: Path) -> list[str] | None:
    """How to start a program with a file system of its own for this folder; None where we may
    not."""
    mount = f'mount -t tmpfs -o size={RECORD_MB}m,mode=700 none "$0" && exec "$@"'
    for unshare in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        prefix = [*unshare, "sh", "-c", mount, str(folder)]
        if (
            shutil.which("unshare")
            and not subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
        ):
            return prefix
    return None


@asynccontextmanager
async def handheld_server(
    home: Path, environment: dict[str, str], arguments: list[str], port: int
) -> AsyncGenerator[Server]:
    audit = home / "state" / "audit"
    audit.mkdir(parents=True, mode=0o700, exist_ok=True)
    command = [sys.executable, "-P", "-m", "handheld", "serve", "--port", str(port), *arguments]
    prefix = mounting_prefix(audit)
    process = await asyncio.create_subprocess_exec(
        *(prefix or ()),
        *command,
        env=environment,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=(home / "server.stderr").open("wb"),
    )
    async with ended(process):
        await _answers(port, process)
        yield Server(process, port, audit, prefix is not None)


async def _answers(port: int, process: Process) -> None:
    async with asyncio.timeout(READY_SECONDS):
        while process.returncode is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return
    raise RuntimeError("The server has ended; its stderr says why.")
