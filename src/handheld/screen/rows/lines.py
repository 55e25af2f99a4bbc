"""The rows of a screen: which things stand side by side, from top to bottom."""

import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ..model import Bounds, surround
from .items import Found, Item, Scroller
from .tree import Tree
from .web_items import split_flow

OPEN_LINES = 8
"""The most lines before it with which a thing is compared: screens have no more columns of rows."""
MOST_BESIDE = 64
"""Things on one line."""


@dataclass(slots=True)
class Line:
    items: list[Item]
    bounds: Bounds
    words: Bounds
    """The place that decides its order: a target may be larger than its words."""
    depth: int = 0
    scroller: Scroller | None = None
    """The header of a block, which has no items."""
    empty: bool = False
    """Whether the block has no rows."""


@dataclass(slots=True)
class _Unit:
    """Lines that belong together, and the place that they take."""

    lines: list[Line]
    bounds: Bounds
    words: Bounds
    single: bool = True
    """Whether it may share its line with others."""


def lay_out(tree: Tree, found: Found, density: int) -> list[Line]:
    return _Layout(tree, found, density).lines(-1, 0)


class _Layout:
    def __init__(self, tree: Tree, found: Found, density: int) -> None:
        self._tree = tree
        self._near = max(8, density * 14 // 160)
        self._aligned = max(2, density * 4 // 160)
        # A scroller's content may be laid out without the scroller: it is then outside of all.
        homes = {scroller.number for scroller in found.scrollers}
        self._items: dict[int, list[Item]] = {}
        for item in found.items:
            self._items.setdefault(item.home if item.home in homes else -1, []).append(item)
        self._scrollers: dict[int, list[Scroller]] = {}
        for scroller in found.scrollers:
            home = scroller.home if scroller.home in homes else -1
            self._scrollers.setdefault(home, []).append(scroller)
        self._rtl = _is_right_to_left(found.items)

    def lines(self, home: int, depth: int) -> list[Line]:
        """Return the lines of a scroller's content, or of the window's outside of all."""
        units: list[_Unit] = []
        groups: dict[int, tuple[list[Item], list[Scroller]]] = {}
        row_of = self._rows(home)
        items = self._items.get(home, [])
        if self._tree.folding is not None:
            flows, items = split_flow(items, self._tree.folding)
            units += [_unit(line, depth, single=False) for line in flows]
        for item in items:
            groups.setdefault(row_of(item.number), ([], []))[0].append(item)
        for scroller in self._scrollers.get(home, ()):
            groups.setdefault(row_of(scroller.number), ([], []))[1].append(scroller)
        for row, (items, scrollers) in groups.items():
            blocks = [unit for one in scrollers if (unit := self._block(one, depth))]
            if row < 0:
                units += [*self._texts_first(items, None, depth), *blocks]
                continue
            line = None if blocks else self._one_line(items)
            if line is not None:
                # It is alone on its line, which separates its targets from those of the next row.
                units.append(_unit(line, depth, single=len(line) == 1))
            else:
                inner = self._arrange([*self._texts_first(items, row, depth), *blocks])
                if inner:
                    units.append(_together(inner))
        return self._arrange(units)

    def _one_line(self, items: list[Item]) -> list[Item] | None:
        """Return a row of a list as one line: its texts, then its targets, if those are in a row. A
        target that holds the others comes first, because it is the row itself."""
        ends = self._tree.ends
        numbers = sorted(item.number for item in items if item.target)

        def holds(item: Item) -> bool:
            after = bisect_right(numbers, item.number)
            return after < len(numbers) and numbers[after] < ends[item.number]

        rows = [item for item in items if item.target and holds(item)]
        inner = [item for item in items if item.target and not holds(item)]
        texts = [item for item in items if not item.target]
        if not inner or not (texts or rows) or not self._one_row(inner):
            return None
        return [*rows, *self._columns(texts), *self._sorted(inner)]

    def _block(self, scroller: Scroller, depth: int) -> _Unit | None:
        inner = self.lines(scroller.number, depth + 1)
        if not inner:
            if scroller.word != "web" and not scroller.target:
                return None
            header = Line([], scroller.bounds, scroller.bounds, depth, scroller, empty=True)
            return _together([header])
        if len(inner) > 1 and inner[0].scroller is not None and not scroller.target:
            rest = inner[1:]
            outer = inner[0].scroller
            if outer.word == scroller.word and all(line.depth > depth + 1 for line in rest):
                # A scroller that only holds another one of its kind adds nothing.
                for line in inner:
                    line.depth -= 1
                return _together(inner)
        header = Line([], scroller.bounds, scroller.bounds, depth, scroller)
        return _together([header, *inner])

    def _rows(self, home: int) -> Callable[[int], int]:
        """Return the function that finds the row of a scroller that contains a node; -1 outside."""
        if home < 0:
            return lambda number: -1
        tree = self._tree
        content = home
        while True:
            children = [one for one in tree.children(content) if tree.shown[one] is not None]
            if len(children) != 1 or tree.ends[children[0]] == children[0] + 1:
                break
            content = children[0]
        rows = tree.children(content)

        def row_of(number: int) -> int:
            at = bisect_right(rows, number) - 1
            return rows[at] if at >= 0 and tree.is_inside(number, rows[at]) else -1

        return row_of

    def _texts_first(self, items: list[Item], row: int | None, depth: int) -> list[_Unit]:
        """Return each target, and texts below one another as one."""
        units = [_unit([item], depth) for item in items if item.target]
        texts = [item for item in items if not item.target]
        columns = self._columns(texts, same_parent=row is None)
        return units + [_unit([item], depth) for item in columns]

    def _columns(self, texts: list[Item], *, same_parent: bool = False) -> list[Item]:
        """Join texts below one another that are left aligned and near."""
        columns: list[Item] = []
        parents: list[int] = []
        joined: set[int] = set()
        """Columns that are already separate items."""
        for text in sorted(texts, key=lambda item: (item.bounds.top, item.bounds.left)):
            parent = self._tree.parents[text.number]
            for at in range(len(columns) - 1, max(-1, len(columns) - 1 - OPEN_LINES), -1):
                column = columns[at]
                if (
                    not text.states
                    and not column.states
                    and -self._near <= text.bounds.top - column.bounds.bottom <= self._near
                    and self._in_column(column.bounds, text.bounds)
                    and (not same_parent or parents[at] == parent)
                ):
                    if at not in joined:
                        joined.add(at)
                        column = columns[at] = Item(
                            column.number,
                            column.bounds,
                            column.bounds,
                            target=False,
                            pieces=[*column.pieces],
                            parts=[column.number] * len(column.pieces),
                            home=column.home,
                        )
                    column.bounds = column.words = surround([column.bounds, text.bounds])
                    column.pieces += text.pieces
                    column.parts += [text.number] * len(text.pieces)
                    break
            else:
                columns.append(text)
                parents.append(parent)
        return self._sorted(columns)

    def _in_column(self, one: Bounds, other: Bounds) -> bool:
        side = (other.right - one.right) if self._rtl else (other.left - one.left)
        return abs(side) <= self._aligned

    def _one_row(self, targets: list[Item]) -> bool:
        first = targets[0].bounds
        return all(
            _overlap(first, other.bounds) * 2 >= min(_height(first), _height(other.bounds))
            and (other.bounds.left >= first.right or other.bounds.right <= first.left)
            for other in targets[1:]
        )

    def _sorted(self, items: list[Item]) -> list[Item]:
        return sorted(items, key=lambda item: self._across(item.bounds))

    def _across(self, bounds: Bounds) -> int:
        return -bounds.right if self._rtl else bounds.left

    def _arrange(self, units: list[_Unit]) -> list[Line]:
        """Put units side by side where they share a row; the rest from top to bottom."""
        rows: list[list[_Unit]] = []
        units = self._split_beside(units)
        for unit in sorted(units, key=lambda unit: (unit.words.top, self._across(unit.bounds))):
            for row in rows[: -OPEN_LINES - 1 : -1]:
                if self._fits(unit, row):
                    row.append(unit)
                    break
            else:
                rows.append([unit])
        lines: list[Line] = []
        for row in rows:
            if len(row) == 1:
                lines += row[0].lines
                continue
            row.sort(key=lambda unit: self._across(unit.bounds))
            items = [item for unit in row for item in unit.lines[0].items]
            bounds = surround(unit.bounds for unit in row)
            words = surround(unit.words for unit in row)
            lines.append(Line(items, bounds, words, row[0].lines[0].depth))
        return lines

    def _split_beside(self, units: list[_Unit]) -> list[_Unit]:
        """Split units of several lines that stand beside others: rows go across all of them."""
        if all(len(unit.lines) == 1 for unit in units):
            return units
        units = sorted(units, key=lambda unit: unit.words.top)
        beside = [False] * len(units)
        lowest, at_lowest = 0, -1
        for at, unit in enumerate(units):
            if at_lowest >= 0 and unit.words.top < lowest:
                beside[at] = beside[at_lowest] = True
            if at_lowest < 0 or unit.words.bottom > lowest:
                lowest, at_lowest = unit.words.bottom, at
        split: list[_Unit] = []
        for unit, is_beside in zip(units, beside, strict=True):
            split += _parts(unit) if is_beside else [unit]
        return split

    def _fits(self, unit: _Unit, row: list[_Unit]) -> bool:
        if not unit.single or not row[0].single or len(row) >= MOST_BESIDE:
            return False
        left, top, right, bottom = unit.bounds
        height = bottom - top
        for other in row:
            other_left, other_top, other_right, other_bottom = other.bounds
            overlap = (bottom if bottom < other_bottom else other_bottom) - (
                top if top > other_top else other_top
            )
            other_height = other_bottom - other_top
            if overlap * 2 < (height if height < other_height else other_height):
                return False
            across = (right if right < other_right else other_right) - (
                left if left > other_left else other_left
            )
            if across > self._aligned:
                return False
        return True


def _unit(items: list[Item], depth: int, *, single: bool = True) -> _Unit:
    if len(items) == 1:
        bounds, words = items[0].bounds, items[0].words
    else:
        bounds = surround(item.bounds for item in items)
        words = surround(item.words for item in items)
    return _Unit([Line(items, bounds, words, depth)], bounds, words, single)


def _together(lines: list[Line]) -> _Unit:
    """Return lines as one unit: its place is that of its outer lines."""
    outer = [line for line in lines if line.depth == lines[0].depth]
    bounds = surround(line.bounds for line in outer)
    single = len(lines) == 1 and lines[0].scroller is None
    return _Unit(lines, bounds, surround(line.words for line in outer), single)


def _parts(unit: _Unit) -> list[_Unit]:
    """Return its lines one by one; a block stays whole."""
    parts: list[list[Line]] = []
    for line in unit.lines:
        if parts and line.depth > parts[-1][0].depth:
            parts[-1].append(line)
        else:
            parts.append([line])
    return [_together(part) for part in parts]


def _height(box: Bounds) -> int:
    return box.bottom - box.top


def _overlap(one: Bounds, other: Bounds) -> int:
    return min(one.bottom, other.bottom) - max(one.top, other.top)


def _is_right_to_left(items: list[Item]) -> bool:
    return sum(_leftward(piece[:40]) for item in items for piece in item.pieces) > 0


@lru_cache(maxsize=1024)
def _leftward(words: str) -> int:
    """Return the number of right-to-left letters minus the number of left-to-right letters."""
    if words.isascii():
        return -sum(map(str.isalpha, words))
    directions = list(map(unicodedata.bidirectional, words))
    return directions.count("R") + directions.count("AL") - directions.count("L")
