"""Leaves rows out of a screen until it fits into a number of tokens."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..model import Screen
from .screen import Row
from .text import print_whole
from .token_bound import most_tokens

SHORT = 40
"""Plain texts are cut to this length before any is left out."""


class TooSmall(Exception):
    """Not even the first lines fit."""

    def __init__(self, least: int) -> None:
        super().__init__(f"At least {least} tokens are needed.")
        self.least = least


def fit(
    first: Sequence[str], rows: Sequence[Row], tail: Sequence[str], screen: Screen, most: int
) -> list[str]:
    """Return the lines that fit.

    Rows are left out or cut in this order: rows behind, plain texts, and other rows, those farthest
    from the focus first. The last line has their number. Raises TooSmall.
    """
    return _Budget(first, [*rows, *map(Row, tail)], screen, most).lines()


class _Budget:
    def __init__(self, first: Sequence[str], rows: list[Row], screen: Screen, most: int) -> None:
        self._first = list(first)
        self._rows = rows
        self._screen = screen
        self._most = most
        self._costs = [_cost(row.text) for row in rows]
        self._total = sum(map(_cost, first)) + sum(self._costs)
        self._heads = list(_heads(rows))
        self._inside = Counter(self._heads)
        """The number of rows that are left directly under each row."""
        self._out: set[int] = set()

    def lines(self) -> list[str]:
        last = max(_cost(_last_line(len(self._rows), ref)) for ref in ("", "k999"))
        for shorten, at in self._candidates():
            if self._total <= self._most - last * bool(self._out):
                break
            if shorten:
                self._shorten(at)
            else:
                self._leave_out(at)
        if self._total > self._most - last * bool(self._out):
            raise TooSmall(sum(map(_cost, self._first)) + last)
        lines = self._first + [row.text for at, row in enumerate(self._rows) if at not in self._out]
        return [*lines, self._said()] if self._out else lines

    def _candidates(self) -> Iterator[tuple[bool, int]]:
        """Yield the rows that are cut (True) or left out, in this order."""
        rows = self._rows
        focus = next((at for at, row in enumerate(rows) if _has_focus(row)), 0)
        far = sorted(range(len(rows)), key=lambda at: -abs(at - focus))
        ends = [at for at in far if at not in self._inside]
        yield from ((False, at) for at in ends if rows[at].behind)
        ends = [at for at in ends if not rows[at].behind]
        yield from ((True, at) for at in ends)
        yield from ((False, at) for at in ends if rows[at].things and not rows[at].refs)
        yield from ((False, at) for at in ends if rows[at].refs or not rows[at].things)

    def _shorten(self, at: int) -> None:
        row = self._rows[at]
        text = row.text
        for thing in row.things:
            if not thing.ref:
                shorter = print_whole(thing.item, self._screen, beside=True, limit=SHORT)
                text = text.replace(thing.words, shorter, 1)
        self._total += _cost(text) - self._costs[at]
        self._rows[at], self._costs[at] = row._replace(text=text), _cost(text)

    def _leave_out(self, at: int) -> None:
        """Leave out a row, and the row it stands under if nothing else stands there."""
        while at >= 0 and not self._inside[at]:
            self._out.add(at)
            self._total -= self._costs[at]
            at = self._heads[at]
            self._inside[at] -= 1

    def _said(self) -> str:
        blocks = Counter(self._heads[at] for at in self._out)
        refs = [self._rows[at].ref for at, _ in blocks.most_common() if at >= 0]
        kept = [ref for ref in refs if ref]
        return _last_line(len(self._out), kept[0] if kept else "")


def _last_line(count: int, ref: str) -> str:
    where = f"look within {ref}" if ref else "look with find"
    return f"left out: {count} row{'s' * (count != 1)}; {where}"


def _cost(line: str) -> int:
    return most_tokens(f"{line}\n")


def _has_focus(row: Row) -> bool:
    return any("focused" in thing.item.states for thing in row.things)


def _heads(rows: Iterable[Row]) -> Iterator[int]:
    """Yield for each row the position of the row it stands under; -1 for none."""
    open_blocks: list[tuple[int, int]] = []
    for at, row in enumerate(rows):
        depth = indent(row)
        while open_blocks and open_blocks[-1][0] >= depth:
            open_blocks.pop()
        yield open_blocks[-1][1] if open_blocks else -1
        if is_head(row):
            open_blocks.append((depth, at))


def indent(row: Row) -> int:
    return len(row.text) - len(row.text.lstrip(" "))


def is_head(row: Row) -> bool:
    """Whether the more indented rows below it belong to it."""
    return not row.things and row.text.endswith(":")
