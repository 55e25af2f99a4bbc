"""What a finger's path is to Android: a tap, a long press, or a movement. Rules go by that, not by
the name of the tool."""

from collections.abc import Sequence
from typing import Literal

from ...screen.model import Bounds, Flag, Screen
from ..screen.scroll_area import find_scroll_area, scrolls_across

SLOP = 32.0
"""Pixels within which a finger stays in its place: Android's touch slop is 8 dp, and no screen has
more than four pixels in one."""
LONG_PRESS_MS = 400
"""From here on an app may take it for a long press: Android's shortest time-out for one."""
STILL_ZOOM = 0.1
"""Two fingers that come closer or go apart by less of their distance stay in their places."""
_SCROLL_MS = 300
_SCROLLS = 2 * SLOP
"""How far a finger goes before every view that scrolls follows it: pagers wait longest."""

TouchKind = Literal["tap", "long_press", "move"]
Path = Sequence[tuple[float, float, float]]
"""A finger's x, y and milliseconds."""


def kind_of_pinch(scale: float, duration_ms: float) -> TouchKind:
    """Its fingers almost rest where they begin: of a slow one an app may take that for a long
    press."""
    if duration_ms >= LONG_PRESS_MS:
        return "long_press"
    return "tap" if abs(scale - 1) < STILL_ZOOM else "move"


def kind_of(path: Path) -> TouchKind:
    """What is held before it moves is a long press, too."""
    x, y, began = path[0]
    before = path[0]
    for point in path:
        apart = max(abs(point[0] - x), abs(point[1] - y))
        if apart > SLOP:
            inside = max(abs(before[0] - x), abs(before[1] - y))
            share = (SLOP - inside) / (apart - inside)
            left = before[2] + share * (point[2] - before[2])
            return "long_press" if left - began >= LONG_PRESS_MS else "move"
        before = point
    return "long_press" if before[2] - began >= LONG_PRESS_MS else "tap"


def kinds_within(screen: Screen, path: Path) -> set[TouchKind]:
    """What a movement is to the elements in which it begins and ends: however far it goes, Android
    clicks a view in which the finger stays, unless something scrolls with the finger."""
    (x, y, began), (end_x, end_y, ended) = path[0], path[-1]
    across = any(abs(point[0] - x) > _SCROLLS for point in path)
    upright = any(abs(point[1] - y) > _SCROLLS for point in path)
    found: set[TouchKind] = set()
    for number, window in enumerate(screen.windows):
        scrolled = -1
        """The depth of the view that scrolls with the finger, if this is below one."""
        for position, node in enumerate(window.nodes):
            if node.depth <= scrolled:
                scrolled = -1
            if scrolled >= 0 or not node.flags & Flag.VISIBLE.value:
                continue
            if not _holds(node.bounds, x, y) or not _holds(node.bounds, end_x, end_y):
                continue
            if node.flags & Flag.CLICKABLE.value:
                found.add("tap")
            if node.flags & Flag.LONG_CLICKABLE.value and ended - began >= LONG_PRESS_MS:
                found.add("long_press")
            if node.flags & Flag.SCROLLABLE.value and (
                across if scrolls_across(screen, (number, position)) else upright
            ):
                scrolled = node.depth
    return found


def pinched(screen: Screen, y: float, duration_ms: float) -> list[Path]:
    """The paths of a pinch, whose fingers are side by side: where, only the phone decides."""
    places = range(0, screen.width, int(SLOP))
    return [[(x, y, 0.0), (x, y, duration_ms)] for x in places]


def through_middle(screen: Screen, direction: str, share: float) -> list[Path]:
    """The path of a scroll on a screen where nothing is known to scroll that way."""
    if find_scroll_area(screen, direction, share) is not None:
        return []
    x, y = screen.width / 2, screen.height / 2
    if direction in ("left", "right"):
        half = screen.width * share / 2
        return [[(x - half, y, 0), (x + half, y, _SCROLL_MS)]]
    half = screen.height * share / 2
    return [[(x, y - half, 0), (x, y + half, _SCROLL_MS)]]


def _holds(box: Bounds, x: float, y: float) -> bool:
    """A finger may leave a view by the slop."""
    return box.left - SLOP <= x < box.right + SLOP and box.top - SLOP <= y < box.bottom + SLOP
