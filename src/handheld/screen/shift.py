"""Measures the movement of a scrolling view's content between two reads."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from .model import Bounds, Flag, Node

Edges = tuple[int | None, int | None]
"""A node's start and end along the scroll direction; None for an edge that the view clips."""


def measure(
    before: Sequence[Node], after: Sequence[Node], box: Bounds, now: Bounds, *, across: bool
) -> int | None:
    """Return by how many pixels the nodes below a view have moved, to the right or downwards if
    positive; None if no node was visible in both reads. `box` and `now` are the view's bounds in
    the first read and in the second.

    The majority decides: some nodes may have changed, or another row may show the same text. The
    result is 0 only if most of the nodes are unmoved.
    """
    here, there = _places(before, box, across), _places(after, now, across)
    shifts: Counter[int] = Counter()
    for name, (begin, end) in here.items():
        later_begin, later_end = there.get(name, (None, None))
        if begin is not None and later_begin is not None:
            shifts[later_begin - begin] += 1
        elif end is not None and later_end is not None:
            shifts[later_end - end] += 1
    if 2 * len(here.keys() & there.keys()) < len(here):
        del shifts[0]
    if not shifts:
        return None
    return max(shifts, key=lambda shift: (shifts[shift], -abs(shift)))


def measure_below(
    before: Sequence[Node], at: int, after: Sequence[Node], now: int, *, across: bool
) -> int | None:
    """Return the shift of the view at position `at` in the first read and `now` in the second; also
    0 if its content is unchanged."""
    nodes, later = below(before, at), below(after, now)
    if nodes == later:
        return 0
    return measure(nodes, later, before[at].bounds, after[now].bounds, across=across)


def below(nodes: Sequence[Node], number: int) -> Sequence[Node]:
    """Return the nodes below the one with that position."""
    depth, end = nodes[number].depth, number + 1
    while end < len(nodes) and nodes[end].depth > depth:
        end += 1
    return nodes[number + 1 : end]


def _places(nodes: Iterable[Node], box: Bounds, across: bool) -> dict[Hashable, Edges]:
    """Return the visible edges of every node whose words are unique. Its key does not identify it:
    a list gives the key to another row."""
    first, last = (box.left, box.right) if across else (box.top, box.bottom)
    places: dict[Hashable, Edges] = {}
    twice: set[Hashable] = set()
    for node in nodes:
        if not node.flags & Flag.VISIBLE.value or not (node.text or node.description):
            continue
        name = (node.class_name, node.resource_id, node.text, node.description)
        if name in places:
            twice.add(name)
        left, top, right, bottom = node.bounds
        begin, end = (left, right) if across else (top, bottom)
        places[name] = (begin if begin > first else None, end if end < last else None)
    for name in twice:
        del places[name]
    return places
