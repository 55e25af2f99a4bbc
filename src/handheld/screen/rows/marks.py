"""The refs of a screen as marks in its picture."""

from collections.abc import Iterator, Sequence

from ..model import Node, Screen
from ..picture import MOST_MARKS, Mark, find_content, scale_box
from .screen import Rows
from .tree import around


def mark_refs(screen: Screen, rows: Rows, size: tuple[int, int]) -> list[Mark]:
    """Return a mark for each ref whose element is visible. Scrollers have none: it would frame
    other elements."""
    scale = size[0] / max(1, screen.width), size[1] / max(1, screen.height)
    dp = min(size) / 360
    marks: list[Mark] = []
    for row, thing in rows.things:
        box = scale_box(thing.item.bounds, scale, size)
        if thing.ref and not row.behind and box is not None and len(marks) < MOST_MARKS:
            window, position = thing.place
            nodes = screen.windows[window].nodes
            parts = list(_leaves(nodes, position))
            content = find_content(box, nodes[position], True, dp)
            if parts and (area := around(node.bounds for node in parts)) is not None:
                content = scale_box(area, scale, size)
            marks.append(Mark(box, thing.ref, content, inside=True))
    return marks


def _leaves(nodes: Sequence[Node], position: int) -> Iterator[Node]:
    """Yield the leaves inside an element: its texts and icons."""
    for at in range(position + 1, len(nodes)):
        node = nodes[at]
        if node.depth <= nodes[position].depth:
            return
        if at + 1 == len(nodes) or nodes[at + 1].depth <= node.depth:
            yield node
