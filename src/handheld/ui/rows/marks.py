"""The refs of a screen as marks in its picture."""

from ..model import Screen
from ..picture import MOST_MARKS, Mark, find_content, scale_box
from .screen import Rows


def mark_refs(screen: Screen, rows: Rows, size: tuple[int, int]) -> list[Mark]:
    """Return a mark for each ref whose element can be seen. What scrolls has none: it would be a
    frame around others."""
    scale = size[0] / max(1, screen.width), size[1] / max(1, screen.height)
    dp = min(size) / 360
    marks: list[Mark] = []
    for row, thing in rows.things:
        box = scale_box(thing.item.bounds, scale, size)
        if thing.ref and not row.behind and box is not None and len(marks) < MOST_MARKS:
            window, position = thing.place
            nodes = screen.windows[window].nodes
            node = nodes[position]
            is_leaf = position + 1 == len(nodes) or nodes[position + 1].depth <= node.depth
            marks.append(Mark(box, thing.ref, find_content(box, node, is_leaf, dp)))
    return marks
