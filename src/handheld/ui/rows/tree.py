"""A window's nodes as a tree, with the visible part of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..model import Bounds, Details, Flag, Node, Window

_SCROLLABLE = Flag.SCROLLABLE.value
_VISIBLE = Flag.VISIBLE.value
WEB = "WebView"
ADAPTER_VIEWS = ("ListView", "GridView", "GalleryView", "Spinner")
"""Suffixes of classes that take the clicks of their children."""


@dataclass(slots=True)
class Tree:
    """Positions are those of the window's nodes, in pre-order."""

    nodes: list[Node]
    parents: list[int]
    """-1 for a root."""
    ends: list[int]
    """The position after each node's last descendant."""
    shown: list[Bounds | None]
    """What of each node can be seen: inside the screen and everything that scrolls it. None for
    nothing."""
    items: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Row and column in the list around it."""
    details: dict[int, Details] = field(default_factory=dict[int, Details])

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


def short_class(node: Node) -> str:
    return (node.class_name or "").rpartition(".")[2]


def clips(node: Node) -> bool:
    """Whether content of this node is visible only inside its bounds."""
    return bool(node.flags & _SCROLLABLE) or short_class(node).endswith(WEB)


def intersect(one: Bounds, other: Bounds) -> Bounds | None:
    left, top = max(one.left, other.left), max(one.top, other.top)
    right, bottom = min(one.right, other.right), min(one.bottom, other.bottom)
    return Bounds(left, top, right, bottom) if left < right and top < bottom else None


def tree_of(window: Window, area: Bounds) -> Tree:
    """`area` is the part of the screen in which the window can be seen."""
    nodes = window.nodes
    count = len(nodes)
    parents, ends, shown = [-1] * count, [count] * count, [None] * count
    tree = Tree(nodes, parents, ends, list[Bounds | None](shown), window.items, window.details)
    # The path to the current node: its position, and where its children can be seen.
    trail: list[tuple[int, Bounds | None]] = []
    for number, node in enumerate(nodes):
        while trail and nodes[trail[-1][0]].depth >= node.depth:
            ends[trail.pop()[0]] = number
        clip: Bounds | None = area
        if trail:
            parents[number], clip = trail[-1]
        part = intersect(node.bounds, clip) if clip is not None else None
        if part is not None and node.flags & _VISIBLE:
            tree.shown[number] = part
        trail.append((number, part if clips(node) else clip))
    return tree


def around(boxes: Iterable[Bounds]) -> Bounds | None:
    """Return the smallest box with all of them; None without any."""
    sides = list(zip(*boxes, strict=True))
    if not sides:
        return None
    lefts, tops, rights, bottoms = sides
    return Bounds(min(lefts), min(tops), max(rights), max(bottoms))


def reading_order(texts: list[tuple[Bounds, str, int]]) -> list[tuple[Bounds, str, int]]:
    """Sort by rows, then from left to right."""
    left = sorted(texts, key=lambda text: (text[0].top, text[0].left))
    rows: list[list[tuple[Bounds, str, int]]] = []
    for text in left:
        if rows and text[0].top < (rows[-1][0][0].top + rows[-1][0][0].bottom) / 2:
            rows[-1].append(text)
        else:
            rows.append([text])
    return [text for row in rows for text in sorted(row, key=lambda text: text[0].left)]
