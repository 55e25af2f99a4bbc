"""Find a point to tap that belongs to one element alone.

A tap has only a point, so the point must belong to the element. Android dispatches a touch to the
topmost window at that point. There, a view passes the touch to its children at that point, the last
drawn first, and may consume it if none of them does. So a point within an element, and within all
its ancestors, belongs to the element unless another view that consumes touches is there: inside the
element, or drawn after it.

Siblings in a dump are in reading order, except in Compose. Only `drawing-order`, if Android writes
it, states which of two siblings was drawn later; 0 is unknown. Fully transparent views consume
touches as well, but no dump contains them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...screen.model import Bounds, Flag, Node, Screen

if TYPE_CHECKING:
    from ..reading.uiautomator import DumpedWindow

_OVERLAYS = ("ACCESSIBILITY_OVERLAY", "MAGNIFICATION_OVERLAY")
"""Windows that overlay others and let touches through."""
_TAKES = int(
    Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.SCROLLABLE | Flag.EDITABLE | Flag.COLLECTION
)
"""A view with one of these consumes touches, even while it is disabled."""
_TAKING = ("ScrollView", "WebView", "ViewPager", "SeekBar")
"""Suffixes of classes that consume every touch, regardless of their attributes."""
_PAGE = "WebView"
"""Content of a web page can be touched outside the bounds of its ancestors."""
_COMPOSE = "ComposeView"
_COMPOSED = ("ComposeView", "android.view.View", "ScrollView")
"""Classes that Compose gives to containers only."""
_GRACE_DP = 24
"""A small element may be touched this far outside its bounds: an app can allow it, and Compose
does."""
_MOST = 1000
"""No screen has more overlapping elements that consume touches."""
MOST_PIECES = 64
"""Only the largest free pieces are examined, at most this many: thin stripes can leave any
number."""


class Covered(Exception):
    """No point on the screen belongs to the element alone."""


class Undecided(Exception):
    """No point is certain: an overlapping element may lie over or under this one."""


def find_point(
    screen: Screen,
    boxes: Sequence[Bounds | None],
    node: Node,
    unread: "Sequence[DumpedWindow]" = (),
) -> tuple[int, int]:
    """Return a point where a tap reaches `node`: its centre, or the centre of a free part. `boxes`
    are the bounds of the screen's windows; `unread` are further windows, with unknown content.

    Raises Covered, Undecided."""
    number, position = _locate(screen, boxes, node)
    whole = Bounds(0, 0, screen.width, screen.height)
    box, over, unclear = _find_overlaps(screen.windows[number].nodes, position, whole)
    over += _above(screen, boxes, number, unread)
    if len(over) + len(unclear) > _MOST:
        raise Covered
    for grace in (_GRACE_DP * screen.density // 160, 0):
        point = _free(box, [_grown(overlap, grace) for overlap in (*over, *unclear)])
        if point is not None:
            return point
    raise Undecided if _free(box, over) else Covered


def takes_touch_at(screen: Screen, window: int, ancestor: int, position: int) -> bool:
    """Return whether `ancestor` gets a touch at the centre of the node at `position` inside it:
    neither the node, nor a view between them, nor a view over them consumes it. Windows above are
    not considered."""
    nodes = screen.windows[window].nodes
    depth = nodes[position].depth + 1
    for number in range(position, ancestor, -1):
        if nodes[number].depth < depth:
            depth = nodes[number].depth
            if _takes(nodes[number]):
                return False
    whole = Bounds(0, 0, screen.width, screen.height)
    box, over, unclear = _find_overlaps(nodes, ancestor, whole)
    x, y = _middle(nodes[position].bounds)
    return holds(box, x, y) and not any(holds(area, x, y) for area in (*over, *unclear))


def find_area(
    screen: Screen,
    boxes: Sequence[Bounds | None],
    node: Node,
    unread: "Sequence[DumpedWindow]" = (),
) -> Bounds:
    """Return the largest part of `node` that no other window covers: a finger that moves there
    scrolls instead of typing on a keyboard.

    Raises Covered."""
    number, position = _locate(screen, boxes, node)
    whole = Bounds(0, 0, screen.width, screen.height)
    box, _, _ = _find_overlaps(screen.windows[number].nodes, position, whole)
    pieces = free_pieces(box, _above(screen, boxes, number, unread))
    if not pieces:
        raise Covered
    return max(pieces, key=lambda piece: (piece.right - piece.left) * (piece.bottom - piece.top))


def _locate(screen: Screen, boxes: Sequence[Bounds | None], node: Node) -> tuple[int, int]:
    """Return the indexes of the node's window and of the node in it."""
    for number, window in enumerate(screen.windows):
        for position, candidate in enumerate(window.nodes):
            if candidate is node and not _is_below_dialog(screen, boxes, number):
                return number, position
    raise Covered


def _above(
    screen: Screen, boxes: Sequence[Bounds | None], number: int, unread: "Sequence[DumpedWindow]"
) -> list[Bounds]:
    """Return the areas in which other windows get the touches instead of this one."""
    layer = screen.windows[number].layer
    pairs = zip(screen.windows, boxes[:number], strict=False)
    above = [(window.type, box) for window, box in pairs]
    above += [(window.type, window.bounds) for window in unread if window.layer > layer]
    return [box for kind, box in above if box is not None and kind not in _OVERLAYS]


