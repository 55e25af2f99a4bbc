"""The rows of a field's text, and the positions of the cursor in them."""

from dataclasses import dataclass
from functools import lru_cache

from . import lines
from .fonts import advance
from .graphemes import split
from .lines import MOST_CHARACTERS

_NEAR = MOST_CHARACTERS // 2


@dataclass(frozen=True, slots=True)
class TextRow:
    """A line of a field: the part of the text from `start` to `end`."""

    start: int
    end: int
    words: str
    """The drawn text."""
    backwards: bool
    """Whether the row runs from right to left."""


@lru_cache(maxsize=256)
def rows(
    text: str, cursor: int, size: float, face: str, room: float, single: bool
) -> tuple[TextRow, ...]:
    """Break the text into rows of at most `room` pixels that keep every position. A very long text
    is reduced to the part around the cursor; a single line is scrolled to keep the cursor
    visible."""
    begin = max(0, cursor - _NEAR)
    if single:
        used = _width(text[begin:cursor], size, face)
        while begin < cursor and used > room:
            step = max(1, len(split(text[begin : begin + 20])[0]))
            used -= _width(text[begin : begin + step], size, face)
            begin += step
        return (_row(text, begin, min(len(text), begin + MOST_CHARACTERS)),)
    found: list[TextRow] = []
    last = min(len(text), begin + MOST_CHARACTERS)
    start, space, used = begin, begin, 0.0  # space: behind the last possible line break
    for place in range(begin, last):
        if text[place] == "\n":
            found.append(_row(text, start, place))
            start = space = place + 1
            used = 0.0
            continue
        used += _advance(text[place], size, face)
        if used > room and place > start and text[place] != " ":
            cut = space if space > start else place
            found.append(_row(text, start, cut))
            start = space = cut
            used = _width(text[start : place + 1], size, face)
        if text[place] in " -":
            space = place + 1
    found.append(_row(text, start, last))
    return tuple(found)


def row_of(found: tuple[TextRow, ...], index: int) -> int:
    """Return the number of the row with the cursor."""
    for number in range(len(found) - 1, -1, -1):
        if found[number].start <= index:
            return number
    return 0


def away(row: TextRow, text: str, index: int, size: float, face: str) -> float:
    """Return the distance in pixels from the row's start, which is at the right in a right-to-left
    row."""
    return _width(text[row.start : max(row.start, min(index, row.end))], size, face)


def index_at(row: TextRow, text: str, distance: float, size: float, face: str) -> int:
    """Return the index nearest to a distance from the row's start."""
    at, place = 0.0, row.start
    for piece in split(text[row.start : row.end]):
        width = _width(piece, size, face)
        if distance < at + width / 2:
            break
        at += width
        place += len(piece)
    return place


def _row(text: str, start: int, end: int) -> TextRow:
    paragraph = text.rfind("\n", 0, start) + 1
    return TextRow(
        start,
        end,
        lines.drawable(text[start:end]),
        lines.is_backwards(text[paragraph : paragraph + 200]),
    )


def _width(text: str, size: float, face: str) -> float:
    return lines.width(lines.drawable(text), size, face)


def _advance(character: str, size: float, face: str) -> float:
    return advance(character, face) * size if lines.drawable(character) else 0.0
