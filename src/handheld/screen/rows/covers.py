"""Finds targets that others cover: a finger on them would reach another view."""

from ..model import Bounds, Flag
from .stacking import Stacking
from .tree import Tree

_TAKES = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.EDITABLE)
COLUMNS, ROWS = 8, 16
"""The screen is divided into cells; a point is compared only with the targets of its cell."""
MOST_COMPARED = 64
"""The maximum of targets in one cell that a point is compared with, the last drawn first."""


class Covers:
    """All views that take touches, by place."""

    def __init__(self, tree: Tree, area: Bounds, above: tuple[Bounds, ...] = ()) -> None:
        """`above` are parts of the screen that another window covers."""
        self._tree = tree
        self._above = above
        self._left, self._top = area.left, area.top
        self._width = max(1, area.right - area.left)
        self._height = max(1, area.bottom - area.top)
        self.stacking = Stacking(tree)
        self._cells: list[list[int]] = [[] for _ in range(COLUMNS * ROWS)]
        cells, column, row = self._cells, self._column, self._row
        dialogs = frozenset(self.stacking.dialogs)
        for number, (node, shown) in enumerate(zip(tree.nodes, tree.shown, strict=True)):
            if shown is not None and (node.flags & _TAKES or number in dialogs):
                left, top, right, bottom = shown
                first, last = column(left), column(right - 1) + 1
                start = row(top) * COLUMNS
                for at in range(start, row(bottom - 1) * COLUMNS + 1, COLUMNS):
                    for cell in cells[at + first : at + last]:
                        cell.append(number)

    def _row(self, y: int) -> int:
        row = (y - self._top) * ROWS // self._height
        return 0 if row < 0 else row if row < ROWS else ROWS - 1

    def _column(self, x: int) -> int:
        column = (x - self._left) * COLUMNS // self._width
        return 0 if column < 0 else column if column < COLUMNS else COLUMNS - 1

    def covered(self, number: int) -> bool:
        """Whether other views take a finger at each of five points of the target."""
        return self._tree.shown[number] is not None and self.free_point(number) is None

    def free_point(self, number: int) -> tuple[int, int] | None:
        shown = self._tree.shown[number]
        if shown is None:
            return None
        left, top, right, bottom = shown
        x, y = (left + right) // 2, (top + bottom) // 2
        if not self._taken(number, x, y):
            return x, y  # the usual case
        return next((point for point in points(shown) if not self._taken(number, *point)), None)

    def _taken(self, number: int, x: int, y: int) -> bool:
        for part in self._above:
            if _holds(part, x, y):
                return True
        tree = self._tree
        ends = tree.ends
        cell = self._cells[self._row(y) * COLUMNS + self._column(x)]
        for other in cell[: -MOST_COMPARED - 1 : -1]:
            if number <= other < ends[number] or other <= number < ends[other]:
                continue  # one is inside the other
            shown = tree.shown[other]
            if shown is not None and _holds(shown, x, y) and self.stacking.is_over(other, number):
                return True
        return False


def points(box: Bounds) -> tuple[tuple[int, int], ...]:
    """Return the centre, and the centres of the four quarters."""
    left, top, right, bottom = box
    xs, ys = (left * 3 + right) // 4, (top * 3 + bottom) // 4
    xe, ye = (left + right * 3) // 4, (top + bottom * 3) // 4
    middle = ((left + right) // 2, (top + bottom) // 2)
    return middle, (xs, ys), (xe, ys), (xs, ye), (xe, ye)


def _holds(box: Bounds, x: int, y: int) -> bool:
    left, top, right, bottom = box
    return left <= x < right and top <= y < bottom
