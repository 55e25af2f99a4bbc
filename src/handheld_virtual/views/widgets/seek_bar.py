"""A slider."""

from collections.abc import Callable
from typing import Unpack

from ..drawing import theme
from ..drawing.pen import Pen
from ..options import Options
from ..reading.events import HELD_MS, Changed
from ..view import View

SETTLED_MS = 200
"""ProgressBar's delay up to Android 10, which restarts with every change."""
STEPS = 20
"""The number of accessibility actions that cross the range, as on Android."""


class SeekBar(View):
    """A slider whose description ends with its position. Like Android's, it accepts the scroll
    actions although it is not marked as scrollable, and it has no text."""

    kind = "android.widget.SeekBar"
    draggable = True
    detailed = True
    __slots__ = ("_began", "_held", "_value", "icon", "least", "most", "on_change", "thick")

    def __init__(
        self,
        value: int,
        most: int,
        on_change: Callable[[int], object],
        *,
        least: int = 0,
        icon: str = "",
        thick: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.least, self.most, self.on_change = least, most, on_change
        self._value = self._within(value)
        self.icon, self.thick = icon, thick
        self._held = False
        """Whether it is being dragged."""
        self._began = 0.0
        """The vertical position where the finger touched it."""
        options.setdefault("height", 48)
        options.setdefault("focusable", True)
        options["on_touch"] = self._touched
        super().__init__(**options)

    def _within(self, value: int) -> int:
        return max(self.least, min(value, self.most))

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        value = self._within(value)
        if value != self._value:
            self._value = value
            host = self.invalidate()
            if host is not None and not host.android.state_descriptions:
                host.send_later("VIEW_SELECTED", self, SETTLED_MS, postpone=True)
            elif host is not None:
                host.send_later("WINDOW_CONTENT_CHANGED", self, HELD_MS, Changed.STATE)

    @property
    def share(self) -> float:
        return (self._value - self.least) / (self.most - self.least)

    @property
    def description(self) -> str | None:
        share = f"{round(self.share * 100)}%"
        return share if self._description is None else f"{self._description}, {share}"

    @description.setter
    def description(self, value: str | None) -> None:
        if value != self._description:
            self._description = value
            self.changed(Changed.DESCRIPTION)

    def set(self, value: int) -> bool:
        """Set the value as the user does; return False if it does not change."""
        value = self._within(value)
        if value == self._value or not self.enabled:
            return False
        self.value = value
        self.on_change(value)
        return True

    def can_scroll(self, forward: bool | None = None) -> bool:
        ends = (self._value < self.most, self._value > self.least)
        return any(ends) if forward is None else ends[0 if forward else 1]

    def scroll_page(self, forward: bool) -> bool:
        step = max(1, round((self.most - self.least) / STEPS))
        return self.set(self._value + (step if forward else -step))

    def takes_drag(self, across: bool) -> bool:
        self._held = across
        return across

    def _touched(self, action: str, pointer: int, x: float, y: float) -> None:
        """Handle a touch. A tap sets the value when the finger is lifted, because until then the
        finger may scroll the page."""
        if action == "down":
            self._held, self._began = False, y
            return
        _, top, _, bottom = self.place
        tapped = action == "up" and abs(y - self._began) < (bottom - top) / 4
        if tapped or (self._held and action in ("move", "up")):
            self._follow(x)

    def _follow(self, x: float) -> None:
        left, top, right, bottom = self.place
        ends = 0 if self.thick else (bottom - top) // 4
        share = (x - left - ends) / max(1, right - left - 2 * ends)
        self.set(self.least + round(max(0.0, min(share, 1.0)) * (self.most - self.least)))

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        if self.thick:
            radius = (bottom - top) / 2
            pen.box(self.place, theme.SURFACE_HIGH, radius)
            end = max(left + (bottom - top), left + round((right - left) * self.share))
            pen.box((left, top, end, bottom), theme.ACCENT, radius)
            side = round(22 * dp)
            above = (top + bottom - side) // 2
            inset = left + round(14 * dp)
            box = (inset, above, inset + side, above + side)
            pen.icon(self.icon, box, theme.ON_ACCENT)
            return
        ends = (bottom - top) // 4
        middle, half, knob = (top + bottom) // 2, round(2 * dp), round(10 * dp)
        left, right = left + ends, right - ends
        x = left + round((right - left) * self.share)
        pen.box((left, middle - half, right, middle + half), theme.SECONDARY_CONTAINER, half)
        pen.box((left, middle - half, x, middle + half), self.ink(theme.PRIMARY), half)
        pen.box((x - knob, middle - knob, x + knob, middle + knob), self.ink(theme.PRIMARY), knob)
