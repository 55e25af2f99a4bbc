"""What a person at a terminal sees: answers on stdout, everything else on stderr."""

import contextlib
import re
import sys
from typing import TextIO

_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal takes for an order to it, or to write backwards: an app's words may hold it."""


class AnswerLost(Exception):
    """Stdout takes nothing more, as where the disk is full."""


def say(text: str = "") -> None:
    """A line of the answer. What the terminal cannot show becomes a question mark. Raises
    AnswerLost, or BrokenPipeError where the reader has gone."""
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise AnswerLost(f"The answer cannot be written: {problem.strerror}.") from problem


def complain(text: str) -> None:
    note(f"handheld: {text}")


def note(text: str) -> None:
    # There is no further place to say that this one is full.
    with contextlib.suppress(OSError):
        _write(sys.stderr, text)


def _write(stream: TextIO | None, text: str) -> None:
    """A stream that was closed before we began is None, and is written nothing, as by print."""
    if stream is None:
        return
    if stream.isatty():
        text = _COMMANDS.sub("?", text)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()
