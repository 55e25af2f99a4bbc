"""A window's nodes as a tree, with the visible part of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from ..model import Bounds, Details, Flag, Node, Window
from ..web_text import Folding
from .classes import Class, class_of

_SCROLLABLE = Flag.SCROLLABLE.value
_VISIBLE = Flag.VISIBLE.value
_DIALOGS = ("dialog", "alertDialog")
"""Chromium's names of roles."""


@dataclass(slots=True)
class Tree:
    """Positions are those of the window's nodes, in pre-order."""

    nodes: list[Node]
    classes: list[Class]
    parents: list[int]
    """-1 for a root."""
    ends: list[int]
    """The position after each node's last descendant."""
    shown: list[Bounds | None]
    """The visible part of each node: inside the screen and all its scrollers. None if it is
    invisible."""
    items: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """The row and column in the list around it."""
    details: dict[int, Details] = field(default_factory=dict[int, Details])
    folding: Folding | None = None
    """For a window with web content."""
    dialogs: list[int] = field(default_factory=list[int])
    """Nodes that report to be dialogs, in order."""

    def is_inside(self, inner: int, outer: int) -> bool:
        """Whether `inner` is `outer` or one of its descendants."""
        return outer <= inner < self.ends[outer]

    def children(self, number: int) -> list[int]:
        found: list[int] = []
        child = number + 1
        while child < self.ends[number]:
            found.append(child)
            child = self.ends[child]
        return found


def intersect(one: Bounds, other: Bounds) -> Bounds | None:
    left, top, right, bottom = one
    least_x, least_y, most_x, most_y = other
    if left >= least_x and top >= least_y and right <= most_x and bottom <= most_y:
        # The usual case.
        return one if left < right and top < bottom else None
    left, top = max(left, least_x), max(top, least_y)
    right, bottom = min(right, most_x), min(bottom, most_y)
    return Bounds(left, top, right, bottom) if left < right and top < bottom else None


def tree_of(window: Window, area: Bounds) -> Tree:
    """`area` is the part of the screen in which the window is visible."""
    nodes = window.nodes
    count = len(nodes)
    parents, ends, shown = [-1] * count, [count] * count, [None] * count
    classes = [class_of(node.class_name) for node in nodes]
    told = (window.items, window.details, Folding(window) if window.web else None)
    dialogs = {number for number, own in enumerate(classes) if own.is_dialog}
    dialogs |= {number for number, page in window.web.items() if page.role in _DIALOGS}
    tree = Tree(nodes, classes, parents, ends, list[Bounds | None](shown), *told, sorted(dialogs))
    # The path to the current node: its depth and position, and where its children can be seen.
    trail: list[tuple[int, int, Bounds | None]] = []
    for number, node in enumerate(nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            ends[trail.pop()[1]] = number
        clip: Bounds | None = area
        if trail:
            _, parents[number], clip = trail[-1]
        part = None if clip is None else intersect(node.bounds, clip)
        if part is not None and node.flags & _VISIBLE:
            tree.shown[number] = part
        clips = node.flags & _SCROLLABLE or classes[number].is_web
        trail.append((depth, number, part if clips else clip))
    return tree


def around(boxes: Iterable[Bounds]) -> Bounds | None:
    """Return the smallest box with all of them; None without any."""
    sides = list(zip(*boxes, strict=True))
    if not sides:
        return None
    lefts, tops, rights, bottoms = sides
    return Bounds(min(lefts), min(tops), max(rights), max(bottoms))


def reading_order(texts: list[tuple[Bounds, str]]) -> list[str]:
    """Return the texts by rows, then from left to right."""
    if _is_stacked(texts):
        return [text for _, text in texts]
    rows: list[list[tuple[Bounds, str]]] = []
    middle = 0.0
    for text in sorted(texts, key=_corner):
        box = text[0]
        if rows and box.top < middle:
            rows[-1].append(text)
        else:
            rows.append([text])
            middle = (box.top + box.bottom) / 2
    return [text for row in rows for _, text in (sorted(row, key=_left) if len(row) > 1 else row)]


def _is_stacked(texts: list[tuple[Bounds, str]]) -> bool:
    """Whether each text is a separate row and they are already in order: the usual case."""
    last = middle = -inf
    for (_, top, _, bottom), _ in texts:
        if top <= last or top < middle:
            return False
        last, middle = top, (top + bottom) / 2
    return True


def _corner(text: tuple[Bounds, str]) -> tuple[int, int]:
    return text[0].top, text[0].left


def _left(text: tuple[Bounds, str]) -> int:
    return text[0].left
