"""The constructor options that all views share."""

from collections.abc import Callable
from typing import TypedDict

from .drawing.theme import Color

Sides = float | tuple[float, float] | tuple[float, float, float, float]
"""One number for all sides, two for horizontal and vertical, or four: left, top, right, bottom."""
Action = Callable[[], object]


class Options(TypedDict, total=False):
    """The options of every view's constructor; `View.__init__` describes them."""

    id: str | None
    width: float
    height: float
    weight: float
    gravity: str
    content_gravity: str
    margin: Sides
    padding: Sides
    background: Color | None
    radius: float
    description: str | None
    enabled: bool
    shown: bool
    clickable: bool | None
    focusable: bool | None
    on_click: Action | None
    on_long_click: Action | None
    on_double_tap: Action | None
    on_touch: Callable[[str, int, float, float], object] | None
    class_name: str | None


def sides(value: Sides) -> tuple[float, float, float, float]:
    """Return left, top, right, bottom."""
    if isinstance(value, (int, float)):
        return value, value, value, value
    if len(value) == 2:
        return value[0], value[1], value[0], value[1]
    return value
