"""Finds the area of a screen in which a finger scrolls."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import ceil

from ...driver import Spot
from ...driver.by_shell.finger import lost_way
from ...driver.by_shell.hit_test import Covered, find_area, holds
from ...screen.model import Bounds, Flag, Node, Screen
from ...screen.search import Place
from ...screen.shift import below

EDGE_DP = 48
"""A finger that starts nearer to the screen's edge may trigger back or home, or open a panel."""
MOST_VIEWS = 20
"""The maximum of scrolling views that are considered, the largest first."""
MOST_DRAGS = 4
"""The maximum of drags for a view in which the finger has less room than the content must move."""
KEPT_PX = 12
"""The minimum that stays visible. Each drag may move the content 3 pixels further than planned."""
BESIDE = (0.5, 0.25, 0.75, 0.1, 0.9)
"""The finger's positions across its direction, in order of preference."""
_SCROLLER = int(Flag.VISIBLE | Flag.SCROLLABLE | Flag.ENABLED)
_SIDEWAYS = ("HorizontalScrollView", "ViewPager", "ViewPager2", "Gallery")


@dataclass(frozen=True, slots=True)
class ScrollArea:
    """A view, and the drags that scroll it."""

    place: Place
    box: Bounds
    """The part of the view that can be touched."""
    drags: list[tuple[Spot, Spot]]
    """The start and end of each drag."""


def is_forward(direction: str) -> bool:
    return direction in ("down", "right")


def asked_distance(screen: Screen, box: Bounds, direction: str, share: float) -> float:
    """Return the number of pixels by which the content is to move: less than its visible part, so
    nothing is skipped."""
    if direction in ("left", "right"):
        return min(screen.width * share, box.right - box.left - KEPT_PX)
    return min(screen.height * share, box.bottom - box.top - KEPT_PX)


def find_scroll_area(
    screen: Screen, direction: str, share: float, among: Container[Place] | None = None
) -> ScrollArea | None:
    """Return the largest visible view that scrolls that way, `among` these if they are given; None
    if there is none."""
    across = direction in ("left", "right")
    places = [place for place in scrollers(screen) if scrolls_across(screen, place) is across]
    places.sort(key=lambda place: _area(_node(screen, place).bounds), reverse=True)
    boxes = [window.nodes[0].bounds if window.nodes else None for window in screen.windows]
    found: list[tuple[Place, Bounds]] = []
    for place in places[:MOST_VIEWS]:
        try:
            found.append((place, find_area(screen, boxes, _node(screen, place))))
        except Covered:
            continue
    found.sort(key=lambda one: _area(one[1]), reverse=True)
    for place, box in found:
        if among is not None and place not in among:
            continue
        inner = [
            _node(screen, other).bounds for other, _ in found if _is_inside(screen, other, place)
        ]
        drags = plan_drags(screen, box, direction, share, inner)
        if drags:
            return ScrollArea(place, box, drags)
    return None


def scrollers(screen: Screen) -> list[Place]:
    """Return the visible views that scroll."""
    return [
        (number, position)
        for number, window in enumerate(screen.windows)
        if window.type != "INPUT_METHOD"
        for position, node in enumerate(window.nodes)
        if node.flags & _SCROLLER == _SCROLLER
    ]


def plan_drags(
    screen: Screen, box: Bounds, direction: str, share: float, inner: Sequence[Bounds] = ()
) -> list[tuple[Spot, Spot]]:
    """Return drags in the box, opposite to the direction; none if there is no room. They start
    outside `inner`, the views that would scroll instead."""
    across = direction in ("left", "right")
    size = screen.width if across else screen.height
    edge = EDGE_DP * screen.density / 160
    first, last = (box.left, box.right) if across else (box.top, box.bottom)
    low, high = max(first, edge) + 1, min(last, size - edge) - 1
    lost = lost_way(screen.density)
    if high - low < 2 * lost:
        return []
    asked = asked_distance(screen, box, direction, share)
    # A pager turns a page with every drag.
    count = 1 if across else min(MOST_DRAGS, ceil(asked / (high - low - lost)))
    way = min(asked / count + lost, high - low)
    begin, end = (low + high + way) / 2, (low + high - way) / 2
    if not is_forward(direction):
        begin, end = end, begin
    near, far = (box.top, box.bottom) if across else (box.left, box.right)
    for part in BESIDE:
        beside = near + (far - near) * part
        start, stop = (
            ((begin, beside), (end, beside)) if across else ((beside, begin), (beside, end))
        )
        if not any(holds(view, *start) for view in inner):
            return [(start, stop)] * count
    return []


def scrolls_across(screen: Screen, place: Place) -> bool:
    """Whether a view scrolls sideways: by its class, or because its children are side by side."""
    nodes, position = screen.windows[place[0]].nodes, place[1]
    node = nodes[position]
    name = node.class_name or ""
    if name.endswith(_SIDEWAYS):
        return True
    if name.endswith(("ScrollView", "ListView", "GridView", "WebView")):
        return False
    children = [
        child.bounds
        for child in below(nodes, position)
        if child.depth == node.depth + 1 and child.flags & Flag.VISIBLE.value
    ]
    return len(children) > 1 and max(box.top for box in children) < min(
        box.bottom for box in children
    )


def _node(screen: Screen, place: Place) -> Node:
    return screen.windows[place[0]].nodes[place[1]]


def _area(box: Bounds) -> int:
    return (box.right - box.left) * (box.bottom - box.top)


def _is_inside(screen: Screen, place: Place, outer: Place) -> bool:
    nodes = screen.windows[outer[0]].nodes
    return place[0] == outer[0] and 0 < place[1] - outer[1] <= len(below(nodes, outer[1]))
