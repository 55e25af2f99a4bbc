"""Gestures of several fingers."""

from collections.abc import Mapping
from math import isclose
from typing import Any

from ...phone.input.touch_kind import kind_of, kind_of_pinch, pinched
from ...phone.phone import Phone
from ...screen.model import Screen
from ..parameter import number_text
from ..recording import ReplayMode, Secret
from ..tool import Paths as Touched
from ..tool import Reply, Toolset
from .params import CenterX, CenterY, GestureDuration, Paths, Scale
from .paths import read_paths
from .touch import judged_by_path, within_numbers

gesture = Toolset("gesture")


def _pinch_kind(given: Mapping[str, Any]) -> set[str]:
    return {kind_of_pinch(float(given["scale"]), float(given.get("duration", 300)))}


def _pinched(phone: Phone, screen: Screen, given: Mapping[str, Any]) -> Touched:
    return pinched(screen, float(given["center_y"]), float(given.get("duration") or 300))


def _gesture_kinds(given: Mapping[str, Any]) -> set[str]:
    return set(map(kind_of, read_paths(given["paths"])))


@gesture.tool(
    title="Pinch",
    secret_reply=Secret.NO,
    replay=ReplayMode.WHEN_IDLE,
    actions=judged_by_path(_pinch_kind),
    touches=_pinched,
)
async def pinch(
    phone: Phone,
    center_x: CenterX,
    center_y: CenterY,
    scale: Scale,
    duration: GestureDuration = 300,
) -> Reply:
    """Performs a pinch-to-zoom gesture centered at the specified coordinates."""
    place = f"({int(center_x)}, {int(center_y)}) with scale {number_text(scale)}"
    if scale == 1:
        # Two fingers that do not move would be a two-finger tap, which has a meaning in apps.
        return f"Pinch (no zoom) at {place}: nothing to do, the screen was not touched"
    x, y = within_numbers(center_x), within_numbers(center_y)
    reached = await phone.driver.pinch(x, y, within_numbers(scale), duration)
    zoom = "in" if scale > 1 else "out"
    reply = f"Pinch (zoom {zoom}) executed at {place} over {duration}ms"
    if isclose(reached, scale, rel_tol=0.005):
        return reply
    return [reply, f"The fingers stayed on the screen and reached a scale of {reached:.2f}."]


@gesture.tool(
    title="Custom gesture",
    secret_reply=Secret.NO,
    replay=ReplayMode.WHEN_IDLE,
    actions=judged_by_path(_gesture_kinds),
    touches=lambda phone, screen, given: read_paths(given["paths"]),
)
async def custom_gesture(phone: Phone, paths: Paths) -> str:
    """Executes a custom multi-touch gesture defined by path points. Each path represents one
    finger's movement. Multiple paths enable multi-finger gestures."""
    await phone.driver.touch(
        [[(within_numbers(x), within_numbers(y), time) for x, y, time in path] for path in paths]
    )
    points = sum(len(path) for path in paths)
    return f"Custom gesture executed with {len(paths)} path(s), total {points} point(s)"
