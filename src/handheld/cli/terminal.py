"""What a person at a terminal sees: answers on stdout, everything else on stderr."""

import sys


def say(text: str = "") -> None:
    """A line of the answer. What the terminal cannot show becomes a question mark."""
    sys.stdout.write(_printable(text, sys.stdout.encoding) + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    sys.stderr.write(_printable(f"handheld: {text}", sys.stderr.encoding) + "\n")
    sys.stderr.flush()


def note(text: str) -> None:
    sys.stderr.write(_printable(text, sys.stderr.encoding) + "\n")
    sys.stderr.flush()


def _printable(text: str, encoding: str | None) -> str:
    encoding = encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
