"""Android's interpretation of a finger's path: a tap, a long press, or a movement. Rules depend on
that, not on the name of the tool."""

from collections.abc import Sequence
from typing import Literal

from ...screen.model import Bounds, Flag, Screen
from ..screen.scroll_area import find_scroll_area, scrolls_across

SLOP = 32.0
"""A finger that moves fewer pixels has not moved: Android's touch slop is 8 dp, and no screen has
more than four pixels per dp."""
LONG_PRESS_MS = 400
"""From this duration on, an app may see a long press: Android's shortest timeout for one."""
STILL_ZOOM = 0.1
"""Two fingers whose distance changes by a smaller share have not moved."""
_SCROLL_MS = 300
_SCROLLS = 2 * SLOP
"""The distance after which every scrolling view follows a finger: pagers wait longest."""

TouchKind = Literal["tap", "long_press", "move"]
Path = Sequence[tuple[float, float, float]]
"""A finger's x, y and milliseconds."""


def kind_of_pinch(scale: float, duration_ms: float) -> TouchKind:
    """Classify a pinch. Its fingers almost rest at their start: in a slow pinch an app may see a
    long press."""
    if duration_ms >= LONG_PRESS_MS:
        return "long_press"
    return "tap" if abs(scale - 1) < STILL_ZOOM else "move"


def kind_of(path: Path) -> TouchKind:
    """Classify a path. A finger that is held before it moves makes a long press, too."""
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
    """Classify a movement for the elements in which it begins and ends: regardless of its length,
    Android clicks a view that the finger does not leave, unless something scrolls with the
    finger."""
    (x, y, began), (end_x, end_y, ended) = path[0], path[-1]
    across = any(abs(point[0] - x) > _SCROLLS for point in path)
    upright = any(abs(point[1] - y) > _SCROLLS for point in path)
    found: set[TouchKind] = set()
    for number, window in enumerate(screen.windows):
        scrolled = -1
        """The depth of the enclosing view that scrolls with the finger; -1 for none."""
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
    """Return the possible paths of a pinch, whose fingers are side by side: the phone chooses the
    positions."""
    places = range(0, screen.width, int(SLOP))
    return [[(x, y, 0.0), (x, y, duration_ms)] for x in places]


def through_middle(screen: Screen, direction: str, share: float) -> list[Path]:
    """Return the path of a scroll on a screen where no view is known to scroll that way."""
    if find_scroll_area(screen, direction, share) is not None:
        return []
    x, y = screen.width / 2, screen.height / 2
    if direction in ("left", "right"):
        half = screen.width * share / 2
        return [[(x - half, y, 0), (x + half, y, _SCROLL_MS)]]
    half = screen.height * share / 2
    return [[(x, y - half, 0), (x, y + half, _SCROLL_MS)]]


def _holds(box: Bounds, x: float, y: float) -> bool:
    """Whether the point is in the box or within the touch slop around it."""
    return box.left - SLOP <= x < box.right + SLOP and box.top - SLOP <= y < box.bottom + SLOP
