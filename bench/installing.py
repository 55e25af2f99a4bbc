"""Handheld installed as users do it, in a folder of its own, and used for the first time.

Needs nothing but Python's library, so that every Python can try itself, also one without this
repository: `python3.14 installing.py handheld-0.1.0-py3-none-any.whl handheld-0.1.0.tar.gz`.
"""

import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

SECONDS = 600.0
"""For a step that downloads on a slow line."""
_FOREIGN = ("PYTHON", "VIRTUAL_ENV", "HANDHELD_", "ANDROID_", "ADB_", "COVERAGE_", "MAKE", "MFLAGS")
"""Beginnings of variables of whoever runs this, which a new user does not have."""


class Failed(Exception):
    """A step went wrong. The message has what it printed."""


@dataclass(slots=True)
class Spent:
    seconds: float = 0.0
    processor_seconds: float = 0.0
    """Of programs that have ended."""


@contextmanager
def measured() -> Generator[Spent]:
    spent, begun, before = Spent(), time.perf_counter(), _processor_seconds()
    try:
        yield spent
    finally:
        spent.seconds = time.perf_counter() - begun
        spent.processor_seconds = _processor_seconds() - before


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Sandbox:
    """The folder in which all of it happens: programs, home, caches."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def environment(self) -> dict[str, str]:
        """That of a new user who has the same way into the network."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith(_FOREIGN)}
        self.home.mkdir(parents=True, exist_ok=True)
        return {
            **kept,
            "HOME": str(self.home),
            "HANDHELD_PORT": "0",
            "PIP_CACHE_DIR": str(self.folder / "pip-cache"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_CACHE_DIR": str(self.folder / "uv-cache"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
        }

    def run(
        self,
        *command: str | Path,
        cwd: Path | None = None,
        further: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """Run a program in the home folder, with `further` variables; return what it printed.
        Raises Failed."""
        run = subprocess.run(
            list(map(str, command)),
            env={**self.environment(), **further},
            cwd=cwd or self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        if run.returncode:
            shown = " ".join(map(str, command))
            raise Failed(f"{shown} ended with {run.returncode}:\n{run.stdout}")
        return run.stdout


def install_with_pip(sandbox: Sandbox, python: str, file: Path) -> tuple[str, ...]:
    """Make a virtual environment and install the file; return the command."""
    env = sandbox.folder / "env"
    sandbox.run(python, "-m", "venv", "--clear", env)
    sandbox.run(env / "bin/python", "-m", "pip", "install", "--quiet", file)
    return (str(env / "bin/handheld"),)


def install_with_pipx(sandbox: Sandbox, pipx: Path, python: str, files: Path) -> tuple[str, ...]:
    """By name, from a folder of files that stands for the registry."""
    tools = sandbox.folder / "pipx"
    places = {f"PIPX_{name}": str(tools / name.lower()) for name in ("HOME", "BIN_DIR", "MAN_DIR")}
    sandbox.run(
        *(pipx, "install", "--quiet", "--python", python, "handheld"),
        further={"PIP_FIND_LINKS": str(files), **places},
    )
    return (str(tools / "bin_dir/handheld"),)


def uvx_command(uv: Path, python: str, files: Path) -> tuple[str, ...]:
    """What installs and runs it in one step."""
    return (str(uv), "tool", "run", "--python", python, "--find-links", str(files), "handheld")


def call_first_tool(sandbox: Sandbox, command: Sequence[str]) -> str:
    """The screen of a virtual phone."""
    screen = sandbox.run(*command, "call", "phone_look", "--phone", "virtual")
    if '"Calculator"' not in screen:
        raise Failed(f"The first screen is not that of a virtual phone:\n{screen}")
    return screen


def ask_demo(
    sandbox: Sandbox,
    command: Sequence[str],
    arguments: Sequence[str] = ("demo",),
    cwd: Path | None = None,
) -> str:
    """Start the demo, and call a tool over HTTP by what it prints."""
    process = subprocess.Popen(
        [*command, *arguments],
        env=sandbox.environment(),
        cwd=cwd or sandbox.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        url = token = ""
        printed: list[str] = []
        for line in process.stdout:
            printed.append(line)
            url = url or _after(line, "served over MCP at ")
            token = token or _after(line, "Token: ")
            if "Ctrl-C" in line:
                return _look(url, token)
        raise Failed(f"The demo ended:\n{''.join(printed)}")
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(SECONDS)
        finally:
            process.stdout.close()


def _after(line: str, words: str) -> str:
    return line.partition(words)[2].strip()


def _look(url: str, token: str) -> str:
    params = {"name": "phone_look", "arguments": dict[str, str]()}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        result = json.load(answer)["result"]
    text = str(result["content"][0]["text"])
    if result.get("isError") or '"Calculator"' not in text:
        raise Failed(f"The demo answered:\n{text}")
    return text


def try_it(sandbox: Sandbox, command: Sequence[str]) -> Mapping[str, Spent]:
    """Use what was installed; return how long each step took. Raises Failed."""
    with measured() as version:
        shown = sandbox.run(*command, "--version")
    # uvx says before it what it downloads.
    if not shown.splitlines()[-1].startswith("handheld "):
        raise Failed(f"--version printed {shown!r}")
    with measured() as call:
        call_first_tool(sandbox, command)
    with measured() as demo:
        ask_demo(sandbox, command)
    if "complete -F" not in sandbox.run(*command, "completion", "bash"):
        raise Failed("There is no completion script.")
    return {"--version": version, "a tool call": call, "a call of the demo": demo}


def main(files: Sequence[str]) -> int:
    for file in map(Path, files):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = Sandbox(Path(folder))
            with measured() as installing:
                command = install_with_pip(sandbox, sys.executable, file.resolve())
            used = try_it(sandbox, command)
            steps = {"pip install": installing, **used}
            figures = ", ".join(f"{name} {spent.seconds:.1f} s" for name, spent in steps.items())
            sys.stdout.write(f"Python {platform.python_version()}, {file.name}: {figures}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