def _is_below_dialog(screen: Screen, boxes: Sequence[Bounds | None], number: int) -> bool:
    """Return whether a dialog lies over the window: it also gets the touches beside it."""
    own = boxes[number]
    for box, window in zip(boxes[:number], screen.windows, strict=False):
        modal = window.focused and window.type not in _OVERLAYS
        if modal and box is not None and own is not None:
            return not _is_empty(_meet(box, own))
    return False


def _find_overlaps(
    nodes: Sequence[Node], position: int, box: Bounds
) -> tuple[Bounds, list[Bounds], list[Bounds]]:
    """Return the part of the box in which the node at `position` can be touched, the overlapping
    elements that get touches before it, and those for which the order is unknown."""
    parents: list[int] = []
    path: list[int] = []
    for number, node in enumerate(nodes):
        del path[node.depth :]
        parents.append(path[-1] if path else -1)
        path.append(number)
    steps = {position: -1}
    """The path from the root to the node: the next child for each parent."""
    number = position
    while number >= 0:
        steps[parents[number]] = number
        number = parents[number]
    in_page = in_compose = False
    composed: set[int] = set()
    """Nodes on the path whose children Compose lists in drawing order."""
    for number in reversed([number for number in steps if number >= 0]):
        name = nodes[number].class_name or ""
        if not in_page or number == position:
            box = _meet(box, nodes[number].bounds)
        in_page = in_page or name.endswith(_PAGE)
        in_compose = in_compose or name.endswith(_COMPOSE)
        if in_compose and not in_page and name.endswith(_COMPOSED):
            composed.add(number)
    over: list[Bounds] = []
    unclear: list[Bounds] = []
    branches: list[int] = []
    """For each node its highest ancestor, or itself, that is not on the path."""
    for number, node in enumerate(nodes):
        parent = parents[number]
        branches.append(number if parent in steps else branches[parent])
        if number in steps or not _takes(node) or _is_empty(_meet(node.bounds, box)):
            continue
        other = branches[number]
        mine = steps[parents[other]]
        if mine < 0 or _is_drawn_later(nodes, mine, other, parents[other] in composed):
            over.append(node.bounds)
        elif not _is_drawn_later(nodes, other, mine, parents[other] in composed):
            unclear.append(node.bounds)
    return box, over, unclear


def _is_drawn_later(nodes: Sequence[Node], node: int, sibling: int, composed: bool) -> bool:
    """Return whether `sibling` is known to be drawn after `node`."""
    if composed:
        return node < sibling
    first, second = nodes[node].drawing_order, nodes[sibling].drawing_order
    return bool(first and second) and first < second


def _takes(node: Node) -> bool:
    return bool(node.flags & Flag.VISIBLE.value) and (
        bool(node.flags & _TAKES) or (node.class_name or "").endswith(_TAKING)
    )


def _free(box: Bounds, overlaps: Sequence[Bounds]) -> tuple[int, int] | None:
    """Return the centre of the box if nothing covers that point, else the centre of a large free
    piece; None if there is none."""
    if _is_empty(box):
        return None
    x, y = middle = _middle(box)
    if not any(holds(area, x, y) for area in overlaps):
        return middle
    pieces = free_pieces(box, overlaps)
    if not pieces:
        return None
    return _middle(max(pieces, key=_narrowest))


def free_pieces(box: Bounds, overlaps: Sequence[Bounds]) -> list[Bounds]:
    """Return the free pieces of the box, the largest `MOST_PIECES`."""
    pieces = [] if _is_empty(box) else [box]
    for overlap in overlaps:
        pieces = [part for piece in pieces for part in _without(piece, overlap)]
        if len(pieces) > MOST_PIECES:
            pieces = sorted(pieces, key=_narrowest, reverse=True)[:MOST_PIECES]
    return pieces


def _narrowest(box: Bounds) -> int:
    """Return the box's smaller side, which limits a finger."""
    return min(box.right - box.left, box.bottom - box.top)


def _without(box: Bounds, overlap: Bounds) -> list[Bounds]:
    """Return the pieces of the box that the overlap leaves free."""
    left, top, right, bottom = meet = _meet(box, overlap)
    if _is_empty(meet):
        return [box]
    pieces = (
        Bounds(box.left, box.top, box.right, top),
        Bounds(box.left, bottom, box.right, box.bottom),
        Bounds(box.left, top, left, bottom),
        Bounds(right, top, box.right, bottom),
    )
    return [piece for piece in pieces if not _is_empty(piece)]


def _middle(box: Bounds) -> tuple[int, int]:
    """Return the centre as a whole pixel: rounding could move it to a neighbour."""
    return (box.left + box.right - 1) // 2, (box.top + box.bottom - 1) // 2


def holds(box: Bounds, x: float, y: float) -> bool:
    return box.left <= x < box.right and box.top <= y < box.bottom


def _grown(box: Bounds, by: int) -> Bounds:
    return Bounds(box.left - by, box.top - by, box.right + by, box.bottom + by)


def _meet(box: Bounds, other: Bounds) -> Bounds:
    return Bounds(
        max(box.left, other.left),
        max(box.top, other.top),
        min(box.right, other.right),
        min(box.bottom, other.bottom),
    )


def _is_empty(box: Bounds) -> bool:
    return box.left >= box.right or box.top >= box.bottom
