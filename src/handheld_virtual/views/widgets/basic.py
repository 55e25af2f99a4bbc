"""Basic widgets: texts, buttons, pictures, switches."""

from collections.abc import Callable
from typing import Unpack

from ..drawing import theme
from ..drawing.pen import Pen
from ..drawing.theme import Color
from ..options import Action, Options
from ..reading.events import HELD_MS, Changed
from ..text import lines
from ..text.fonts import LINE_HEIGHT
from ..view import MATCH, View


class Text(View):
    """A text. `size` in sp, `weight` of Roboto: Light, Regular, Medium, Bold."""

    kind = "android.widget.TextView"
    __slots__ = ("_text", "align", "color", "face", "lines", "most_lines", "pixels", "size")

    def __init__(
        self,
        text: str = "",
        *children: View,
        size: float = 16,
        face: str = "Regular",
        color: Color = theme.ON_SURFACE,
        align: str = "left",
        most_lines: int = 100,
        **options: Unpack[Options],
    ) -> None:
        self._text, self.size, self.face, self.color = text, size, face, color
        self.align = align
        """left, center or right; plus top or bottom unless vertically centred."""
        self.most_lines = most_lines
        self.lines: tuple[str, ...] = ()
        self.pixels = 0.0
        """The drawn text size, which is smaller if a fixed height is too low for a line."""
        super().__init__(*children, **options)

    @property
    def text(self) -> str | None:
        return self._text

    @text.setter
    def text(self, value: str) -> None:
        same, self._text = value == self._text, value
        if not same or self.reports_same_text:
            self.changed(Changed.TEXT)

    @property
    def reports_same_text(self) -> bool:
        host = self.root_host()
        return host is not None and host.android.same_text_reported

    def drawn_text(self) -> str:
        return self._text

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        host = self.root_host()
        size = self.size * dp * (1 if host is None else host.font_scale)
        if exact_h:
            size = min(size, room_h / LINE_HEIGHT)
        self.pixels = size
        shown = self.drawn_text()
        line = size * LINE_HEIGHT
        most = (
            max(1, min(self.most_lines, int(room_h / max(line, 1)))) if exact_h else self.most_lines
        )
        self.lines = lines.wrap(shown, size, self.face, room_w, most)
        widest = max((lines.width(line, size, self.face) for line in self.lines), default=0)
        return int(widest + 0.999), int(line * max(1, len(self.lines)) + 0.999)

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        self.draw_lines(pen, dp, self.ink(self.color))

    def draw_lines(self, pen: Pen, dp: float, color: Color) -> None:
        if not any(self.lines):
            return
        left, top, right, bottom = box = self.inner(dp)
        size = self.pixels
        line = size * LINE_HEIGHT
        spare = bottom - top - line * len(self.lines)
        y = float(top)
        if "bottom" in self.align:
            y += spare
        elif "top" not in self.align:
            y += max(0, spare / 2)
        for words in self.lines:
            x = float(left)
            if "left" not in self.align:
                spare = right - left - lines.width(words, size, self.face)
                x += spare if "right" in self.align else spare / 2
            pen.text(x, y, words, size, self.face, color, box)
            y += line


class Button(Text):
    """A filled button with rounded ends."""

    kind = "android.widget.Button"
    __slots__ = ()

    def __init__(
        self,
        text: str,
        action: Action | None = None,
        /,
        *,
        size: float = 14,
        face: str = "Medium",
        color: Color = theme.ON_PRIMARY,
        align: str = "center",
        most_lines: int = 1,
        **options: Unpack[Options],
    ) -> None:
        options.setdefault("background", theme.PRIMARY)
        options.setdefault("radius", 100)
        options.setdefault("padding", (24, 10))
        options.setdefault("clickable", True)
        if action is not None:
            options["on_click"] = action
        super().__init__(
            text, size=size, face=face, color=color, align=align, most_lines=most_lines, **options
        )

    def draw(self, pen: Pen, dp: float) -> None:
        if self.background is not None:
            ground = self.background if self.enabled else theme.DIVIDER
            pen.box(self.place, ground, self.radius * dp)
        self.draw_lines(pen, dp, self.ink(self.color))


class Image(View):
    """A picture: an icon of `icons`, or a letter, optionally on a coloured background."""

    kind = "android.widget.ImageView"
    __slots__ = ("color", "icon", "inset", "letter")

    def __init__(
        self,
        icon: str = "",
        *,
        letter: str = "",
        color: Color = theme.ON_SURFACE_DIM,
        inset: float = 0,
        **options: Unpack[Options],
    ) -> None:
        self.icon, self.letter, self.color, self.inset = icon, letter, color, inset
        options.setdefault("width", 24)
        options.setdefault("height", 24)
        super().__init__(**options)

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        left, top, right, bottom = self.inner(dp)
        if self.icon:
            side = min(right - left, bottom - top)
            x, y = left + (right - left - side) // 2, top + (bottom - top - side) // 2
            away = round(self.inset * dp)
            box = (x + away, y + away, x + side - away, y + side - away)
            pen.icon(self.icon, box, self.ink(self.color))
        if self.letter:
            size = (bottom - top) * 0.5
            width = lines.width(self.letter, size, "Medium")
            pen.text(
                left + (right - left - width) / 2,
                top + (bottom - top - size * LINE_HEIGHT) / 2,
                self.letter,
                size,
                "Medium",
                self.ink(self.color),
                self.place,
            )


