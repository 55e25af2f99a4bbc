"""The cost of adb: a shell command and 20 MB each way, through an adb server and directly."""

import asyncio
import os
import random
import shutil
import time
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from handheld.adb.direct import DirectLink
from handheld.adb.link import Link
from handheld.adb.server import AdbServer, ServerLink
from handheld.adb.shell import run
from handheld.adb.sync import pull, push

from .figures import Figure, median, of_rounds, percentile
from .ports import keep_port
from .programs import virtual_phone
from .timing import time_calls, time_in_turns

COMMANDS = 200
MEGABYTES = 20
SHELL_LIMIT = 6.0
"""The version request is one round trip to the server; a shell is that and three round trips to the
phone."""
_READY_SECONDS = 10.0


async def measure(home: Path) -> list[Figure]:
    figures: list[Figure] = []
    async with virtual_phone(home) as (_, port):
        direct = await DirectLink.connect("127.0.0.1", port)
        try:
            figures.append(await _shells("directly", direct))
            figures += await _files("directly", direct)
        finally:
            await direct.aclose()
        if shutil.which("adb") is None:
            print("adb is not installed: the measurements through its server are skipped.")
            return figures
        async with _adb_server(home) as server:
            await server.connect(f"127.0.0.1:{port}")
            link = ServerLink(server, f"127.0.0.1:{port}")
            figures += await _shells_against(server, link)
            figures += await _files("through the adb server", link)
    return figures


async def _shells(way: str, link: Link) -> Figure:
    async def echo() -> None:
        answer = await run(link, ["echo", "hello"])
        if answer.stdout != b"hello\n":
            raise RuntimeError(f"The phone's echo returned {answer}")

    await time_calls(echo, 20)
    return Figure(f"shell echo {way}, p50", median(await time_calls(echo, COMMANDS)), "ms")


async def _shells_against(server: AdbServer, link: Link) -> list[Figure]:
    turns = await time_in_turns(
        server.version, lambda: run(link, ["echo", "hello"]), 20, COMMANDS // 20
    )
    shells = turns.measured
    return [
        Figure("version request to the adb server, p50", median(turns.baseline), "ms"),
        Figure("shell echo through the adb server, p50", median(shells), "ms"),
        Figure("shell echo through the adb server, p95", percentile(shells, 0.95), "ms"),
        of_rounds(
            "shell echo against the version request", turns.ratios, "x", SHELL_LIMIT, gates=True
        ),
    ]


async def _files(way: str, link: Link) -> list[Figure]:
    data = random.Random(20).randbytes(MEGABYTES << 20)
    path = "/sdcard/Download/bench.bin"
    pushes: list[float] = []
    pulls: list[float] = []
    for _ in range(3):
        begun = time.perf_counter()
        await push(link, data, path)
        pushes.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        back = await pull(link, path, limit=len(data))
        pulls.append(time.perf_counter() - begun)
        if back != data:
            raise RuntimeError("The phone returned another file")
    await run(link, ["rm", path])
    return [
        Figure(f"push of {MEGABYTES} MB {way}", MEGABYTES / median(pushes), "MB/s"),
        Figure(f"pull of {MEGABYTES} MB {way}", MEGABYTES / median(pulls), "MB/s"),
    ]


@asynccontextmanager
async def _adb_server(home: Path) -> AsyncGenerator[AdbServer]:
    """Start a separate adb server: the user's own one is not touched."""
    port = keep_port()
    given = {"HOME": str(home), "ANDROID_ADB_SERVER_PORT": str(port), "ADB_MDNS": "0"}
    process = await asyncio.create_subprocess_exec(
        *("adb", "nodaemon", "server"),
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        env=os.environ | given,
    )
    try:
        async with asyncio.timeout(_READY_SECONDS):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.02)
                else:
                    break
            writer.close()
            await writer.wait_closed()
        yield AdbServer(port=port)
    finally:
        process.terminate()
        await process.wait()
