"""A text field."""

import re
from collections.abc import Callable
from typing import Unpack

from ..drawing import theme
from ..drawing.pen import Box, Pen
from ..options import Action, Options
from ..reading.events import Changed
from ..text import caret, lines
from ..text.caret import TextRow
from ..text.editing import Editing
from ..text.fonts import LINE_HEIGHT
from ..text.graphemes import units
from .basic import Text

ECHO_MS = 1500
"""How long a typed character of a password stays visible."""


class Field(Text):
    """A text field. As on Android, the text of an empty field is its hint; a password is shown as
    bullets."""

    kind = "android.widget.EditText"
    editable = True
    detailed = True
    keeps_focus = True
    pastes_after_ms = 0.0
    """When a field reads the clipboard after a paste action: Android's own fields at once, web
    pages and Flutter after the action's result."""
    __slots__ = (
        "_dp",
        "_echo",
        "_held",
        "_pressed",
        "_rows",
        "_touched",
        "editing",
        "hint",
        "on_enter",
        "on_type",
        "outlined",
        "password",
    )

    def __init__(
        self,
        text: str = "",
        *,
        hint: str = "",
        password: bool = False,
        single_line: bool = True,
        most_lines: int = 100,
        outlined: bool = True,
        accept: Callable[[str], bool] | None = None,
        most: int | None = None,
        on_type: Callable[[str], object] | None = None,
        on_enter: Callable[[], object] | None = None,
        size: float = 16,
        align: str = "left",
        **options: Unpack[Options],
    ) -> None:
        """`accept` and `most` are the field's filters: the accepted characters, and the number of
        UTF-16 units. `on_enter` is the action of the Enter key; by default the next field gets the
        focus, and after the last field the keyboard closes. A text longer than `most_lines` shows
        the lines around the cursor."""
        self.hint, self.password, self.outlined = hint, password, outlined
        self.editing = Editing(text, single_line=single_line, accept=accept, most=most)
        self.on_type, self.on_enter = on_type, on_enter
        self._rows: tuple[TextRow, ...] = ()
        self._dp = 1.0
        self._touched: tuple[float, float] | None = None
        self._pressed: tuple[float, float] | None = None
        self._held = False
        """Whether a service has performed a long click. The next touch of the focused field then
        leaves the cursor, because Android considers it the end of the long press."""
        self._echo = (0, 0.0)
        """The index of the visible character of a password, and the time until which it is
        visible."""
        options.setdefault("clickable", True)
        options.setdefault("focusable", True)
        options.setdefault("padding", (16, 14))
        options.setdefault("radius", 4)
        options.setdefault("on_touch", self._touch)
        if not single_line and "top" not in align:
            align += " top"
        super().__init__(
            text, size=size, align=align, most_lines=1 if single_line else most_lines, **options
        )
        self.long_clickable = True

    @property
    def single_line(self) -> bool:
        return self.editing.single_line

    @property
    def content(self) -> str:
        """The typed text, which can differ from the shown text."""
        return self.editing.text

    @content.setter
    def content(self, value: str) -> None:
        """Set the text as TextView.setText does, which moves the cursor to the start."""
        editing, before = self.editing, self.editing.text
        editing.set(value)
        self._echo = (0, 0.0)
        self.invalidate()
        self._send_selection(0, 0)
        if editing.text != before or self.reports_same_text:
            self.changed(Changed.TEXT)
        if editing.text != before and self.on_type is not None:
            self.on_type(editing.text)

    def set_text(self, text: str) -> None:
        """Set the text as ACTION_SET_TEXT does, then move the cursor to the end of the text that
        the app accepted."""
        self.content = text
        self._select(len(self.content), len(self.content))

    def edit(self, change: Action) -> None:
        """Change the text or the cursor, and notify listeners."""
        editing = self.editing
        before, shown, selection = editing.text, self.drawn_text(), editing.selection
        editing.replaced = (0, "", "")
        change()
        start, removed, typed = editing.replaced
        if not removed and not typed:
            if editing.selection != selection:
                self.invalidate()
                self._send_selection(*editing.selection)
            return
        self.invalidate()
        self._move_echo(start, len(removed), len(typed))
        self.send(
            "VIEW_TEXT_CHANGED",
            **{"from": units(before[:start]), "removed": units(removed), "added": units(typed)},
            before=shown if before else "",
            text=self.drawn_text(),
        )
        if typed:
            host = self.root_host() if units(typed) == 1 else None
            self._echo = (0, 0.0) if host is None else (start, host.now() + ECHO_MS)
        if editing.selection != selection:
            self._send_selection(*editing.selection)
        if self.on_type is not None:
            self.on_type(editing.text)

    def _move_echo(self, start: int, removed: int, added: int) -> None:
        """Keep the visible character of a password visible while others are replaced."""
        place, until = self._echo
        if start <= place < start + removed:
            self._echo = (0, 0.0)
        elif place >= start:
            self._echo = (place - removed + added, until)

    def _send_selection(self, start: int, end: int) -> None:
        length = units(self.content)
        self.send("VIEW_TEXT_SELECTION_CHANGED", **{"from": start, "to": end, "items": length})

    @property
    def text(self) -> str | None:
        return self.drawn_text()

    @text.setter
    def text(self, value: str) -> None:
        self.content = value

    @property
    def showing_hint(self) -> bool:
        return not self.content and bool(self.hint)

    def drawn_text(self) -> str:
        content = self.content
        if not content:
            return self.hint
        if self.password:
            return self._hidden(content)
        # In a single-line field, Android keeps line breaks but does not show them.
        return content.replace("\n", " ").replace("\r", "\ufeff") if self.single_line else content

    def _hidden(self, content: str) -> str:
        """Return bullets; as on Android, a typed character is visible for a moment."""
        bullets = "•" * units(content)
        place, until = self._echo
        host = self.root_host()
        if host is None or host.now() >= until or place >= len(content):
            return bullets
        at = units(content[:place])
        return bullets[:at] + content[place] + bullets[at + units(content[place]) :]

    def click(self) -> bool:
        touched, self._touched = self._touched, None
        if touched is not None and self.enabled:
            self.leave_focus()
            held, self._held = self._held, False
            if not held or not self.focused:
                self._select(place := self._index_at(*touched), place)
            if not self.focused and self.take_focus():
                return True  # the touch that gives a field the focus is not a click
        self.take_focus()
        return super().click()

    def long_click(self) -> bool:
        """Offer the text actions, unless the app handles long clicks itself. A finger selects the
        word under it, or moves the cursor behind the text."""
        pressed, self._pressed = self._pressed, None
        if pressed is None and not self.enabled:
            self.send("VIEW_LONG_CLICKED")
            return False
        if not super().long_click():
            return False
        host = self.root_host()
        self._held = pressed is None
        if self.on_long_click is not None or host is None:
            return True
        if pressed is not None:
            self._select(*word_at(self.content, self._index_at(*pressed)))
            self.take_focus()
            host.text_pressed(self)
        elif self.editing.start != self.editing.end:
            self.leave_focus()  # the selection's toolbar disappears with the selection
        else:
            host.text_pressed(self)
        return True

    def leave_focus(self) -> None:
        self._select(self.editing.end, self.editing.end)

    def _select(self, start: int, end: int) -> None:
        self.edit(lambda: self.editing.select(start, end))

    def line_edge(self, right: bool) -> int:
        """Return the index at the left or right edge of the cursor's line in the layout."""
        start, end, length = 0, len(self.content), len(self.content)
        backwards = not self.password and lines.is_backwards(self.content)
        if not self.single_line and self._rows:
            row = self._rows[caret.row_of(self._rows, self.editing.end)]
            start, end, backwards = row.start, row.end, row.backwards
            if end < length and self.content[end] != "\n":
                end -= 1  # the index behind the last character is the start of the next line
        return end if right != backwards else start

    def _touch(self, action: str, _: int, x: float, y: float) -> None:
        # A long click has consumed the touch.
        self._touched = (x, y) if action == "up" and self._pressed is not None else None
        if action != "move":
            self._pressed = (x, y) if action == "down" else None

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        width, height = super().measure_content(room_w, room_h, dp, exact_w, exact_h)
        self._rows, self._dp = (), dp
        if self.content:
            shown, cursor = self._places()
            self._rows = caret.rows(shown, cursor, self.pixels, self.face, room_w, self.single_line)
            most = max(1, len(self.lines)) if exact_h or self.single_line else self.most_lines
            on = caret.row_of(self._rows, cursor)
            first = max(0, min(on - most + 1, len(self._rows) - most))
            self._rows = self._rows[first : first + most]
            height = int(self.pixels * LINE_HEIGHT * max(1, len(self._rows)) + 0.999)
        return width, height

    def _places(self, index: int | None = None) -> tuple[str, int]:
        """Return the shown text, and the index in it for an index in the content, by default the
        cursor's."""
        index = self.editing.end if index is None else index
        if self.password:
            return self.drawn_text(), units(self.content[:index])
        return self.content, index

    def _index_at(self, x: float, y: float) -> int:
        """Return the index in the content nearest to a point on the screen."""
        shown, _ = self._places()
        if not self._rows:
            return 0
        left, _, right, _ = self.inner(self._dp)
        number = int((y - self._top(self._dp)) / (self.pixels * LINE_HEIGHT))
        row = self._rows[max(0, min(number, len(self._rows) - 1))]
        distance = right - x if row.backwards else x - left
        found = caret.index_at(row, shown, distance, self.pixels, self.face)
        if not self.password:
            return found
        return next(
            (n for n in range(len(self.content) + 1) if units(self.content[:n]) >= found), 0
        )

    def _top(self, dp: float) -> float:
        """The top of the first row."""
        _, top, _, bottom = self.inner(dp)
        if "top" in self.align:
            return top
        return top + (bottom - top - self.pixels * LINE_HEIGHT * max(1, len(self._rows))) / 2

    def draw(self, pen: Pen, dp: float) -> None:
        if self.background is not None:
            pen.box(self.place, self.background, self.radius * dp)
        focused = self.focused
        if self.outlined:
            color = theme.PRIMARY if focused else theme.OUTLINE
            pen.outline(self.place, self.ink(color), (2 if focused else 1) * dp, self.radius * dp)
        if self.showing_hint:
            self.draw_lines(pen, dp, self.ink(theme.mix(theme.ON_SURFACE_DIM, theme.WHITE, 0.2)))
        box = self.inner(dp)
        left, _, right, _ = box
        size, line = self.pixels, self.pixels * LINE_HEIGHT
        y = self._top(dp)
        for row in self._rows:
            if focused:
                self._draw_selection(pen, row, y, box)
            x = right - lines.width(row.words, size, self.face) if row.backwards else left
            pen.text(x, y, row.words, size, self.face, self.ink(self.color), box)
            y += line
        if focused and self.editing.start == self.editing.end:
            self._draw_cursor(pen, dp, box)

    def _x(self, row: TextRow, index: int, box: Box) -> float:
        shown, place = self._places(index)
        distance = caret.away(row, shown, place, self.pixels, self.face)
        return box[2] - distance if row.backwards else box[0] + distance

    def _draw_selection(self, pen: Pen, row: TextRow, y: float, box: Box) -> None:
        start, end = self.editing.start, self.editing.end
        (_, first), (_, last) = self._places(start), self._places(end)
        if start == end or last < row.start or first > row.end:
            return
        start_x, end_x = sorted((self._x(row, start, box), self._x(row, end, box)))
        bottom = round(y + self.pixels * LINE_HEIGHT)
        pen.box((round(start_x), round(y), round(end_x), bottom), theme.PRIMARY_CONTAINER)

    def _draw_cursor(self, pen: Pen, dp: float, box: Box) -> None:
        _, place = self._places()
        number = caret.row_of(self._rows, place)
        x = self._x(self._rows[number], self.editing.end, box) if self._rows else box[0]
        wide = max(2, round(2 * dp))
        x = max(box[0], min(round(x), box[2] - wide))
        line = self.pixels * LINE_HEIGHT
        y = self._top(dp) + line * number
        pen.box((x, round(y), x + wide, round(y + line)), theme.PRIMARY)


def word_at(text: str, index: int) -> tuple[int, int]:
    """Return the start and the end of the word at the index; the index twice if there is no
    word."""
    for word in re.finditer(r"\w+", text):
        if word.start() <= index < word.end():
            return word.span()
    return index, index