class IconButton(Image):
    kind = "android.widget.ImageButton"
    __slots__ = ()

    def __init__(
        self,
        icon: str,
        action: Action | None = None,
        /,
        *,
        color: Color = theme.ON_SURFACE_DIM,
        inset: float = 0,
        **options: Unpack[Options],
    ) -> None:
        options.setdefault("width", 48)
        options.setdefault("height", 48)
        options.setdefault("padding", 12)
        options.setdefault("clickable", True)
        if action is not None:
            options["on_click"] = action
        super().__init__(icon, color=color, inset=inset, **options)


class Checkable(Text):
    """A widget that is on or off. A click toggles it; `on_change` receives the new state."""

    checkable = True
    __slots__ = ("_checked", "on_change", "partly_checked")

    def __init__(
        self,
        text: str = "",
        *,
        checked: bool = False,
        on_change: Callable[[bool], object] | None = None,
        size: float = 16,
        **options: Unpack[Options],
    ) -> None:
        self._checked, self.on_change = checked, on_change
        self.partly_checked = False
        self.complete(options)
        super().__init__(text, size=size, **options)

    def complete(self, options: Options) -> None:
        """Set default options."""
        options.setdefault("clickable", True)

    @property
    def checked(self) -> bool:
        return self._checked

    @checked.setter
    def checked(self, value: bool) -> None:
        if value != self._checked:
            self._checked = value
            host = self.invalidate()
            if host is not None and not host.android.state_descriptions:
                host.tree_changed(self, Changed.UNDEFINED)
            elif host is not None:
                host.send_later("WINDOW_CONTENT_CHANGED", self, HELD_MS, Changed.STATE)

    def click(self) -> bool:
        if not (self.clickable and self.enabled):
            return False
        self.checked = not self._checked
        if self.on_change is not None:
            self.on_change(self._checked)
        return super().click()


class CheckBox(Checkable):
    kind = "android.widget.CheckBox"
    __slots__ = ()

    def complete(self, options: Options) -> None:
        super().complete(options)
        options.setdefault("padding", (40, 12, 8, 12))

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        side = round(20 * dp)
        left = self.place[0] + round(8 * dp)
        top = (self.place[1] + self.place[3] - side) // 2
        box = (left, top, left + side, top + side)
        if self._checked:
            pen.box(box, self.ink(theme.PRIMARY), 3 * dp)
            pen.icon("check", box, theme.ON_PRIMARY)
        else:
            pen.outline(box, self.ink(theme.OUTLINE), 2 * dp, 3 * dp)


class RadioButton(Checkable):
    """One of several options; a click while it is on leaves it on."""

    kind = "android.widget.RadioButton"
    __slots__ = ()

    def complete(self, options: Options) -> None:
        super().complete(options)
        options.setdefault("padding", (40, 12, 8, 12))

    def click(self) -> bool:
        if self._checked and self.clickable and self.enabled:
            return View.click(self)
        return super().click()

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        side = round(20 * dp)
        left = self.place[0] + round(8 * dp)
        top = (self.place[1] + self.place[3] - side) // 2
        box = (left, top, left + side, top + side)
        color = self.ink(theme.PRIMARY if self._checked else theme.OUTLINE)
        pen.outline(box, color, 2 * dp, side / 2)
        if self._checked:
            away = round(5 * dp)
            inner = (left + away, top + away, left + side - away, top + side - away)
            pen.box(inner, color, side / 2)


class ProgressBar(View):
    """A progress bar, from 0 to 1."""

    kind = "android.widget.ProgressBar"
    detailed = True
    __slots__ = ("_done",)

    def __init__(self, done: float = 0, **options: Unpack[Options]) -> None:
        self._done = max(0.0, min(done, 1.0))
        options.setdefault("height", 4)
        options.setdefault("radius", 2)
        super().__init__(**options)

    @property
    def done(self) -> float:
        return self._done

    @done.setter
    def done(self, value: float) -> None:
        value = max(0.0, min(value, 1.0))
        if value != self._done:
            self._done = value
            self.changed()

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        pen.box(self.place, self.background or theme.SECONDARY_CONTAINER, self.radius * dp)
        if self._done:
            end = left + round((right - left) * self._done)
            pen.box((left, top, end, bottom), self.ink(theme.PRIMARY), self.radius * dp)


class Divider(View):
    """A thin line between two views."""

    __slots__ = ()

    def __init__(self, **options: Unpack[Options]) -> None:
        options.setdefault("width", MATCH)
        options.setdefault("height", 1)
        options.setdefault("background", theme.DIVIDER)
        super().__init__(**options)


class Switch(Checkable):
    """A switch."""

    kind = "android.widget.Switch"
    __slots__ = ()

    def complete(self, options: Options) -> None:
        super().complete(options)
        options.setdefault("width", 52)
        options.setdefault("height", 32)

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        self.draw_lines(pen, dp, self.ink(self.color))
        middle = (top + bottom) // 2
        left = right - round(52 * dp)
        track = (left, middle - round(16 * dp), right, middle + round(16 * dp))
        if self._checked:
            pen.box(track, self.ink(theme.PRIMARY), 16 * dp)
            radius, x, color = 12 * dp, right - 16 * dp, theme.ON_PRIMARY
        else:
            pen.box(track, theme.SECONDARY_CONTAINER, 16 * dp)
            pen.outline(track, self.ink(theme.OUTLINE), 2 * dp, 16 * dp)
            radius, x, color = 8 * dp, left + 16 * dp, self.ink(theme.OUTLINE)
        knob = (
            round(x - radius),
            round(middle - radius),
            round(x + radius),
            round(middle + radius),
        )
        pen.box(knob, color, radius)
