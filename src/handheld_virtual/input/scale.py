"""Scale gestures of two or more fingers, detected as by Android's ScaleGestureDetector."""

from collections.abc import Callable
from math import hypot
from typing import TYPE_CHECKING

from .touch import SLOP_DP

if TYPE_CHECKING:
    from ..world import World

_SPAN_MM = 27
"""The minimum distance of fingers for scaling, in millimetres."""


def scaling(world: "World") -> tuple[int, int]:
    """The minimum distance of fingers for scaling, and the change of distance that starts it, in
    pixels."""
    # Millimetres depend on the physical panel, the slop on the density for apps.
    span = int(_SPAN_MM * world.physical[2] / 25.4 + 0.5)
    return span, 2 * int(SLOP_DP * world.density / 160 + 0.5)


class ScaleGesture:
    """Receives all touches of a view. `on_scale` receives a factor and the focal point."""

    def __init__(
        self, span: float, slop: float, on_scale: Callable[[float, float, float], object]
    ) -> None:
        """`span` is the minimum distance between the fingers, `slop` the change of distance that
        starts scaling."""
        self._least, self._slop, self._on_scale = span, slop, on_scale
        self._fingers: dict[int, tuple[float, float]] = {}
        self._first = self._last = 0.0
        """The distance when a finger last went down or up, and the last reported distance."""
        self.begun = False

    def touch(self, action: str, pointer: int, x: float, y: float) -> None:
        if action == "move":
            if pointer in self._fingers:
                self._fingers[pointer] = x, y
                self._moved()
            return
        if action == "down":
            self._fingers[pointer] = x, y
        else:
            self._fingers.pop(pointer, None)
        # A change of fingers restarts the gesture, without slop if it was already scaling.
        span = self._span()
        self.begun = self.begun and span >= self._least
        self._first = self._last = span

    def _moved(self) -> None:
        span = self._span()
        if self.begun and span < self._least:
            self.begun, self._first = False, span
        if not self.begun and span >= self._least and abs(span - self._first) > self._slop:
            self.begun, self._last = True, span
        if self.begun and self._last:
            self._on_scale(span / self._last, *self._focus())
        self._last = span

    def _focus(self) -> tuple[float, float]:
        places = self._fingers.values()
        count = max(1, len(places))
        return sum(x for x, _ in places) / count, sum(y for _, y in places) / count

    def _span(self) -> float:
        """Return the span: twice the mean distance of the fingers from the focus."""
        x, y = self._focus()
        places = self._fingers.values()
        count = max(1, len(places))
        return 2 * hypot(
            sum(abs(place - x) for place, _ in places) / count,
            sum(abs(place - y) for _, place in places) / count,
        )
