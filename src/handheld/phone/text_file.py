"""Text files: detection of text, and paging by lines.

A file is text when it holds no NUL and at most three tenths of its characters are control
characters or invalid UTF-8. A byte order mark is not shown; invalid bytes are shown as U+FFFD.
Files are edited as bytes, so that neither is lost.
"""

import re
from collections.abc import Sequence

BOM = b"\xef\xbb\xbf"
REPLY_LIMIT = 1024 * 1024
"""Characters after which a page ends early; a page has at least one line, whole."""
_STRANGE = re.compile("[\x01-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_LINE_END = re.compile("\r\n|\r|\n")


def decode_text(data: bytes) -> str | None:
    """Return the text of a file; None if it is not text."""
    if b"\0" in data:
        return None
    text = data.removeprefix(BOM).decode(errors="replace")
    strange = sum(1 for _ in _STRANGE.finditer(text))
    return None if strange * 10 > len(text) * 3 else text


def split_lines(text: str) -> list[str]:
    """Return the lines without line ends. A line end at the end of the file adds no empty line; an
    empty file is one empty line."""
    lines = _LINE_END.split(text)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def page(lines: Sequence[str], offset: int, limit: int) -> str:
    """Return numbered lines from `offset` on, and how to continue if there are more."""
    shown: list[str] = []
    size = 0
    for number, line in enumerate(lines[offset - 1 : offset - 1 + limit], offset):
        size += len(line)
        if shown and size > REPLY_LIMIT:
            break
        shown.append(f"{number}| {line}")
    following = offset + len(shown)
    if following <= len(lines):
        shown.append(
            f"--- More lines available. Use offset={following} to continue reading."
            f" Total lines: {len(lines)} ---"
        )
    return "\n".join(shown)
