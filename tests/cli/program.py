"""Running `handheld` as a user would, in a separate home folder without adb."""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

import pytest

from cli.zygote import Forked, Zygote
from harness.polling import HANG, wait_until

HANDHELD = [sys.executable, "-m", "handheld"]


ADB_ALONE = {"ADB_MDNS": "0", "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553"}
"""Variables for an adb server that finds no phone by itself: neither over mDNS, nor an emulator
where something else listens on port 5555."""


def need_adb() -> str:
    return shutil.which("adb") or pytest.fail(
        "adb is not installed. On Debian: apt-get install adb"
    )


@cache
def zygote() -> Zygote:
    """The zygote for all tests of this process; it exits with the process."""
    return Zygote()


def processes_of(home: Path) -> dict[int, str]:
    """The command lines of the programs that run with this home, by process id."""
    mark = f"HANDHELD_HOME={home / 'handheld'}".encode()
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(folder.name)] = line.decode(errors="replace")
    return found


def left_running(home: Path) -> dict[int, str]:
    """The programs of this home that do not end."""
    with contextlib.suppress(TimeoutError):
        wait_until(lambda: not processes_of(home))
    return processes_of(home)


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()


@dataclass(frozen=True, slots=True)
class Home:
    folder: Path
    adb_port: int = 1
    """Nothing listens on port 1; a port that is free now may be in use a moment later."""
    further: Mapping[str, str] = field(default_factory=dict[str, str])
    """Additional environment variables."""

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": "/nonexistent",
            "HOME": str(self.folder),
            "HANDHELD_HOME": str(self.folder / "handheld"),
            "ANDROID_ADB_SERVER_PORT": str(self.adb_port),
            "LANG": "C.UTF-8",
            "PYTHONWARNINGS": "error::ResourceWarning",
            **self.further,
        }

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        with contextlib.ExitStack() as stack:
            given, out, errors = (
                stack.enter_context(tempfile.TemporaryFile(dir=self.folder)) for _ in range(3)
            )
            given.write(stdin.encode())
            given.seek(0)
            handles = (given.fileno(), out.fileno(), errors.fileno())
            program = zygote().fork(arguments, self.environment, self.folder, handles)
            try:
                code = program.wait(HANG)
            finally:
                program.kill()
            output, complained = (_read(stream) for stream in (out, errors))
        return subprocess.CompletedProcess(arguments, code, output, complained)

    def execute(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same in a fresh Python process instead of a fork."""
        return subprocess.run(
            [*HANDHELD, *arguments],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=HANG,
            check=False,
        )

    @contextlib.contextmanager
    def start(self, *arguments: str, end: int = signal.SIGTERM) -> Generator["Program"]:
        """A program that runs for the length of the block; then it is signalled and must exit."""
        if "PYTHONPATH" in self.further:  # which Python reads when it starts
            process = subprocess.Popen(
                [*HANDHELD, *arguments],
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        else:
            process = zygote().fork_with_pipes(arguments, self.environment, self.folder)
        program = Program(process)
        try:
            yield program
            process.send_signal(end)
            program.ended()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(HANG)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    with contextlib.suppress(BrokenPipeError):
                        stream.close()

    def left_behind(self) -> list[str]:
        """Processes of this home that do not end, and stray files."""
        left = left_running(self.folder).values()
        files = [path for path in (self.folder / "handheld").rglob("*") if path.is_file()]
        known = {"token", "handheld.toml", "adbkey", "storage.toml", "apps.json", "apps.lock"}
        known |= {"calls.sqlite", "calls.head", "ref-letters"}
        known |= {"unasked-messages.json", "unasked-messages.lock"}
        return [*left, *(str(path) for path in files if path.name not in known)]

    def phone_pids(self) -> list[int]:
        """The processes of virtual phones."""
        running = processes_of(self.folder)
        return [pid for pid, command in running.items() if "handheld_virtual" in command]


class Program:
    """A running program: its output lines, and JSON-RPC over its stdin and stdout."""

    def __init__(self, process: Forked | subprocess.Popen[bytes]) -> None:
        self.process = process
        self._held = b""
        self._ids = 0
        self.errors = ""
        """Its stderr, complete once it has exited."""

    def line(self) -> str:
        """The next line of stdout, without the line break; "" at the end of file."""
        assert self.process.stdout is not None
        handle = self.process.stdout.fileno()
        while b"\n" not in self._held:
            ready, _, _ = select.select([handle], [], [], HANG)
            assert ready, f"No line within {HANG} s; so far {self._held!r}"
            data = os.read(handle, 65536)
            if not data:
                return ""
            self._held += data
        line, _, self._held = self._held.partition(b"\n")
        return line.decode()

    def until(self, pattern: str) -> re.Match[str]:
        """The first line that matches."""
        while line := self.line():
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"It ended without saying {pattern!r}. {self.ended()}")

    def ask(self, method: str, **params: Any) -> Any:
        """One request over stdio, and its result or error."""
        assert self.process.stdin is not None
        self._ids += 1
        request = {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while line := self.line():
            answer = json.loads(line)
            if answer.get("id") == self._ids:
                return answer.get("result", answer.get("error"))
        raise AssertionError(f"It ended without an answer. {self.ended()}")

    def hello(self) -> Any:
        client = {"name": "test", "version": "1"}
        result = self.ask(
            "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client
        )
        assert self.process.stdin is not None
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.process.stdin.flush()
        return result

    def call(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Whether the tool failed, and the first text of its reply."""
        result = self.ask("tools/call", name=name, arguments=arguments)
        return bool(result.get("isError")), result["content"][0]["text"]

    def ended(self) -> str:
        """Wait for its exit. Returns its stderr."""
        assert self.process.stderr is not None
        if not self.errors:
            self.errors = self.process.stderr.read().decode()
        self.process.wait(HANG)
        return self.errors
