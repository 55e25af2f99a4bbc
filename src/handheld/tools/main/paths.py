"""The paths of a gesture: one for each finger, each a list of points with times."""

from collections.abc import Callable
from typing import Any, cast

from ...driver import Point
from ...errors import InvalidParams
from ...screen.text import brief
from ..parameter import Unusable, number_text, read_number, received

LONGEST_GESTURE_MS = 60_000
MOST_PATHS = 10
"""Android tracks at most this many fingers, and people have no more."""
MOST_POINTS = 20_000
"""The maximum of points in all paths: they take a megabyte in transfer, and have a point for every
3 ms of the longest gesture."""
FEWEST_POINTS = 2

Path = list[Point]
_WHOLE = 10**15
"""Smaller integers are exact."""


def read_milliseconds(value: Any) -> float:
    """Read a number; an integral one becomes an integer, which is printed without a fraction."""
    number = read_number(value)
    return int(number) if number == int(number) and abs(number) < _WHOLE else number


PATHS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "x": {"type": "number", "description": "X coordinate (>= 0)"},
                "y": {"type": "number", "description": "Y coordinate (>= 0)"},
                "time": {
                    "type": "number",
                    "description": "Time offset in ms from gesture start"
                    " (>= 0, monotonically increasing)",
                },
            },
            "required": ["x", "y", "time"],
        },
    },
}


def read_paths(value: Any) -> list[Path]:
    """Raises InvalidParams, which names the path and the point."""
    if not isinstance(value, list):
        raise Unusable(f"must be an array, {received(value)}")
    paths = cast("list[Any]", value)
    if not paths:
        raise InvalidParams("Parameter 'paths' must not be empty")
    if len(paths) > MOST_PATHS:
        raise InvalidParams(f"Too many paths (max {MOST_PATHS}), got: {len(paths)}")
    count = sum(len(cast("list[Any]", path)) for path in paths if isinstance(path, list))
    if count > MOST_POINTS:
        raise InvalidParams(f"Too many points (max {MOST_POINTS}), got: {count}")
    return [_path(number, path) for number, path in enumerate(paths)]


def _path(number: int, value: Any) -> Path:
    if not isinstance(value, list):
        raise InvalidParams(f"Path at index {number} must be an array of point objects")
    points = cast("list[Any]", value)
    if len(points) < FEWEST_POINTS:
        raise InvalidParams(
            f"Path at index {number} must have at least {FEWEST_POINTS} points, has {len(points)}"
        )
    path: Path = []
    for index, point in enumerate(points):
        place = f"path[{number}][{index}]"
        read = _point(place, point)
        if path and read[2] <= path[-1][2]:
            raise InvalidParams(
                "Times must be monotonically increasing within each path."
                f" {place}.time ({read[2]}) <= previous time ({path[-1][2]})"
            )
        path.append(read)
    return path


def _point(place: str, value: Any) -> Point:
    if not isinstance(value, dict):
        raise InvalidParams(f"Point at {place} must be an object with x, y, time")
    fields = cast("dict[str, Any]", value)
    x = _field(fields, "x", place, read_number)
    y = _field(fields, "y", place, read_number)
    time = _field(fields, "time", place, read_milliseconds)
    for name in fields:
        if name not in ("x", "y", "time"):
            raise InvalidParams(
                f"Unknown field '{brief(name)}' in point at {place}. Known fields: x, y, time."
            )
    for name, number in (("x", x), ("y", y), ("time", time)):
        if number < 0:
            raise InvalidParams(f"Point at {place}.{name} must be >= 0, got: {number_text(number)}")
    if time > LONGEST_GESTURE_MS:
        raise InvalidParams(
            f"Point at {place}.time must be <= {LONGEST_GESTURE_MS}, got: {number_text(time)}"
        )
    return x, y, time


def _field(fields: dict[str, Any], name: str, place: str, read: Callable[[Any], Any]) -> Any:
    if name not in fields:
        raise InvalidParams(f"Missing '{name}' in point at {place}")
    try:
        return read(fields[name])
    except Unusable as problem:
        raise InvalidParams(f"Field '{name}' in point at {place} {problem}") from None
