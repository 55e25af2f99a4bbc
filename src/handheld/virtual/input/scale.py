"""Two fingers or more that scale something, as Android's ScaleGestureDetector finds it."""

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
    """Fed with every touch of a view. `on_scale` is given a factor and the point that stays."""

    def __init__(
        self, span: float, slop: float, on_scale: Callable[[float, float, float], object]
    ) -> None:
        """`span`: with less between the fingers nothing is scaled. `slop`: by more than this the
        distance changes before it begins."""
        self._least, self._slop, self._on_scale = span, slop, on_scale
        self._fingers: dict[int, tuple[float, float]] = {}
        self._first = self._last = 0.0
        """The distance when the last finger came or went, and as it was told last."""
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
        # With other fingers it begins anew; at once where they were scaling already.
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
        """Twice the mean distance from the focus, in each direction."""
        x, y = self._focus()
        places = self._fingers.values()
        count = max(1, len(places))
        return 2 * hypot(
            sum(abs(one - x) for one, _ in places) / count,
            sum(abs(one - y) for _, one in places) / count,
        )
