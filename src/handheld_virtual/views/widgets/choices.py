"""Widgets for choosing one of several options: a radio group, tabs, a drop-down list."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack

from ..drawing import theme
from ..drawing.pen import Pen
from ..layout import Column, HorizontalScroll, Row
from ..options import Options
from ..view import MATCH, View
from .basic import RadioButton, Text
from .recycler import RecycledList

if TYPE_CHECKING:
    from ...packages.app import Activity

RADIO_GROUP = "android.widget.RadioGroup"
TAB_CLASS = "androidx.appcompat.app.ActionBar.Tab"
POPUP_TITLE = "Popup Window"
LINE_DP = 48
MOST_LINES = 6
"""The maximum height of a list in lines; a longer list scrolls."""


class Radios(Column):
    kind = RADIO_GROUP
    collection = True
    __slots__ = ()


class RadioGroup(Radios):
    """Radio buttons of which one can be checked; `chosen` is its number, or None."""

    __slots__ = ("buttons", "on_change")

    def __init__(
        self,
        choices: Sequence[str],
        chosen: int | None = None,
        on_change: Callable[[int], object] = lambda _: None,
        **options: Unpack[Options],
    ) -> None:
        self.on_change = on_change
        self.buttons = [
            RadioButton(
                words,
                checked=number == chosen,
                on_change=lambda _, number=number: self._choose(number),
                width=MATCH,
            )
            for number, words in enumerate(choices)
        ]
        super().__init__(*self.buttons, **options)

    @property
    def chosen(self) -> int | None:
        return next((n for n, button in enumerate(self.buttons) if button.checked), None)

    def _choose(self, number: int) -> None:
        for other, button in enumerate(self.buttons):
            button.checked = other == number
        self.on_change(number)


class _Tab(Row):
    """The selected tab is not clickable, as in Material's TabLayout."""

    __slots__ = ()

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        if self.selected:
            left, _, right, bottom = self.place
            pen.box((left, bottom - round(3 * dp), right, bottom), theme.PRIMARY)


class Tabs(HorizontalScroll):
    """A row of tabs, which show one of the views `pages` at a time."""

    collection = True
    __slots__ = ("chosen", "on_change", "pages", "tabs")

    def __init__(
        self,
        names: Sequence[str],
        pages: Sequence[View] = (),
        on_change: Callable[[int], object] = lambda _: None,
        **options: Unpack[Options],
    ) -> None:
        self.pages, self.on_change = pages, on_change
        self.chosen = 0
        self.tabs = [
            _Tab(
                Text(name, size=14, face="Medium", align="center"),
                height=LINE_DP,
                padding=(24, 0),
                content_gravity="center",
                description=name,
                class_name=TAB_CLASS,
                on_click=lambda number=number: self.choose(number),
            )
            for number, name in enumerate(names)
        ]
        options.setdefault("width", MATCH)
        options.setdefault("focusable", False)
        super().__init__(Row(*self.tabs), **options)
        self._show()

    def choose(self, number: int) -> None:
        self.chosen = number
        self._show()
        self.on_change(number)

    def _show(self) -> None:
        for number, tab in enumerate(self.tabs):
            tab.selected = number == self.chosen
            tab.clickable = not tab.selected
            label = tab.children[0]
            label.selected = tab.selected
            if isinstance(label, Text):
                label.color = theme.PRIMARY if tab.selected else theme.ON_SURFACE_DIM
        for number, page in enumerate(self.pages):
            page.shown = number == self.chosen
        self.changed()


class Spinner(Row):
    """A field with the chosen line; a click opens the list below it. `activity` is its activity."""

    kind = "android.widget.Spinner"
    scrollable = True
    __slots__ = ("activity", "choices", "chosen", "label", "on_change")

    def __init__(
        self,
        activity: "Activity",
        choices: Sequence[str],
        chosen: int = 0,
        on_change: Callable[[int], object] = lambda _: None,
        **options: Unpack[Options],
    ) -> None:
        self.activity, self.choices, self.on_change = activity, choices, on_change
        self.chosen = chosen
        self.label = Text(
            choices[chosen], id="android:id/text1", most_lines=1, weight=1, width=0, padding=(16, 0)
        )
        options.setdefault("width", MATCH)
        options.setdefault("height", LINE_DP)
        options.setdefault("padding", (0, 0, 48, 0))
        options.setdefault("content_gravity", "center left")
        options["on_click"] = self._open
        super().__init__(self.label, **options)
        self.long_clickable = True

    def can_scroll(self, forward: bool | None = None) -> bool:
        """Whether it is marked as scrollable, as Android's Spinner is although it takes no scroll
        action."""
        return forward is None and len(self.choices) > 1

    def choose(self, number: int) -> None:
        if number != self.chosen:
            self.chosen = number
            self.label.text = self.choices[number]
            self.on_change(number)

    def _open(self) -> None:
        def take(number: int) -> None:
            self.activity.close_dialog()
            self.choose(number)

        def bind(line: View, number: int) -> None:
            assert isinstance(line, CheckedLine)
            line.text, line.checked = self.choices[number], number == self.chosen
            line.on_click = lambda: take(number)

        count = len(self.choices)
        listing = DropDown(
            count=count,
            row_height=LINE_DP,
            make=CheckedLine,
            bind=bind,
            background=theme.SURFACE_HIGH,
            radius=4,
            width=MATCH,
            height=LINE_DP * min(count, MOST_LINES),
        )
        self.activity.open_popup(self, POPUP_TITLE, listing)

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        _, top, right, bottom = self.place
        pen.outline(self.place, self.ink(theme.OUTLINE), dp, 4 * dp)
        side = round(20 * dp)
        x, y = right - round(14 * dp) - side, (top + bottom - side) // 2
        pen.icon("down", (x, y, x + side, y + side), self.ink(theme.ON_SURFACE_DIM))


class DropDown(RecycledList):
    """The list of a spinner."""

    kind = "android.widget.ListView"
    directed = True
    __slots__ = ()


class CheckedLine(RadioButton):
    """A line of the list, which handles clicks on it."""

    kind = "android.widget.CheckedTextView"
    __slots__ = ()

    def click(self) -> bool:
        return View.click(self)

    def draw(self, pen: Pen, dp: float) -> None:
        if self.checked:
            pen.box(self.place, theme.SECONDARY_CONTAINER)
        self.draw_lines(pen, dp, self.ink(self.color))

    def complete(self, options: Options) -> None:
        options.setdefault("padding", (16, 12))
        options.setdefault("focusable", False)
        options.setdefault("id", "android:id/text1")
        super().complete(options)
