"""A clock face for choosing a time, like Android's TimePicker, and its text input."""

import math
from collections.abc import Callable
from datetime import time
from typing import TYPE_CHECKING, Unpack

from handheld.screen.model import Flag

from ..drawing import theme
from ..drawing.pen import Pen
from ..layout import Column, Frame, Row
from ..options import Options
from ..text import lines as words_of
from ..text.fonts import LINE_HEIGHT
from ..view import MATCH, View
from .basic import IconButton, RadioButton, Text
from .choices import Radios, Spinner
from .field import Field

if TYPE_CHECKING:
    from ...packages.app import Activity

FACE_DP = 256
NUMBER_DP = 44
TOUCH_CLASS = "android.widget.RadialTimePickerView$RadialPickerTouchHelper"
MERIDIEM = ("AM", "PM")


class Number(View):
    """A number on the clock face, which is a virtual view."""

    __slots__ = ("shown_text",)

    def __init__(self, value: int, label: str, chosen: bool, take: Callable[[], object]) -> None:
        self.shown_text = label
        super().__init__(
            width=NUMBER_DP,
            height=NUMBER_DP,
            description=str(value),
            class_name=TOUCH_CLASS,
            on_click=take,
            focusable=False,
        )
        self.virtual = value
        self.selected = chosen

    def mark(self, flags: int, old: bool) -> int:
        """A number takes clicks, but is not marked as clickable."""
        return flags & ~Flag.CLICKABLE

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        if self.selected:
            radius = (right - left) / 2
            pen.box(self.place, theme.PRIMARY, radius)
        size = 16 * dp
        wide = words_of.width(self.shown_text, size, "Regular")
        x = left + (right - left - wide) / 2
        y = top + (bottom - top - size * LINE_HEIGHT) / 2
        ink = theme.ON_PRIMARY if self.selected else theme.ON_SURFACE
        pen.text(x, y, self.shown_text, size, "Regular", ink, self.place)


