"""The terminal of this process. A person is asked there, never on stdin, which may be a pipe."""

import os
import select
import sys
import termios
from contextlib import suppress

from .terminal import without_controls

NO_TERMINAL = "This asks you at a terminal, and there is none here"
"""How a refusal begins."""


class Tty:
    def __init__(self, handle: int) -> None:
        self._handle = handle

    def print(self, text: str, end: str = "\n") -> None:
        """Raises OSError."""
        data = without_controls(text).encode("utf-8", "replace") + end.encode()
        while data:
            data = data[os.write(self._handle, data) :]

    def ask(self, question: str, interrupted: int | None = None) -> str | None:
        """What is typed after the question; "" for the end of the input (Ctrl-D). None if there was
        something to read at `interrupted` first. Raises OSError."""
        # A key that was pressed before the question was there answers another one, or none.
        with suppress(termios.error):
            termios.tcflush(self._handle, termios.TCIFLUSH)
        self.print(question, end="")
        typed = b""
        while not typed.endswith(b"\n"):
            watched = [self._handle] if interrupted is None else [self._handle, interrupted]
            ready, _, _ = select.select(watched, [], [])
            if interrupted in ready:
                return None
            part = os.read(self._handle, 4096)
            if not part:
                return ""
            typed += part
        return typed.decode(errors="replace")

    def confirm(self, question: str) -> bool:
        """Whether the person says yes. Raises OSError."""
        typed = self.ask(f"{question} y = yes, anything else = no: ")
        return (typed or "").strip().lower() in ("y", "yes")

    def close(self) -> None:
        os.close(self._handle)


def open_tty() -> Tty | None:
    """None where nobody is at a terminal: there is none, this process is in its background, or it
    has only pipes, as the programs that an agent runs."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not any(stream is not None and stream.isatty() for stream in streams):
        return None
    try:
        handle = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        foreground = os.tcgetpgrp(handle) == os.getpgrp()
    except OSError:
        foreground = False
    if foreground:
        return Tty(handle)
    os.close(handle)
    return None
