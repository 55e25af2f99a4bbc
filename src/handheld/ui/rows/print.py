"""Lines as text."""

from collections.abc import Callable, Sequence

from ..model import Bounds, Flag, Screen, Window
from .covers import Covers
from .items import Found, Item, find_items
from .lines import Line, lay_out
from .tree import Tree, tree_of
from .words import clean, cut

PIECE_LIMIT = 200
FIELD_LIMIT = 240
KINDS_WITHOUT_NAME = ("switch", "check", "radio")

Ref = Callable[[int], str]


def print_window(screen: Screen, window: Window, ref: Ref) -> str:
    area = Bounds(0, 0, screen.width, screen.height)
    tree = tree_of(window, area)
    found = find_items(tree, screen.height, Covers(tree, area))
    lines = lay_out(tree, found, screen.density)
    out: list[str] = []
    for line in lines:
        out.append(" " * line.depth + _line(line, screen, ref))
    folded: list[str] = []
    for text in out:
        if folded and text.lstrip().startswith('"') and folded[-1].partition(" ×")[0] == text:
            times = int(folded[-1].rpartition(" ×")[2]) if " ×" in folded[-1] else 1
            folded[-1] = f"{text} ×{times + 1}"
        else:
            folded.append(text)
    if found.hidden:
        folded.append(f"{found.hidden} texts off screen")
    for number, count in found.more.items():
        folded.append(f"+{count} more in {ref(number)}")
    return "\n".join(folded)


def _line(line: Line, screen: Screen, ref: Ref) -> str:
    if line.scroller is not None:
        return f"{line.scroller.word} {ref(line.scroller.number)}:"
    worded = any(item.pieces for item in line.items)
    printed: list[str] = []
    run: list[str] = []
    last = ""
    for item in line.items:
        text, name = _item(item, screen, worded), ref(item.number) if item.target else ""
        if name and not item.pieces and text == last:
            run.append(name)
            printed[-1] = f"{run[0]}–{name} {text}" if len(run) > 2 else f"{', '.join(f'{one} {text}' for one in run)}"
            continue
        last, run = text, [name]
        printed.append(f"{name} {text}".strip())
    return ", ".join(printed)


def _item(item: Item, screen: Screen, beside: bool) -> str:
    parts: list[str] = []
    if item.kind:
        parts.append(item.kind)
    if item.pieces:
        words = " | ".join(cut(piece, PIECE_LIMIT) for piece in item.pieces)
        parts.append(f'"{words}"')
    elif item.fallback and not (beside and item.kind in KINDS_WITHOUT_NAME):
        parts.append(item.fallback)
    elif item.target and not item.kind:
        parts.append(f"unnamed {_place(item.bounds, screen)}")
    if item.value is not None:
        parts.append(f'= "{cut(clean(item.value), FIELD_LIMIT)}"')
    return " ".join([*parts, *item.states])


def _place(box: Bounds, screen: Screen) -> str:
    x, y = (box.left + box.right) / 2 / max(1, screen.width), (box.top + box.bottom) / 2 / max(
        1, screen.height
    )
    row = "top" if y < 1 / 3 else "bottom" if y > 2 / 3 else ""
    column = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    return "-".join(word for word in (row, column) if word) or "centre"
