"""Rows as text."""

from collections.abc import Callable

from ..model import Bounds, Screen, Window
from .items import Item
from .lines import Line
from .words import clean, cut, short_name

PIECE_LIMIT = 200
FIELD_LIMIT = 240
TITLE_LIMIT = 60
_SELF_EVIDENT = ("switch", "check", "radio")
"""Kinds that need no name beside a text."""


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


def print_header(screen: Screen, window: Window | None, *, dialog: bool) -> str:
    words = ["dialog "] if dialog else []
    words.append("nothing is shown" if window is None else window_title(window))
    if screen.width > screen.height:
        words.append(", landscape")
    return "".join(words)


def window_title(window: Window) -> str:
    title = cut(clean(window.title or ""), TITLE_LIMIT)
    package = short_name(window.package or "") or "unknown"
    return f'{package} "{title}"' if title and title != package else package


def print_line(line: Line, names: Names) -> str:
    if line.scroller is not None:
        header = f"{line.scroller.word} {names.ref(line.scroller.number)}"
        return f"{header}, nothing readable" if line.empty else f"{header}:"
    beside = any(item.pieces for item in line.items)
    printed: list[str] = []
    run: list[str] = []
    last = ""
    for item in line.items:
        text = print_item(item, names.screen, beside)
        ref = names.ref(item.number) if item.target else ""
        if ref and not item.pieces and text == last and _follows(run[-1], ref):
            # Equal things side by side, such as the cells of a calendar that draws itself.
            run.append(ref)
            printed[-1] = f"{run[0]}–{ref} {text}".rstrip()
            continue
        last, run = text, [ref]
        printed.append(f"{ref} {text}".strip())
    return ", ".join(printed)


def _follows(one: str, other: str) -> bool:
    return one[:1] == other[:1] and int(one[1:]) + 1 == int(other[1:])


def print_item(item: Item, screen: Screen, beside: bool, limit: int = PIECE_LIMIT) -> str:
    parts = print_name(item, screen, beside, limit)
    if item.value is not None:
        parts.append(f'= "{cut(clean(item.value), max(limit, FIELD_LIMIT))}"')
    return " ".join([*parts, *item.states])


def print_name(item: Item, screen: Screen, beside: bool, limit: int = PIECE_LIMIT) -> list[str]:
    """Return the kind and the words of an item, without its content and state."""
    parts: list[str] = [item.kind] if item.kind else []
    if item.pieces:
        words = " | ".join(cut(piece, limit) for piece in item.pieces)
        parts.append(f'"{words}"')
    elif not (beside and item.kind in _SELF_EVIDENT):
        if item.fallback:
            parts.append(item.fallback)
        elif item.target and not item.kind:
            parts.append(f"unnamed {_place(item.bounds, screen)}")
    return parts


def _place(box: Bounds, screen: Screen) -> str:
    x = (box.left + box.right) / 2 / max(1, screen.width)
    y = (box.top + box.bottom) / 2 / max(1, screen.height)
    row = "top" if y < 1 / 3 else "bottom" if y > 2 / 3 else ""
    column = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    return "-".join(word for word in (row, column) if word) or "centre"
