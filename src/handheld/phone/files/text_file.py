"""Text files: detection of text, and paging by lines.

A file is text if it contains no NUL and at most three tenths of its characters are control
characters or invalid UTF-8. A byte order mark is not shown; invalid bytes are shown as U+FFFD.
Files are edited as bytes, which preserves both.

Fifty megabytes may be fifty million lines: they are counted in blocks and never listed, so the
counting thread does not block others for long.
"""

import re
from bisect import bisect_left
from codecs import getincrementaldecoder
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from ...screen.characters import visible
from ...screen.text import cut

BOM = b"\xef\xbb\xbf"
REPLY_LIMIT = 1024 * 1024
"""The number of characters after which a page ends early, and a line is cut."""
LARGE = 128 * 1024
"""In bytes; a larger file is examined in a thread."""
SHOWN_BY_CODE = (
    "Characters of the file that cannot be seen, or that look like the end of a line, are shown by"
    " their code, as ⟨U+2028⟩."
)
CUT = f"A line of more than {REPLY_LIMIT} characters is cut, and then ends in ...truncated."
_LONGEST = 4 * REPLY_LIMIT
"""The number of bytes of a line that are examined: a character has at most four."""
_BLOCK = 64 * 1024
_CONTROL = bytes({*range(1, 32), 127} - {*b"\b\t\n\f\r\x1b"})
_LINE_ENDS = re.compile(b"\r\n|[\r\n]")
_LINE_END = re.compile(b"[\r\n]")


def is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    data = data.removeprefix(BOM)
    decoder = getincrementaldecoder("utf-8")("replace")
    strange = size = 0
    for start, end in _blocks(data):
        block = data[start:end]
        text = decoder.decode(block, end >= len(data))
        size += len(text)
        strange += text.count("\ufffd") + len(block) - len(block.translate(None, _CONTROL))
    return strange * 10 <= size * 3


class Page(NamedTuple):
    text: str
    notes: tuple[str, ...]
    """Notes on the form in which it is shown."""


class TextFile:
    """The lines of a text file. A line end at the end of the file adds no empty line; an empty file
    is one empty line."""

    def __init__(self, data: bytes) -> None:
        self._data = data.removeprefix(BOM)
        blocks = list(_blocks(self._data))
        self._starts = [start for start, _ in blocks]
        self._ended = list(accumulate(_line_ends(self._data, *block) for block in blocks))
        """The number of line ends up to the end of each block."""
        ended = self._ended[-1] if self._ended else 0
        self.count = ended + (not self._data.endswith((b"\r", b"\n")))

    def page(self, offset: int, limit: int) -> Page:
        """Return numbered lines from `offset` on, and how to continue if there are more."""
        lines, notes = self.lines(offset, limit)
        shown = [f"{number}| {line}" for number, line in enumerate(lines, offset)]
        following = offset + len(shown)
        if following <= self.count:
            shown.append(
                f"--- More lines available. Use offset={following} to continue reading."
                f" Total lines: {self.count} ---"
            )
        return Page("\n".join(shown), notes)

    def lines(self, offset: int, limit: int) -> tuple[list[str], tuple[str, ...]]:
        """Return the displayed lines, at least one and no more than fit into a reply, and notes on
        them."""
        shown: list[str] = []
        notes: dict[str, None] = {}
        size, position = 0, self._position(offset)
        for _ in range(min(limit, self.count - offset + 1)):
            end = _LINE_END.search(self._data, position, position + _LONGEST)
            stop = self._far_end(position + _LONGEST) if end is None else end.start()
            text = self._data[position : min(stop, position + _LONGEST)].decode(errors="replace")
            line = cut(seen := visible(text := text[: REPLY_LIMIT + 1]), REPLY_LIMIT)
            size += len(line)
            if shown and size > REPLY_LIMIT:
                break
            shown.append(line)
            notes |= {SHOWN_BY_CODE: None} if seen is not text else {}
            notes |= {CUT: None} if line is not seen else {}
            position = stop + (2 if self._data[stop : stop + 2] == b"\r\n" else 1)
        return shown, tuple(notes)

    def _far_end(self, position: int) -> int:
        ends = (self._data.find(end, position) for end in (b"\r", b"\n"))
        return min((end for end in ends if end >= 0), default=len(self._data))

    def _position(self, number: int) -> int:
        """Return the position where the line with this number begins."""
        if number == 1:
            return 0
        block = bisect_left(self._ended, number - 1)
        before = self._ended[block - 1] if block else 0
        ends = _LINE_ENDS.finditer(self._data, self._starts[block])
        return next(islice(ends, number - 2 - before, None)).end()


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks that do not split a CRLF."""
    start = 0
    while start < len(data):
        end = min(start + _BLOCK, len(data))
        if data[end - 1 : end + 1] == b"\r\n":
            end += 1
        yield start, end
        start = end


def _line_ends(data: bytes, start: int, end: int) -> int:
    both = data.count(b"\r\n", start, end)
    return data.count(b"\n", start, end) + data.count(b"\r", start, end) - both
