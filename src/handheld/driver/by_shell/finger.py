"""Touches with one finger, as command lines for Android's `input`."""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

from ..input import Point, Spot

Stroke = Sequence[Point]

PATHS_SINCE = 29
"""The API level since which separate commands can put a finger down, move it and lift it."""
QUICK_SINCE = 31
"""The API level since which a command takes some milliseconds. Before, each command starts a
program, which takes half a second."""


LIFT_LINE = "input motionevent CANCEL 0 0"
"""Cancels the touch of the finger that `input` put down: the app gets ACTION_CANCEL."""
BROKEN_OFF = "The touch was broken off, and the fingers were lifted."

TOUCH_SLOP_DP = 8
"""The distance that a finger moves before Android scrolls; the content does not follow that
part."""
SLOW_PX = 2
"""Apps read the finger once per frame. So it passes the slop by this distance and nearly rests:
this defines where the content begins to follow. It nearly rests at the end as well: content flings
at the speed that Android measures over the last 100 ms, and some apps over the last 200 ms."""
DRAG_MS = (60, 110, 410, 660)
"""The times when the slop is passed, the rest ends, the way is nearly done, the finger is
lifted."""
UNFLUNG_DP = 110
"""Per second. Content moves 4 dp further after a finger is lifted at this speed."""


class TooManyFingers(Exception):
    """Two fingers would be on the screen at the same time."""


class NoPaths(Exception):
    """This Android's `input` can only swipe from one point to another."""


def touch_line(strokes: Sequence[Stroke], width: int, height: int, api: int) -> str:
    """Return one command line for the strokes, in their order and with their pauses. Raises
    TooManyFingers, NoPaths."""
    ordered = sorted(strokes, key=lambda stroke: stroke[0][2])
    for stroke, other in pairwise(ordered):
        if other[0][2] < stroke[-1][2] or (other[0][2] == stroke[-1][2] and len(ordered) > 1):
            raise TooManyFingers
    parts: list[str] = []
    now = 0.0
    for stroke in ordered:
        points = [(min(x, width - 1), min(y, height - 1), t) for x, y, t in stroke]
        if parts and api < QUICK_SINCE:
            # The next touch's program starts while the last one still runs. Otherwise its half
            # second would be the pause between them.
            parts[-1] += " &"
        if points[0][2] > now:
            parts.append(_sleep(points[0][2] - now))
        parts += _stroke(points, api)
        now = points[-1][2]
    line = "; ".join(parts).replace("&;", "&")
    return f"{line}; wait" if "&" in line else line


def _stroke(points: Stroke, api: int) -> list[str]:
    x, y, begun = points[0]
    if len(points) == 1:
        return [f"input tap {_number(x)} {_number(y)}"]
    straight = len(points) == 2 or all(point[:2] == (x, y) for point in points)
    if straight:
        to_x, to_y, end = points[-1]
        place = " ".join(map(_number, (x, y, to_x, to_y)))
        return [f"input swipe {place} {round(end - begun)}"]
    if api < PATHS_SINCE:
        raise NoPaths
    parts = [f"input motionevent DOWN {_number(x)} {_number(y)}"]
    for (_, _, before), (to_x, to_y, t) in pairwise(points):
        if t > before:
            parts.append(_sleep(t - before))
        parts.append(f"input motionevent MOVE {_number(to_x)} {_number(to_y)}")
    last_x, last_y, _ = points[-1]
    parts.append(f"input motionevent UP {_number(last_x)} {_number(last_y)}")
    return parts


def scroll_ends(
    direction: str, share: float, width: int, height: int, density: int
) -> tuple[Spot, Spot]:
    """Return the ends of a drag through the centre, opposite to the scroll direction: content
    follows the finger."""
    x, y = width / 2, height / 2
    across = direction in ("left", "right")
    size = width if across else height
    half = min(size, size * share + lost_way(density)) / 2
    away = half if direction in ("down", "right") else -half
    if across:
        return (x + away, y), (x - away, y)
    return (x, y + away), (x, y - away)


def lost_way(density: int) -> float:
    """Return by how many pixels a finger moves further than the content that it drags."""
    return TOUCH_SLOP_DP * density / 160 + 1.5 * SLOW_PX


def drag_stroke(start: Spot, end: Spot, density: int) -> Stroke:
    """Return a stroke after which content has moved by its length less `lost_way`, and rests."""
    (x, y), (to_x, to_y) = start, end
    way = hypot(to_x - x, to_y - y)
    slop = TOUCH_SLOP_DP * density / 160
    lengths = (slop + SLOW_PX, slop + 2 * SLOW_PX, way - SLOW_PX, way)
    if way < slop + 4 * SLOW_PX:
        return [(x, y, 0), (to_x, to_y, DRAG_MS[-1])]
    shares = [(length / way, ms) for length, ms in zip(lengths, DRAG_MS, strict=True)]
    path = [(x + (to_x - x) * share, y + (to_y - y) * share, ms) for share, ms in shares]
    return [(x, y, 0), *path]


def slow_stroke(start: Spot, end: Spot, density: int) -> Stroke:
    """Return a drag at constant speed, for a finger that cannot rest."""
    (x, y), (to_x, to_y) = start, end
    way = hypot(to_x - x, to_y - y)
    return [(x, y, 0), (to_x, to_y, round(way * 1000 / (UNFLUNG_DP * density / 160)))]


def _sleep(ms: float) -> str:
    return f"sleep {ms / 1000:.3f}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
