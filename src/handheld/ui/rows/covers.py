"""Which targets lie under others: a finger on them would reach something else."""

from ..model import Bounds, Flag
from .tree import Tree

_TAKES = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.EDITABLE)
COLUMNS, ROWS = 8, 16
"""The screen is divided into cells, so that a point is compared with few targets."""
MOST_COMPARED = 64
"""Targets in one cell that a point is compared with, the last drawn first."""


class Covers:
    """Everything that takes touches, by place."""

    def __init__(self, tree: Tree, area: Bounds, above: tuple[Bounds, ...] = ()) -> None:
        """`above` are parts of the screen that another window covers."""
        self._tree = tree
        self._above = above
        self._left, self._top = area.left, area.top
        self._width = max(1, area.right - area.left)
        self._height = max(1, area.bottom - area.top)
        self._ordered = any(node.drawing_order for node in tree.nodes)
        self._cells: list[list[int]] = [[] for _ in range(COLUMNS * ROWS)]
        for number, node in enumerate(tree.nodes):
            shown = tree.shown[number]
            if shown is not None and node.flags & _TAKES:
                for row in range(self._row(shown.top), self._row(shown.bottom - 1) + 1):
                    for column in range(
                        self._column(shown.left), self._column(shown.right - 1) + 1
                    ):
                        self._cells[row * COLUMNS + column].append(number)

    def _row(self, y: int) -> int:
        return min(ROWS - 1, max(0, (y - self._top) * ROWS // self._height))

    def _column(self, x: int) -> int:
        return min(COLUMNS - 1, max(0, (x - self._left) * COLUMNS // self._width))

    def covered(self, number: int) -> bool:
        """Whether something else takes a finger at each of five points of the target."""
        shown = self._tree.shown[number]
        return shown is not None and all(self._taken(number, x, y) for x, y in points(shown))

    def free_point(self, number: int) -> tuple[int, int] | None:
        shown = self._tree.shown[number]
        if shown is None:
            return None
        return next((point for point in points(shown) if not self._taken(number, *point)), None)

    def _taken(self, number: int, x: int, y: int) -> bool:
        if any(_holds(part, x, y) for part in self._above):
            return True
        tree = self._tree
        cell = self._cells[self._row(y) * COLUMNS + self._column(x)]
        for other in cell[: -MOST_COMPARED - 1 : -1]:
            if other == number and not self._ordered:
                return False  # what comes before it is drawn before it
            shown = tree.shown[other]
            if shown is None or not _holds(shown, x, y):
                continue
            related = tree.is_inside(other, number) or tree.is_inside(number, other)
            if not related and self._drawn_later(other, number):
                return True
        return False

    def _drawn_later(self, one: int, other: int) -> bool:
        """Whether `one` is drawn over `other`, neither being inside the other."""
        tree = self._tree
        path = [one]
        while tree.parents[path[-1]] >= 0:
            path.append(tree.parents[path[-1]])
        below = other
        while tree.parents[below] >= 0 and tree.parents[below] not in path:
            below = tree.parents[below]
        common = tree.parents[below]
        above = next((each for each in path if tree.parents[each] == common), one)
        first, second = tree.nodes[above].drawing_order, tree.nodes[below].drawing_order
        return first > second if first and second and first != second else above > below


def points(box: Bounds) -> tuple[tuple[int, int], ...]:
    """The centre, and the centres of the four quarters."""
    left, top, right, bottom = box
    xs, ys = (left * 3 + right) // 4, (top * 3 + bottom) // 4
    xe, ye = (left + right * 3) // 4, (top + bottom * 3) // 4
    middle = ((left + right) // 2, (top + bottom) // 2)
    return middle, (xs, ys), (xe, ys), (xs, ye), (xe, ye)


def _holds(box: Bounds, x: int, y: int) -> bool:
    return box.left <= x < box.right and box.top <= y < box.bottom
