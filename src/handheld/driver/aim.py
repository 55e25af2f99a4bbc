"""Where to put a finger so that it touches one element and nothing else.

Only a place tells a tap what it means, so the place must belong to the element. Android gives a
touch to the topmost window there. In it a view offers the touch to those of its children that are
there, the last drawn first, and may take it when none of them did. So a place within an element,
and within everything around it, is its own unless something that takes touches is there as well:
inside the element, or drawn after it.

The order of siblings in a dump is that of reading, except in Compose. Which of two was drawn after
the other only `drawing-order` says, where Android writes it; 0 says nothing. Views that are wholly
transparent take touches as well, but no dump has them.
"""

from collections.abc import Sequence

from ..ui.model import Bounds, Flag, Node, Screen
from .uiautomator import DumpedWindow

_OVERLAYS = ("ACCESSIBILITY_OVERLAY", "MAGNIFICATION_OVERLAY")
"""Windows that show something over others and let touches through."""
_TAKES = int(
    Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.SCROLLABLE | Flag.EDITABLE | Flag.COLLECTION
)
"""A view with one of these keeps a touch, also while it is disabled."""
_TAKING = ("ScrollView", "WebView", "ViewPager", "SeekBar")
"""How the names of classes end that keep every touch, whatever else they say of themselves."""
_PAGE = "WebView"
"""What is in a page can be touched also outside of what is around it there."""
_COMPOSE = "ComposeView"
_COMPOSED = ("ComposeView", "android.view.View", "ScrollView")
"""Classes that Compose gives to what has others in it, and that in Compose nothing else has."""
_GRACE_DP = 24
"""A small element may be touched so far beside it: an app can say so, and Compose does."""
_MOST = 1000
"""No screen has more things on one element that take touches."""
MOST_PIECES = 64
"""So many free places are looked at, the largest: between thin stripes there may be any number."""


class Covered(Exception):
    """No place on the screen belongs to the element alone."""


class Undecided(Exception):
    """None does for sure: what else takes touches there may lie over the element or under it."""


