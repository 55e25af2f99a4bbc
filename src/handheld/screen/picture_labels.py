"""Places the labels of an annotated picture: each is readable and covers nothing.

A label is placed on the top edge of its box, at the left. If it would cover another label or
content, it moves along that edge, above or inside, then along the other edges, and if all are taken
it is placed nearby. Small boxes are placed first.

Occupied pixels are kept as a bitmap, an integer for each row of pixels: a label is compared with
all others in one operation.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in the picture's pixels."""
_MOST = 6
"""The most positions tried along an edge, and the most rows beside it."""


class Labelled(NamedTuple):
    """A box that needs a label."""

    box: Box
    width: int
    """The width of the label."""
    content: Box | None
    """The part of the box with the visible content."""
    inside: bool = False
    """Prefer the inside of a box that has room: where boxes are stacked, a label on the edge
    between them could belong to either."""


class Labels(NamedTuple):
    boxes: list[Box]
    """The box of each label."""
    hiding: int
    """The number of labels that cover another label or content."""


class _Bitmap:
    """The occupied pixels of a picture, for labels of one height."""

    def __init__(self, size: tuple[int, int], high: int) -> None:
        self._high = high
        self._rows = [0] * size[1]
        self._bands = [0] * size[1]
        """For each row, the pixels that are occupied in the rows that a label there would cover."""

    def add(self, box: Box) -> None:
        left, top, right, bottom = box
        mask = (1 << right - left) - 1 << left
        for y in range(top, bottom):
            self._rows[y] |= mask
        for y in range(max(0, top - self._high + 1), bottom):
            self._bands[y] |= mask

    def count(self, label: Box) -> int:
        """Return how many of its pixels are occupied."""
        left, top, right, bottom = label
        mask = (1 << right - left) - 1 << left
        if not self._bands[top] & mask:
            return 0
        return sum((row & mask).bit_count() for row in self._rows[top:bottom])

    def holds(self, label: Box) -> bool:
        """Return whether any of its pixels is occupied."""
        left, top, right, _ = label
        return bool(self._bands[top] >> left & (1 << right - left) - 1)


def place(items: Sequence[Labelled], height: int, size: tuple[int, int]) -> Labels:
    """Place labels of one height within a picture of that size."""
    high = min(height, size[1])
    contents, labels = _Bitmap(size, high), _Bitmap(size, high)
    for item in items:
        if item.content is not None:
            contents.add(item.content)
    boxes: list[Box] = [(0, 0, 0, 0)] * len(items)
    hiding = 0
    for number in sorted(range(len(items)), key=lambda number: _area(items[number].box)):
        box, width, _, inside = items[number]
        wide = min(width, size[0])
        best: Box | None = None
        least = 0
        for left, top in _near(box, wide, high, inside):
            label = _put(left, top, wide, high, size)
            if labels.holds(label):
                continue
            hidden = contents.count(label)
            if best is None or hidden < least:
                best, least = label, hidden
            if not hidden:
                break
        if best is None:
            around = [_put(left, top, wide, high, size) for left, top in _around(box, wide, high)]
            best = next((label for label in around if not labels.holds(label)), around[0])
            least = 1
        hiding += least > 0
        labels.add(best)
        boxes[number] = best
    return Labels(boxes, hiding)


def _put(left: int, top: int, wide: int, high: int, size: tuple[int, int]) -> Box:
    """Return a label there, or as near as the picture's edges allow."""
    # Without min and max, which would take half of the total time.
    last_x, last_y = size[0] - wide, size[1] - high
    left = 0 if left < 0 else last_x if left > last_x else left
    top = 0 if top < 0 else last_y if top > last_y else top
    return left, top, left + wide, top + high


def _near(box: Box, wide: int, high: int, inside: bool) -> Iterator[tuple[int, int]]:
    """Positions where a label touches its box, the best first."""
    left, top, right, bottom = box
    end = right - wide
    if inside and bottom - top >= 2 * high and right - left >= 2 * wide:
        for y in (top, bottom - high):
            yield left, y
            yield end, y
    along = [left, end, (left + end) // 2]
    along += range(left + wide, min(end, left + wide * _MOST), wide)
    for x in along:
        yield x, top - high
    for x in (*along[1:], left):
        yield x, top
    down = [top, bottom - high]
    down += range(top + high, min(bottom - high, top + high * _MOST), high)
    for y in down:
        yield right, y
        yield left - wide, y
    for y in down[1:]:
        yield end, y
        yield left, y
    for x in along:
        yield x, bottom


def _around(box: Box, wide: int, high: int) -> Iterator[tuple[int, int]]:
    """Positions nearby, the default position first."""
    left, top, right, bottom = box
    for rows in range(_MOST):
        for x in (left, right - wide):
            yield x, top - high * (rows + 1)
            yield x, bottom + high * rows


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])
