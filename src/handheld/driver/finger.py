"""One finger on the screen, as command lines for Android's `input`."""

from collections.abc import Sequence
from itertools import pairwise

from .input import Point

Stroke = Sequence[Point]

PATHS_SINCE = 29
"""The API level since which a finger can be put down, moved and lifted by separate commands."""
QUICK_SINCE = 31
"""The API level since which a command takes some milliseconds; before, each starts a program for
half a second."""


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
            # The next touch's program starts while the last one still runs, else
            # the pause between them would be its half second.
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


def scroll_stroke(
    direction: str, share: float, duration_ms: float, width: int, height: int
) -> Stroke:
    """Return a stroke through the centre, against the direction: content follows the finger."""
    x, y = width / 2, height / 2
    away_x = {"left": -1, "right": 1}.get(direction, 0) * width * share / 2
    away_y = {"up": -1, "down": 1}.get(direction, 0) * height * share / 2
    return [(x + away_x, y + away_y, 0), (x - away_x, y - away_y, duration_ms)]


def _sleep(ms: float) -> str:
    return f"sleep {ms / 1000:.3f}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