def find_point(
    screen: Screen,
    boxes: Sequence[Bounds | None],
    node: Node,
    unread: Sequence[DumpedWindow] = (),
) -> tuple[int, int]:
    """A place where a tap comes to `node`: its middle, or the middle of what is free of it. `boxes`
    is where the screen's windows are; `unread` are others, whose content is not known.

    Raises Covered, Undecided."""
    number, position = _locate(screen, boxes, node)
    whole = Bounds(0, 0, screen.width, screen.height)
    box, over, unclear = _rivals(screen.windows[number].nodes, position, whole)
    over += _above(screen, boxes, number, unread)
    if len(over) + len(unclear) > _MOST:
        raise Covered
    for grace in (_GRACE_DP * screen.density // 160, 0):
        point = _free(box, [_grown(rival, grace) for rival in (*over, *unclear)])
        if point is not None:
            return point
    raise Undecided if _free(box, over) else Covered


def find_area(
    screen: Screen,
    boxes: Sequence[Bounds | None],
    node: Node,
    unread: Sequence[DumpedWindow] = (),
) -> Bounds:
    """The largest part of `node` that no other window covers: a finger that moves there scrolls,
    and does not write on a keyboard.

    Raises Covered."""
    number, position = _locate(screen, boxes, node)
    whole = Bounds(0, 0, screen.width, screen.height)
    box, _, _ = _rivals(screen.windows[number].nodes, position, whole)
    pieces = free_pieces(box, _above(screen, boxes, number, unread))
    if not pieces:
        raise Covered
    return max(pieces, key=lambda one: (one.right - one.left) * (one.bottom - one.top))


def _locate(screen: Screen, boxes: Sequence[Bounds | None], node: Node) -> tuple[int, int]:
    """The window that the node is in, and its place there."""
    for number, window in enumerate(screen.windows):
        for position, one in enumerate(window.nodes):
            if one is node and not _is_below_dialog(screen, boxes, number):
                return number, position
    raise Covered


def _above(
    screen: Screen, boxes: Sequence[Bounds | None], number: int, unread: Sequence[DumpedWindow]
) -> list[Bounds]:
    """Where other windows take the touches from this one."""
    layer = screen.windows[number].layer
    above = [(one.type, box) for one, box in zip(screen.windows, boxes[:number], strict=False)]
    above += [(one.type, one.bounds) for one in unread if one.layer > layer]
    return [box for kind, box in above if box is not None and kind not in _OVERLAYS]


def _is_below_dialog(screen: Screen, boxes: Sequence[Bounds | None], number: int) -> bool:
    """A dialog takes the touches beside it as well."""
    own = boxes[number]
    for box, window in zip(boxes[:number], screen.windows, strict=False):
        if window.focused and window.type == "APPLICATION" and box is not None and own is not None:
            return not _is_empty(_meet(box, own))
    return False


def _rivals(
    nodes: Sequence[Node], position: int, box: Bounds
) -> tuple[Bounds, list[Bounds], list[Bounds]]:
    """Where in the box the node at `position` can be touched at all; what takes touches there
    before it does; and what does so before or after it."""
    parents: list[int] = []
    way: list[int] = []
    for number, node in enumerate(nodes):
        del way[node.depth :]
        parents.append(way[-1] if way else -1)
        way.append(number)
    steps = {position: -1}
    """The way from the root to the node: which child of each leads on."""
    number = position
    while number >= 0:
        steps[parents[number]] = number
        number = parents[number]
    in_page = in_compose = False
    composed: set[int] = set()
    """Those on the way whose children Compose lists in the order in which it draws them."""
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
    """For each node the highest above it, or itself, that is not on the way."""
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


def _is_drawn_later(nodes: Sequence[Node], one: int, other: int, composed: bool) -> bool:
    """Whether it is known that of two children the `other` is drawn after the `one`."""
    if composed:
        return one < other
    first, second = nodes[one].drawing_order, nodes[other].drawing_order
    return bool(first and second) and first < second


def _takes(node: Node) -> bool:
    return bool(node.flags & Flag.VISIBLE.value) and (
        bool(node.flags & _TAKES) or (node.class_name or "").endswith(_TAKING)
    )


def _free(box: Bounds, rivals: Sequence[Bounds]) -> tuple[int, int] | None:
    """The middle of the box where no rival is, else the middle of a large piece without any."""
    if _is_empty(box):
        return None
    x, y = middle = _middle(box)
    if not any(one.left <= x < one.right and one.top <= y < one.bottom for one in rivals):
        return middle
    pieces = free_pieces(box, rivals)
    if not pieces:
        return None
    return _middle(max(pieces, key=_narrowest))


def free_pieces(box: Bounds, rivals: Sequence[Bounds]) -> list[Bounds]:
    """What the rivals leave of the box, as far as it is looked at."""
    pieces = [] if _is_empty(box) else [box]
    for rival in rivals:
        pieces = [part for piece in pieces for part in _without(piece, rival)]
        if len(pieces) > MOST_PIECES:
            pieces = sorted(pieces, key=_narrowest, reverse=True)[:MOST_PIECES]
    return pieces


def _narrowest(box: Bounds) -> int:
    """How much room a finger has in it."""
    return min(box.right - box.left, box.bottom - box.top)


def _without(box: Bounds, rival: Bounds) -> list[Bounds]:
    """What is left of the box, in pieces."""
    left, top, right, bottom = meet = _meet(box, rival)
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
    """A whole pixel: what is left of a rounding must not lie on the neighbour."""
    return (box.left + box.right - 1) // 2, (box.top + box.bottom - 1) // 2


def _grown(box: Bounds, by: int) -> Bounds:
    return Bounds(box.left - by, box.top - by, box.right + by, box.bottom + by)


def _meet(one: Bounds, other: Bounds) -> Bounds:
    return Bounds(
        max(one.left, other.left),
        max(one.top, other.top),
        min(one.right, other.right),
        min(one.bottom, other.bottom),
    )


def _is_empty(box: Bounds) -> bool:
    return box.left >= box.right or box.top >= box.bottom
