"""Output to the terminal: results on stdout, everything else on stderr."""

import contextlib
import re
import sys
from typing import TextIO

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters and marks that reverse the direction of text; an app's text may hold them."""


class OutputLost(Exception):
    """Stdout cannot be written, for example because the disk is full."""


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


def show_progress(text: str) -> None:
    """Replace the last line on a terminal; nothing is shown elsewhere."""
    if sys.stderr is not None and sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        with contextlib.suppress(OSError):
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()


def _write(stream: TextIO | None, text: str) -> None:
    """Write a line. A stream that was closed before the start is None and ignored, as by print."""
    if stream is None:
        return
    if stream.isatty():
        text = _CONTROLS.sub("?", text)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()