class Face(View):
    """The numbers in a circle."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            id="android:id/radial_picker", width=FACE_DP, height=FACE_DP, gravity="center"
        )

    def arrange_children(self, dp: float) -> None:
        left, top, right, bottom = self.place
        reach = (right - left) / 2 - round(26 * dp)
        for number, child in enumerate(self.children):
            angle = math.tau * (number + 1) / len(self.children)
            x = (left + right) / 2 + reach * math.sin(angle)
            y = (top + bottom) / 2 - reach * math.cos(angle)
            width, height = child.measured
            child.arrange(round(x - width / 2), round(y - height / 2), dp)

    def draw(self, pen: Pen, dp: float) -> None:
        pen.box(self.place, theme.SECONDARY_CONTAINER, FACE_DP * dp / 2)


class TimePicker(Frame):
    """A time picker; `chosen` is a time, which `on_change` receives. `activity` is its activity."""

    kind = "android.widget.TimePicker"
    __slots__ = (
        *("_am", "_face", "_half", "_hour", "_hours", "_input", "_minute", "_minutes", "_pm"),
        *("_radial", "_toggle", "_typing", "chosen", "of_hours", "on_change"),
    )

    def __init__(
        self,
        activity: "Activity",
        chosen: time,
        on_change: Callable[[time], object] = lambda _: None,
        **options: Unpack[Options],
    ) -> None:
        self.chosen, self.on_change = chosen.replace(second=0, microsecond=0), on_change
        self.of_hours = True
        """Whether the face shows hours, not minutes."""
        self._hours = self._figure("hours", lambda: self._turn(True))
        self._minutes = self._figure("minutes", lambda: self._turn(False))
        self._am, self._pm = (
            RadioButton(
                words,
                on_change=lambda _, pm=pm: self._set_half(pm),
                id=f"android:id/{words.lower()}_label",
                size=14,
            )
            for pm, words in enumerate(MERIDIEM)
        )
        half = Radios(self._am, self._pm, id="android:id/ampm_layout")
        header = Row(
            self._hours,
            Text(":", size=44, id="android:id/separator"),
            self._minutes,
            half,
            id="android:id/time_header",
            width=MATCH,
            content_gravity="center",
            gap=6,
            class_name="android.widget.RelativeLayout",
        )
        self._face = Face()
        self._radial = Column(header, self._face, gap=12, width=MATCH)
        self._hour, self._minute = (
            Field(
                id=f"android:id/input_{name}",
                most=2,
                accept=str.isdecimal,
                width=88,
                on_type=lambda _: self._typed(),
            )
            for name in ("hour", "minute")
        )
        self._half = Spinner(
            activity,
            MERIDIEM,
            0,
            self._set_half,
            id="android:id/am_pm_spinner",
            width=112,
        )
        self._input = Column(
            Text("Set time", size=16, id="android:id/top_label", width=MATCH),
            Row(
                Row(
                    self._hour,
                    Text(":", size=32, id="android:id/input_separator"),
                    self._minute,
                    gap=8,
                    content_gravity="center left",
                    id="android:id/input_block",
                    class_name="android.widget.RelativeLayout",
                ),
                self._half,
                gap=12,
                content_gravity="center left",
                width=MATCH,
            ),
            gap=12,
            width=MATCH,
            shown=False,
        )
        self._typing = False
        self._toggle = IconButton("edit", self._switch, id="android:id/toggle_mode")
        options.setdefault("width", MATCH)
        super().__init__(
            Column(
                self._radial,
                self._input,
                Row(self._toggle, width=MATCH),
                gap=12,
                padding=(16, 16, 16, 0),
                width=MATCH,
            ),
            **options,
        )
        self._write()

    def _figure(self, name: str, action: Callable[[], object]) -> Text:
        return Text("", size=44, id=f"android:id/{name}", on_click=action)

    def _turn(self, hours: bool) -> None:
        self.of_hours = hours
        self._write()

    def _switch(self) -> None:
        self._typing = not self._typing
        self._radial.shown, self._input.shown = not self._typing, self._typing
        self._hour.content, self._minute.content = self._hours.text or "", self._minutes.text or ""
        self._write()

    def _typed(self) -> None:
        hour, minute = self._hour.content, self._minute.content
        if hour.isdecimal() and minute.isdecimal() and 1 <= int(hour) <= 12 and int(minute) < 60:
            self._set(int(hour) % 12 + 12 * (self.chosen.hour >= 12), int(minute))

    def _set_half(self, pm: int) -> None:
        self._set(self.chosen.hour % 12 + 12 * pm, self.chosen.minute)

    def _set(self, hour: int, minute: int) -> None:
        changed = time(hour, minute) != self.chosen
        self.chosen = time(hour, minute)
        self._write()
        if changed:
            self.on_change(self.chosen)

    def _take(self, value: int) -> None:
        if self.of_hours:
            self.of_hours = False  # as when a finger leaves the face
            self._set(value % 12 + 12 * (self.chosen.hour >= 12), self.chosen.minute)
        else:
            self._set(self.chosen.hour, value)

    def _write(self) -> None:
        hour, pm = self.chosen.hour % 12 or 12, self.chosen.hour >= 12
        self._hours.text, self._minutes.text = str(hour), f"{self.chosen.minute:02d}"
        for figure, lit in ((self._hours, self.of_hours), (self._minutes, not self.of_hours)):
            figure.color = theme.PRIMARY if lit else theme.ON_SURFACE_DIM
        self._am.checked, self._pm.checked = not pm, pm
        self._half.chosen = int(pm)
        self._half.label.text = MERIDIEM[pm]
        self._toggle.icon = "clock" if self._typing else "edit"
        mode = "clock" if self._typing else "text input"
        self._toggle.description = f"Switch to {mode} mode for the time input."
        values = range(1, 13) if self.of_hours else (*range(5, 60, 5), 0)
        chosen = hour if self.of_hours else self.chosen.minute
        self._face.replace(
            *(
                Number(
                    value,
                    str(value) if self.of_hours else f"{value:02d}",
                    value == chosen,
                    lambda value=value: self._take(value),
                )
                for value in values
            )
        )
