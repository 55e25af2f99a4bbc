"""The rows of a whole screen: the window in front, the layers behind, and the other windows."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..model import Bounds, Screen, Window
from ..search import Place
from .covers import Covers
from .items import Found, Item, find_items
from .kinds import kind_of_range
from .layers import find_behind
from .lines import Line, lay_out
from .text import (
    ASK,
    Names,
    Words,
    print_conditions,
    print_empty_header,
    print_header,
    print_items,
    print_line,
    window_title,
)
from .tree import Tree, intersect, tree_of
from .words import clean, short_name

_BARS = ("com.android.systemui",)
_KEYBOARD = "INPUT_METHOD"
_SHOWN_TYPES = ("APPLICATION", "SYSTEM")
LOADING = "loading"
"""In the tail of a screen: something on it is still in progress, or a web page has not loaded."""
BAR = 0.2
"""A window of the system that is lower than this share of the screen is a bar."""
_BAR_WIDTH = 0.9
"""A progress bar along a web page has at least this share of the page's width."""


class Thing(NamedTuple):
    """A thing in a row that has a name made of its words."""

    place: Place
    item: Item
    ref: str
    """Empty for plain text."""
    words: str
    """The printed text, without the ref."""
    name: str = ""
    """The print without content and state."""

    @property
    def label(self) -> str:
        return f"{self.ref} {self.name}".strip()


_NOWHERE: Place = (-1, -1)
_NOTHING = Item(-1, Bounds(0, 0, 0, 0), Bounds(0, 0, 0, 0), target=False)


class Row(NamedTuple):
    """A printed line."""

    text: str
    things: tuple[Thing, ...] = ()
    scroller: Place | None = None
    """For the first line of a block: the scroller."""
    depth: int = 0
    behind: bool = False
    ref: str = ""
    """The name of the scroller."""

    @property
    def refs(self) -> tuple[str, ...]:
        return tuple(thing.ref for thing in self.things if thing.ref)


@dataclass(slots=True)
class Rows:
    """A screen for a model."""

    header: str
    conditions: str = ""
    """The state of the whole phone: `, locked`."""
    rows: list[Row] = field(default_factory=list[Row])
    tail: list[str] = field(default_factory=list[str])
    front: Window | None = None
    windows: list[int] = field(default_factory=list[int])
    """The positions of the shown windows, the front first."""
    page_loads: bool = False
    """Whether a bar shows that a web page is loading."""

    @property
    def front_id(self) -> int | None:
        return None if self.front is None else self.front.id

    @property
    def things(self) -> Iterator[tuple[Row, Thing]]:
        for row in self.rows:
            for thing in row.things:
                yield row, thing

    @property
    def text(self) -> str:
        return "\n".join([self.title(), *(row.text for row in self.rows), *self.tail])

    def title(self, id: str = "") -> str:
        """The first line, with the id of the screen."""
        return f"{self.header} {id}".rstrip() + self.conditions

    def without_nodes(self) -> "Rows":
        """Return the rows for a later comparison, without the screen itself."""
        rows = [
            row._replace(
                things=tuple(
                    [Thing(_NOWHERE, _NOTHING, each.ref, each.words) for each in row.things]
                )
            )
            for row in self.rows
        ]
        front = None if self.front is None else self.front.emptied
        return replace(self, rows=rows, front=front)


def rows_of(screen: Screen, name: Callable[[Place], str]) -> Rows:
    """`name` gives the ref of an element; it is called in the order of printing."""
    return _Printer(screen, name).print()


