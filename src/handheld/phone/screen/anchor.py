"""For each node under a list, and for equal targets anywhere, an anchor: another node of its row,
which distinguishes the rows; and the container whose scrolling would bring the node back."""

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from functools import cached_property
from math import inf

from ...screen.model import Flag, Node, Window
from .signature import signature_of

_SCROLLABLE = Flag.SCROLLABLE.value
_LISTS = int(Flag.SCROLLABLE | Flag.COLLECTION)
_TARGETS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.CHECKABLE | Flag.EDITABLE)
_EDITABLE = Flag.EDITABLE.value
_COLLECTION = Flag.COLLECTION.value
BESIDE = 3
"""The number of words near a target that are compared."""


class Structure:
    """Data derived from a window's nodes, for each of them."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self.outline = Outline(window.nodes)
        self.anchors = anchors(window, self.outline)
        self.table: tuple[list[int], bool, str] | None = None
        """The hashes of the nodes, whether web text is folded, and the window as text with them."""

    @cached_property
    def containers(self) -> list[int]:
        return containers(self._window, self.outline)

    @cached_property
    def listed(self) -> list[bool]:
        return listed(self._window)

    @cached_property
    def items(self) -> list[tuple[int, int] | None]:
        return items(self._window, self.outline)


def anchors(window: Window, outline: "Outline | None" = None) -> list[int]:
    """Return for each node the position of its anchor, or -1.

    The anchor is the first other node with text or description in the same direct child of the
    nearest scrollable or collection ancestor. If that does not distinguish a target from others
    that look the same, the anchor is the first such node in the largest subtree without any of
    those.
    """
    nodes = window.nodes
    outline = outline or Outline(nodes)
    count = len(nodes)
    row_of: list[int] = []
    has_rows = False
    for number, parent in enumerate(outline.parents):
        row = -1
        if parent >= 0:
            row = row_of[parent]
            if nodes[parent].flags & _LISTS:
                row, has_rows = number, True
        row_of.append(row)
    if not has_rows:
        _tell_apart(nodes, row_of, outline)
        return row_of

    labelled = [count] * (count + 1)
    for number in range(count - 1, -1, -1):
        node = nodes[number]
        labelled[number] = number if node.text or node.description else labelled[number + 1]
    found = [-1] * count
    for number, row in enumerate(row_of):
        if row >= 0:
            anchor = labelled[row]
            if anchor == number:
                anchor = labelled[number + 1]
            if anchor < outline.ends[row]:
                found[number] = anchor
    _tell_apart(nodes, found, outline)
    return found


def _tell_apart(nodes: Sequence[Node], anchors: list[int], outline: "Outline") -> None:
    alike: dict[Hashable, list[int]] = {}
    for number, node in enumerate(nodes):
        if node.flags & _TARGETS:
            anchor = anchors[number]
            row = None if anchor < 0 else signature_of(nodes[anchor])
            alike.setdefault((signature_of(node), row), []).append(number)
    if len(alike) == sum(map(len, alike.values())):
        return
    for numbers in alike.values():
        if len(numbers) > 1:
            afters = [*numbers[1:], len(nodes)]
            for before, number, after in zip([-1, *numbers], numbers, afters, strict=False):
                label = outline.row_label(number, before, after)
                if label is not None:
                    anchors[number] = label


class Outline:
    """The nesting of the nodes, and the nodes with words."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self.parents = [-1] * len(nodes)
        self.ends = [len(nodes)] * len(nodes)
        """The position after each node's last descendant."""
        parents, ends = self.parents, self.ends
        # The path to the current node: depths and positions.
        depths, trail = [-inf], [-1]
        for number, node in enumerate(nodes):
            depth = node.depth
            while depths[-1] >= depth:
                ends[trail.pop()] = number
                del depths[-1]
            parents[number] = trail[-1]
            depths.append(depth)
            trail.append(number)

    @cached_property
    def _labels(self) -> list[int]:
        nodes = enumerate(self._nodes)
        return [number for number, node in nodes if node.text or node.description]

    def row_label(self, number: int, before: int, after: int) -> int | None:
        """Return the first label in the largest subtree around a node with neither `before` nor
        `after` in it; or else, in a flat layout, the first between `before` and the node."""
        parents, ends = self.parents, self.ends
        row = number
        while before < (outer := parents[row]) and ends[outer] <= after:
            row = outer
        if row == number:
            first = parents[number] if before < 0 else ends[before]
            label = self._label(max(0, first))
            return label if label is not None and label < number else None
        label = self._label(row)
        if label == number or (label is not None and self._is_inside(label, number)):
            label = self._label(ends[number])
        return label if label is not None and label < ends[row] else None

    def beside(self, number: int) -> Hashable:
        """Return the words nearest to a node, in the smallest subtree that has two others with
        words: those before it, and else those after it."""
        parents, ends = self.parents, self.ends
        labels, end = self._labels, ends[number]
        own, behind = bisect_left(labels, number), bisect_left(labels, end)
        outer, first, last = parents[number], own, behind
        while outer >= 0 and (own - first) + (last - behind) < 2:
            first, last = bisect_left(labels, outer), bisect_left(labels, ends[outer])
            outer = parents[outer]
        near = [
            *reversed(labels[max(first, own - BESIDE) : own]),
            *labels[behind : min(last, behind + BESIDE)],
        ]
        return tuple(map(self._words, near[:BESIDE]))

    def _label(self, first: int) -> int | None:
        at = bisect_left(self._labels, first)
        return self._labels[at] if at < len(self._labels) else None

    def _is_inside(self, inner: int, outer: int) -> bool:
        return outer <= inner < self.ends[outer]

    def _words(self, number: int) -> tuple[str | None, str | None]:
        node = self._nodes[number]
        return (None if node.flags & _EDITABLE else node.text), node.description


def items(window: Window, outline: Outline) -> list[tuple[int, int] | None]:
    """Return for each node the row and column of its list item."""
    found: list[tuple[int, int] | None] = []
    for number, parent in enumerate(outline.parents):
        found.append(window.items.get(number, found[parent] if parent >= 0 else None))
    return found


def containers(window: Window, outline: Outline) -> list[int]:
    """Return for each node the position of its nearest scrollable ancestor, or -1."""
    nodes = window.nodes
    found: list[int] = []
    for parent in outline.parents:
        container = -1
        if parent >= 0:
            container = parent if nodes[parent].flags & _SCROLLABLE else found[parent]
        found.append(container)
    return found


def listed(window: Window) -> list[bool]:
    """Return for each node whether it is in a list."""
    found: list[bool] = []
    depth = -1  # of the outermost list around the node
    for node in window.nodes:
        if node.depth <= depth:
            depth = -1
        found.append(depth >= 0)
        if depth < 0 and node.flags & _COLLECTION:
            depth = node.depth
    return found
