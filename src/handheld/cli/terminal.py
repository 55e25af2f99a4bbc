"""What a person at a terminal sees: answers on stdout, everything else on stderr."""

import re
import sys
from typing import TextIO

_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal takes for an order to it, or to write backwards: an app's words may hold it."""


def say(text: str = "") -> None:
    """A line of the answer. What the terminal cannot show becomes a question mark."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    _write(sys.stderr, f"handheld: {text}")


def note(text: str) -> None:
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    if stream.isatty():
        text = _COMMANDS.sub("?", text)
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()
