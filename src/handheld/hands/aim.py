"""Where to put a finger so that it touches one element and nothing else.

Only a place tells a tap what it means, so the place must belong to the element: not to a window
that lies over it, nor to something inside or above it that takes the tap itself.
"""

from collections.abc import Iterator, Sequence

from ..ui.model import Bounds, Flag, Node, Screen

_OVERLAYS = ("ACCESSIBILITY_OVERLAY", "MAGNIFICATION_OVERLAY")
"""Windows that show something over others and let touches through."""
_STEPS = (0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98)
"""Where in an element's width and height it is tried, the middle first."""


class Covered(Exception):
    """No place on the screen belongs to the element alone."""


def find_point(
    screen: Screen,
    boxes: Sequence[Bounds | None],
    node: Node,
    flag: Flag,
    keyboard: Sequence[Bounds] = (),
) -> tuple[float, float]:
    """A place where a tap comes to `node`; `flag` is what makes other nodes take it away, and
    `keyboard` lies over all, where it is not among the windows.

    Raises Covered."""
    place = next(
        (
            (number, position)
            for number, window in enumerate(screen.windows)
            for position, one in enumerate(window.nodes)
            if one is node
        ),
        None,
    )
    if place is None:
        raise Covered
    number, position = place
    nodes = screen.windows[number].nodes
    over = [
        box
        for box, window in zip(boxes[:number], screen.windows, strict=False)
        if box is not None and window.type not in _OVERLAYS
    ]
    over += keyboard
    if _is_below_dialog(screen, boxes, number):
        raise Covered
    rivals = list(_rivals(nodes, position, flag.value))
    for x, y in _points(node.bounds, screen.width, screen.height):
        if not any(_holds(box, x, y) for box in (*over, *rivals)):
            return x, y
    raise Covered


def _is_below_dialog(screen: Screen, boxes: Sequence[Bounds | None], number: int) -> bool:
    """A dialog takes the touches beside it as well."""
    own = boxes[number]
    for box, window in zip(boxes[:number], screen.windows, strict=False):
        if window.focused and window.type == "APPLICATION" and box is not None and own is not None:
            beside = box.left < own.right and own.left < box.right
            return beside and box.top < own.bottom and own.top < box.bottom
    return False


def _rivals(nodes: Sequence[Node], position: int, flag: int) -> Iterator[Bounds]:
    """What comes later is drawn later: inside the node, or over it beside it."""
    takes = flag | Flag.CLICKABLE.value | Flag.LONG_CLICKABLE.value
    for other in nodes[position + 1 :]:
        if other.flags & takes and other.flags & Flag.VISIBLE.value:
            yield other.bounds


def _points(bounds: Bounds, width: int, height: int) -> Iterator[tuple[float, float]]:
    left, top = max(bounds.left, 0), max(bounds.top, 0)
    right, bottom = min(bounds.right, width), min(bounds.bottom, height)
    if left >= right or top >= bottom:
        return
    for down in _STEPS:
        for across in _STEPS:
            # Whole pixels: what is left of a rounding must not lie on the neighbour.
            yield (
                int(left + (right - left - 1) * across),
                int(top + (bottom - top - 1) * down),
            )


def _holds(box: Bounds, x: float, y: float) -> bool:
    return box.left <= x < box.right and box.top <= y < box.bottom
