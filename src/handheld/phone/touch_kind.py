"""What a finger's path is to Android: a tap, a long press, or a movement. Rules go by that, not by
the name of the tool."""

from collections.abc import Sequence
from typing import Literal

SLOP = 32.0
"""Pixels within which a finger stays in its place: Android's touch slop is 8 dp, and no screen has
more than four pixels in one."""
LONG_PRESS_MS = 400
"""From here on an app may take it for a long press: Android's shortest time-out for one."""
STILL_ZOOM = 0.1
"""Two fingers that come closer or go apart by less of their distance stay in their places."""

TouchKind = Literal["tap", "long_press", "move"]


def kind_of_pinch(scale: float, duration_ms: float) -> TouchKind:
    """Its fingers almost rest where they begin: of a slow one an app may take that for a long
    press."""
    if duration_ms >= LONG_PRESS_MS:
        return "long_press"
    return "tap" if abs(scale - 1) < STILL_ZOOM else "move"


def kind_of(path: Sequence[tuple[float, float, float]]) -> TouchKind:
    """`path` has x, y and milliseconds. What is held before it moves is a long press, too."""
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