class _Printer:
    def __init__(self, screen: Screen, name: Callable[[Place], str]) -> None:
        self._screen = screen
        self._area = Bounds(0, 0, screen.width, screen.height)
        self._name = name
        self._hidden = 0
        self._loading = False
        self._page_loads = False
        self._panes: list[str] = []
        """The titles of the parts of the window in front."""
        self._rows: list[Row] = []

    def print(self) -> Rows:
        screen = self._screen
        shown = [
            (number, window, box)
            for number, window in enumerate(screen.windows)
            if (box := intersect(_box(window), self._area)) is not None
            and self._is_shown(window, box)
        ]
        front = next((each for each in shown if each[1].focused), shown[0] if shown else None)
        if front is None:
            header = print_empty_header(screen)
            return Rows(header, print_conditions(screen), tail=self._tail())
        behind: list[tuple[int, Window, Bounds]] = []
        others: list[tuple[int, Window, Bounds]] = []
        for each in shown:
            if each is front:
                continue
            below = each[0] > front[0] and intersect(each[2], front[2]) is not None
            (behind if below else others).append(each)
        dialog = bool(behind) and _size(front[2]) < 0.9 * _size(self._area)
        self._window(front[0], front[1], 0)
        header = print_header(front[1], self._panes, dialog=dialog)
        if screen.elsewhere:
            header = f"reading {header}, but {short_name(screen.elsewhere)} is in front"
        rows = Rows(header, print_conditions(screen, front[1]), front=front[1])
        rows.windows = [number for number, _, _ in (front, *others, *behind)]
        for number, window, _ in others:
            self._rows.append(Row(f"window {window_title(window)}:"))
            self._window(number, window, 1)
        if behind:
            self._rows.append(Row("behind:"))
            for number, window, _ in behind:
                self._window(number, window, 1, behind=True)
        rows.rows, rows.tail = _fold_repeated(self._rows), self._tail()
        rows.page_loads = self._page_loads
        return rows

    def _is_shown(self, window: Window, box: Bounds) -> bool:
        if not window.nodes or window.type not in _SHOWN_TYPES:
            return False
        height, width = box.bottom - box.top, box.right - box.left
        is_bar = height <= BAR * self._screen.height or width <= BAR * self._screen.width
        return not (is_bar and window.package in _BARS)

    def _window(self, number: int, window: Window, depth: int, *, behind: bool = False) -> None:
        above = tuple(
            _box(other)
            for other in self._screen.windows[:number]
            if other.nodes and other.type in (*_SHOWN_TYPES, _KEYBOARD)
        )
        tree = tree_of(window, self._area)
        covers = Covers(tree, self._area, above)
        found = find_items(tree, self._screen.height, covers)
        self._hidden += found.hidden
        for position, told in tree.details.items():
            if not behind and tree.shown[position] is not None:
                self._loading |= told.loading
                self._page_loads |= told.range is not None and is_page_bar(tree, position)
                if told.pane and depth == 0:
                    self._panes.append(told.pane)
        is_lower = _inside(tree, find_behind(tree, found.items, self._area, covers.stacking))
        lower = [item for item in found.items if is_lower(item.number)]
        names = Names(lambda position: self._name((number, position)), self._screen)
        rest = Found(lower, [], 0, {})
        if lower:
            rest.scrollers = [each for each in found.scrollers if is_lower(each.number)]
            found.scrollers = [each for each in found.scrollers if not is_lower(each.number)]
            found.items = [item for item in found.items if not is_lower(item.number)]
        lines = lay_out(tree, found, self._screen.density)
        if not lines and not lower:
            shown = sum(part is not None for part in tree.shown)
            views = f"{shown} view{'s' * (shown != 1)}"
            self._rows.append(Row(f"{' ' * depth}draws itself: {views}; {ASK}"))
        self._add(number, lines, names, depth, behind)
        for position, left in found.more.items():
            text = f"{' ' * depth}+{len(left)} more in {names.ref(position)}"
            # They are only counted, but can be referred to.
            line = Line(left, left[0].bounds, left[0].words)
            things = _things(number, line, print_items(line, names))
            self._rows.append(Row(text, things, depth=depth, behind=behind))
        if lower:
            self._rows.append(Row(f"{' ' * depth}behind:"))
            self._add(
                number, lay_out(tree, rest, self._screen.density), names, depth + 1, behind=True
            )

    def _add(self, number: int, lines: list[Line], names: Names, depth: int, behind: bool) -> None:
        for line in lines:
            indent = depth + line.depth
            printed = print_items(line, names)
            text = " " * indent + print_line(line, printed, names)
            things = _things(number, line, printed)
            scroller = None if line.scroller is None else (number, line.scroller.number)
            ref = "" if line.scroller is None else names.ref(line.scroller.number)
            self._rows.append(Row(text, things, scroller, indent, behind, ref))

    def _tail(self) -> list[str]:
        tail: list[str] = []
        if any(window.type == _KEYBOARD for window in self._screen.windows):
            tail.append("keyboard open")
        if self._loading or self._page_loads:
            tail.append(LOADING)
        if self._hidden:
            tail.append(f"{self._hidden} text{'s' * (self._hidden > 1)} off screen")
        # Notes contain the titles of windows, which apps control.
        return tail + [clean(note) for note in self._screen.notes if note != self._screen.way]


def _things(number: int, line: Line, printed: list[Words]) -> tuple[Thing, ...]:
    """`number` is the window's position."""
    items = zip(line.items, printed, strict=True)
    return tuple([Thing((number, item.number), item, *words) for item, words in items])


def _box(window: Window) -> Bounds:
    return window.nodes[0].bounds if window.nodes else Bounds(0, 0, 0, 0)


def _inside(tree: Tree, layers: list[int]) -> Callable[[int], bool]:
    """Return whether a node is in one of the layers, as a function of its position."""
    outermost: list[int] = []
    for layer in sorted(layers):
        if not outermost or not tree.is_inside(layer, outermost[-1]):
            outermost.append(layer)

    def is_inside(number: int) -> bool:
        at = bisect_right(outermost, number) - 1
        return at >= 0 and tree.is_inside(number, outermost[at])

    return is_inside


def _size(box: Bounds) -> int:
    return (box.right - box.left) * (box.bottom - box.top)


def _fold_repeated(rows: list[Row]) -> list[Row]:
    """Count identical adjacent rows of one plain text instead of repeating them."""
    folded: list[Row] = []
    times = 1
    for row in rows:
        if folded and len(row.things) == 1 and not row.refs:
            before = folded[-1].text.removesuffix(f" ×{times}") if times > 1 else folded[-1].text
            if before == row.text:
                times += 1
                folded[-1] = folded[-1]._replace(text=f"{row.text} ×{times}")
                continue
        times = 1
        folded.append(row)
    return folded


def is_page_bar(tree: Tree, number: int) -> bool:
    """Whether it is an unfinished progress bar along a web page and outside it, which means that
    the page is loading. Other bars show storage, a film or a level, which need not move."""
    told, bar = tree.details[number], tree.shown[number]
    if told.range is None or bar is None or not told.range.now < told.range.most:
        return False
    if kind_of_range(tree.nodes[number], told) != "progress":
        return False
    page = next((at for at, each in enumerate(tree.classes) if each.is_web and tree.shown[at]), -1)
    if page < 0 or tree.is_inside(number, page):
        return False
    around = tree.shown[page]
    assert around is not None
    return bar.right - bar.left >= _BAR_WIDTH * (around.right - around.left)
