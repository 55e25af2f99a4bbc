"""Scale gestures of two or more fingers, detected like Android's ScaleGestureDetector."""

from collections.abc import Callable
from math import hypot
from typing import TYPE_CHECKING

from .touch import SLOP_DP

if TYPE_CHECKING:
    from ..world import World

_SPAN_MM = 27
"""Android scales nothing with fingers nearer to each other."""


def scaling(world: "World") -> tuple[int, int]:
    """The least distance of two fingers that scale something, and by how much it has to change
    before they do; pixels."""
    # Millimetres follow the physical panel, the slop the density that apps see.
    span = int(_SPAN_MM * world.physical[2] / 25.4 + 0.5)
    return span, 2 * int(SLOP_DP * world.density / 160 + 0.5)


class ScaleGesture:
    """Receives every touch of a view. `on_scale` gets a factor and the focal point."""

    def __init__(
        self, span: float, slop: float, on_scale: Callable[[float, float, float], object]
    ) -> None:
        """`span`: the least distance between the fingers. `slop`: how much the distance must change
        before scaling begins."""
        self._least, self._slop, self._on_scale = span, slop, on_scale
        self._fingers: dict[int, tuple[float, float]] = {}
        self._first = self._last = 0.0
        """The distance when a finger last went down or up, and the last reported one."""
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
        # With other fingers the gesture restarts; without slop where it was scaling already.
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
        """Return twice the mean distance from the focus, in each direction."""
        x, y = self._focus()
        places = self._fingers.values()
        count = max(1, len(places))
        return 2 * hypot(
            sum(abs(place - x) for place, _ in places) / count,
            sum(abs(place - y) for _, place in places) / count,
        )
