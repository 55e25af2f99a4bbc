"""Rows as text."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model import Bounds, Screen, Window
from .items import Item
from .lines import Line
from .long_data import shorten
from .words import clean, cut, distinct, short_name

PIECE_LIMIT = 200
FIELD_LIMIT = 240
TITLE_LIMIT = 60
MOST_PANES = 2
ASK = "ask for picture: marked"
"""For content without text."""
_SELF_EVIDENT = ("switch", "check", "radio")
"""Kinds that are not printed in addition to a text."""


class Names:
    """The refs of elements in one window, each given once."""

    def __init__(self, ref: Callable[[int], str], screen: Screen) -> None:
        self._ref = ref
        self.screen = screen
        self._given: dict[int, str] = {}

    def ref(self, position: int) -> str:
        if position not in self._given:
            self._given[position] = self._ref(position)
        return self._given[position]


def print_header(window: Window, panes: Sequence[str] = (), *, dialog: bool) -> str:
    title = window_title(window, panes)
    return f"dialog {title}" if dialog else title


def print_empty_header(screen: Screen) -> str:
    """Return the header if no window of an app could be read."""
    if screen.silent:
        return f"{short_name(screen.silent[0])} does not answer"
    return "nothing can be read" if screen.missing else "nothing is shown"


def print_conditions(screen: Screen, front: Window | None = None) -> str:
    """Return the text after the id of the screen. `front`: the window in the header."""
    package = screen.foreground[0] if screen.foreground is not None else ""
    conditions = {
        screen.profile: front is not None and front.package == package,
        "locked": screen.locked,
        "screen off": not screen.awake,
        "landscape": screen.width > screen.height,
    }
    return "".join(f", {words}" for words, holds in conditions.items() if words and holds)


def window_title(window: Window, panes: Sequence[str] = ()) -> str:
    """`panes` are the titles of the window's parts."""
    package = short_name(window.package or "") or "unknown"
    titles = distinct([window.title if window.title != package else None, *panes[:MOST_PANES]])
    return " ".join(
        [
            package,
            *([f'"{" | ".join(cut(title, TITLE_LIMIT) for title in titles)}"'] if titles else []),
        ]
    )


class Words(NamedTuple):
    """The printed words of an item."""

    ref: str
    """Empty for plain text."""
    words: str
    """The printed text without the ref."""
    name: str
    """The print without content and state."""


def print_items(line: Line, names: Names) -> list[Words]:
    beside = any(item.pieces for item in line.items)
    printed: list[Words] = []
    for item in line.items:
        name = print_name(item, names.screen, beside)
        ref = names.ref(item.number) if item.target else ""
        printed.append(Words(ref, print_item(item, name), name))
    return printed


def print_line(line: Line, items: Sequence[Words], names: Names) -> str:
    if line.scroller is not None:
        word, ref = line.scroller.word, names.ref(line.scroller.number)
        if line.empty and word != "web":
            return f"{word} {ref}{line.scroller.extent}, empty:"
        if line.empty:
            return f"{word} page {ref}{line.scroller.extent}, nothing readable; {ASK}"
        return f"{word} {ref}{line.scroller.extent}:"
    printed: list[str] = []
    run: list[str] = []
    last = ""
    for item, (ref, text, _) in zip(line.items, items, strict=True):
        if ref and not item.pieces and text == last and _follows(run[-1], ref):
            # Equal adjacent things, such as the cells of a calendar that draws itself.
            run.append(ref)
            printed[-1] = f"{run[0]}–{ref} {text}".rstrip()
            continue
        last, run = text, [ref]
        printed.append(f"{ref} {text}".strip())
    return ", ".join(printed)


def _follows(one: str, other: str) -> bool:
    return one[:1] == other[:1] and int(one[1:]) + 1 == int(other[1:])


def print_whole(item: Item, screen: Screen, *, beside: bool, limit: int) -> str:
    return print_item(item, print_name(item, screen, beside, limit), limit)


def print_item(item: Item, name: str, limit: int = PIECE_LIMIT) -> str:
    """`name` is the item's: see `print_name`."""
    parts = [name] if name else []
    if item.value is not None:
        parts.append(f'= "{cut(clean(item.value), max(limit, FIELD_LIMIT))}"')
    return " ".join([*parts, *item.states])


def print_piece(piece: str, limit: int) -> str:
    if len(piece) < PIECE_LIMIT and len(piece) <= limit:
        return piece
    return shorten(piece, limit)


def print_name(item: Item, screen: Screen, beside: bool, limit: int = PIECE_LIMIT) -> str:
    """Return the kind and the words of an item, without its content and state."""
    parts: list[str] = [item.kind] if item.kind else []
    if item.pieces:
        words = " | ".join([print_piece(piece, limit) for piece in item.pieces])
        parts.append(f'"{words}"')
    elif not (beside and item.kind in _SELF_EVIDENT):
        if item.fallback:
            parts.append(item.fallback)
        elif item.target and not item.kind:
            parts.append(f"unnamed {_place(item.bounds, screen)}")
    return " ".join(parts)


def _place(box: Bounds, screen: Screen) -> str:
    x = (box.left + box.right) / 2 / max(1, screen.width)
    y = (box.top + box.bottom) / 2 / max(1, screen.height)
    row = "top" if y < 1 / 3 else "bottom" if y > 2 / 3 else ""
    column = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    return "-".join(word for word in (row, column) if word) or "centre"
