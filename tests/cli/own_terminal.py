"""A program with a terminal of its own: /dev/tty is there, whatever its streams are."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

from cli.program import HANDHELD, Home
from harness.polling import HANG

_START = (
    "import os, sys\n"
    "os.close(os.open(sys.argv[1], os.O_RDWR))\n"  # a session's first terminal becomes its own
    "os.execv(sys.argv[2], sys.argv[2:])"
)


class OwnTerminal:
    def __init__(self, handle: int, process: subprocess.Popen[bytes]) -> None:
        self._handle = handle
        self.process = process
        self.shown = ""
        """Up to what was waited for."""
        self._ahead = ""

    def until(self, pattern: str) -> re.Match[str]:
        """Wait until it is shown."""
        while not (found := re.search(pattern, self._ahead)):
            assert select.select([self._handle], [], [], HANG)[0], self.shown + self._ahead
            try:
                data = os.read(self._handle, 65536)
            except OSError:  # as Linux reports that all programs have closed it
                data = b""
            assert data, f"{pattern} is not in {self.shown}{self._ahead}"
            self._ahead += data.decode().replace("\r\n", "\n")
        self.shown += self._ahead[: found.end()]
        self._ahead = self._ahead[found.end() :]
        return found

    def type(self, keys: str) -> None:
        os.write(self._handle, keys.encode())

    def end(self) -> tuple[int, str]:
        """Wait for its exit. Returns the code, and all that was shown."""
        while True:
            assert select.select([self._handle], [], [], HANG)[0], self.shown + self._ahead
            try:
                data = os.read(self._handle, 65536)
            except OSError:
                data = b""
            if not data:
                code = self.process.wait(HANG)
                return code, self.shown + self._ahead
            self._ahead += data.decode().replace("\r\n", "\n")


@contextmanager
def own_terminal(
    home: Home, *arguments: str, stdin: int | None = None, stdout: int | None = None
) -> Generator[OwnTerminal]:
    """The streams are the terminal, too, unless others are given."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _START, os.ttyname(theirs), *HANDHELD, *arguments],
        env=home.environment,
        cwd=home.folder,
        stdin=theirs if stdin is None else stdin,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield OwnTerminal(ours, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait(HANG)
        os.close(ours)


def run_at_terminal(home: Home, *arguments: str, typed: str) -> tuple[int, str]:
    """The exit code of a program that asks once, and all that it showed."""
    with own_terminal(home, *arguments) as terminal:
        terminal.until(": $")
        terminal.type(f"{typed}\n")
        return terminal.end()
