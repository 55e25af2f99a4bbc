"""Output to the terminal: results on stdout, everything else on stderr."""

import contextlib
import re
import sys
from collections.abc import Generator
from typing import TextIO

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters and marks that reverse the direction of text; an app's text may hold them."""

_CLEAR = "\r\x1b[K"


class OutputLost(Exception):
    """Stdout cannot be written, for example because the disk is full."""


def without_controls(text: str) -> str:
    """Text as a terminal may show it."""
    return _CONTROLS.sub("?", text)


def print_line(text: str = "") -> None:
    """Print a line of the result. Characters that the terminal cannot show become question marks.
    Raises OutputLost, or BrokenPipeError if the reader has closed the pipe."""
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise OutputLost(f"The output cannot be written: {problem.strerror}.") from problem


def print_error(text: str) -> None:
    print_note(f"handheld: {text}")


def print_note(text: str) -> None:
    # If stderr fails too, there is nowhere left to report it.
    with contextlib.suppress(OSError):
        _write(sys.stderr, text)


def ask(question: str) -> bool:
    """Whether the person at the terminal says yes. No, where there is none."""
    if sys.stdin is None or not sys.stdin.isatty():
        print_note(f"{question} Nobody is here to answer: say --yes.")
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@contextlib.contextmanager
def shown_progress() -> Generator[None]:
    """Show at a terminal how far the call in this block has come, on a line that is cleared."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield
        return
    from ..progress import watched

    line = ""

    def show(progress: float, total: float | None, message: str) -> None:
        nonlocal line
        share = f": {min(progress / total, 1):.0%}" if total else ""
        if line != (line := without_controls(message) + share):
            with contextlib.suppress(OSError):
                stream.write(f"{_CLEAR}{line}")
                stream.flush()

    try:
        with watched(show):
            yield
    finally:
        if line:
            with contextlib.suppress(OSError):
                stream.write(_CLEAR)
                stream.flush()


def _write(stream: TextIO | None, text: str) -> None:
    """Write a line. A stream that was closed before the start is None and ignored, as by print."""
    if stream is None:
        return
    if stream.isatty():
        text = without_controls(text)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()
