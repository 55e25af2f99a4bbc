"""For each node under a list, and for equal targets anywhere, an anchor: another node of its row,
which distinguishes the rows; and the container that would have to scroll to bring the node back."""

from collections.abc import Hashable, Sequence

from ..ui.model import Flag, Node, Window
from .signature import signature_of

_SCROLLABLE = Flag.SCROLLABLE.value
_LISTS = int(Flag.SCROLLABLE | Flag.COLLECTION)
_TARGETS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.CHECKABLE | Flag.EDITABLE)
ROW_LIMIT = 200
"""Nodes before and after a target in which its row is searched."""
BESIDE = 3
"""Words near a target that are compared."""


def anchors(window: Window) -> list[int]:
    """Return for each node the position of its anchor, or -1.

    The anchor is the first other node with text or description in the same direct child of the
    nearest scrollable or collection ancestor. Where it does not tell a target from others that look
    the same, it is the first such node in the largest part of the tree without any of those.
    """
    nodes = window.nodes
    count = len(nodes)
    row_of = [-1] * count
    row_end: dict[int, int] = {}
    # The path to the current node: depth, whether it is a list, and the row it is in.
    trail: list[tuple[int, bool, int]] = []
    open_rows: list[tuple[int, int]] = []
    for number, node in enumerate(nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        while open_rows and open_rows[-1][0] >= depth:
            row_end[open_rows.pop()[1]] = number
        row = -1
        if trail:
            _, is_list, row = trail[-1]
            if is_list:
                row = number
                open_rows.append((depth, number))
        row_of[number] = row
        trail.append((depth, node.flags & _LISTS != 0, row))
    for _, row in open_rows:
        row_end[row] = count
    if not row_end:
        _tell_apart(nodes, row_of)
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
            if anchor < row_end[row]:
                found[number] = anchor
    _tell_apart(nodes, found)
    return found


def _tell_apart(nodes: Sequence[Node], anchors: list[int]) -> None:
    alike: dict[Hashable, list[int]] = {}
    for number, node in enumerate(nodes):
        if node.flags & _TARGETS:
            anchor = anchors[number]
            row = None if anchor < 0 else signature_of(nodes[anchor])
            alike.setdefault((signature_of(node), row), []).append(number)
    for numbers in alike.values():
        if len(numbers) > 1:
            for before, number, after in zip(
                [-1, *numbers], numbers, [*numbers[1:], len(nodes)], strict=False
            ):
                label = _row_label(nodes, number, before, after)
                if label is not None:
                    anchors[number] = label


def _row_label(nodes: Sequence[Node], number: int, before: int, after: int) -> int | None:
    """Return the first label in the largest subtree around a node with neither `before` nor `after`
    in it; or else, in a flat layout, the first between `before` and the node."""
    first = max(before + 1, number - ROW_LIMIT)
    between = nodes[number + 1 : min(after, number + ROW_LIMIT) + 1]
    lowest = min((node.depth for node in between), default=0) if after < len(nodes) else 0
    row, depth = number, nodes[number].depth
    for at in range(number - 1, first - 1, -1):
        if nodes[at].depth < depth:
            if nodes[at].depth < lowest:
                break
            row, depth = at, nodes[at].depth
    end = _end(nodes, number)
    last = number if row == number else min(_end(nodes, row), row + ROW_LIMIT)
    if row == number:
        row = first if before < 0 else max(first, _end(nodes, before))
    for at in range(row, last):
        if not number <= at < end and (nodes[at].text or nodes[at].description):
            return at
    return None


def _end(nodes: Sequence[Node], number: int) -> int:
    """Return the position after the last descendant."""
    depth = nodes[number].depth
    return next(
        (at for at in range(number + 1, len(nodes)) if nodes[at].depth <= depth), len(nodes)
    )


def beside(nodes: Sequence[Node], number: int) -> Hashable:
    """Return the words nearest to a node, in the smallest subtree that has two others with words:
    those before it, and else those after it."""
    first, end = number, _end(nodes, number)
    words: list[tuple[str | None, str | None]] = []
    depth = nodes[number].depth
    while first and depth:
        at = first - 1
        while at and nodes[at].depth >= depth:
            at -= 1
        first, depth = at, nodes[at].depth
        before = [_words(node) for node in nodes[max(first, number - ROW_LIMIT) : number]]
        last = min(_end(nodes, first), end + ROW_LIMIT)
        after = [_words(node) for node in nodes[end:last]]
        words = [word for word in (*reversed(before), *after) if any(word)]
        if len(words) > 1:
            break
    return tuple(words[:BESIDE])


def _words(node: Node) -> tuple[str | None, str | None]:
    return (None if node.flags & Flag.EDITABLE else node.text), node.description


def items(window: Window) -> list[tuple[int, int] | None]:
    """Return for each node row and column of the list item that it is or is in."""
    found: list[tuple[int, int] | None] = []
    trail: list[tuple[int, tuple[int, int] | None]] = []
    for number, node in enumerate(window.nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        place = window.items.get(number, trail[-1][1] if trail else None)
        found.append(place)
        trail.append((depth, place))
    return found


def containers(window: Window) -> list[int]:
    """Return for each node the position of its nearest scrollable ancestor, or -1."""
    found: list[int] = []
    # The path to the current node: depth, and the container of its children.
    trail: list[tuple[int, int]] = []
    for number, node in enumerate(window.nodes):
        depth = node.depth
        while trail and trail[-1][0] >= depth:
            trail.pop()
        container = trail[-1][1] if trail else -1
        found.append(container)
        trail.append((depth, number if node.flags & _SCROLLABLE else container))
    return found


def listed(window: Window) -> list[bool]:
    """Return for each node whether it is in a list."""
    found: list[bool] = []
    depth = -1  # of the outermost list around the node
    for node in window.nodes:
        if node.depth <= depth:
            depth = -1
        found.append(depth >= 0)
        if depth < 0 and node.flags & Flag.COLLECTION:
            depth = node.depth
    return found
