"""A calendar for choosing a date, like Android's DatePicker."""

from calendar import monthrange
from collections.abc import Callable
from datetime import date
from typing import Unpack

from handheld.screen.model import Flag

from ..drawing import theme
from ..drawing.pen import Box, Pen
from ..layout import Column, Frame, Pager, Scroll
from ..options import Options
from ..text import lines as words_of
from ..text.fonts import LINE_HEIGHT
from ..view import MATCH, View
from .basic import IconButton, Text
from .recycler import RecycledList

FIRST, LAST = date(1900, 1, 1), date(2100, 12, 31)
DAY_DP = 44
HEAD_DP = 92
"""The height of the month's name and the letters of the days."""
WEEKS = 6
LETTERS = "SMTWTFS"


class Day(View):
    """A day, which is a virtual view that the month draws."""

    __slots__ = ("day",)

    def __init__(self, day: date, chosen: bool, on_click: Callable[[], object]) -> None:
        self.day = day
        super().__init__(
            width=DAY_DP,
            height=DAY_DP,
            description=f"{day:%d %B %Y}",
            on_click=on_click,
            focusable=False,
        )
        self.virtual = day.day
        self.selected = chosen

    @property
    def text(self) -> str | None:
        return str(self.day.day)

    def mark(self, flags: int, old: bool) -> int:
        """The chosen day is checked although it is not checkable. Since Android 11, which made days
        clickable, it is also selected."""
        if old:
            flags &= ~(Flag.CLICKABLE | Flag.SELECTED)
        return flags | (Flag.CHECKED if self.selected else 0)

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        if self.selected:
            radius = round(18 * dp)
            x, y = (left + right) // 2, (top + bottom) // 2
            pen.box((x - radius, y - radius, x + radius, y + radius), theme.PRIMARY, radius)
        ink = theme.ON_PRIMARY if self.selected else theme.ON_SURFACE
        _write(pen, self.text or "", self.place, 14 * dp, ink)


def _write(pen: Pen, line: str, box: Box, size: float, ink: theme.Color) -> None:
    """Write a line in the middle of a box."""
    left, top, right, bottom = box
    wide = words_of.width(line, size, "Regular")
    x = left + (right - left - wide) / 2
    y = top + (bottom - top - size * LINE_HEIGHT) / 2
    pen.text(x, y, line, size, "Regular", ink, box)


class Month(View):
    """A month, which draws its days."""

    __slots__ = ("month",)

    def __init__(self, month: date, chosen: date, choose: Callable[[date], object]) -> None:
        self.month = month
        days = (month.replace(day=n + 1) for n in range(monthrange(month.year, month.month)[1]))
        super().__init__(
            *(Day(day, day == chosen, lambda day=day: choose(day)) for day in days),
            id="android:id/month_view",
            focusable=True,
            width=MATCH,
            height=MATCH,
        )

    def arrange_children(self, dp: float) -> None:
        left, top, right, _ = self.place
        first = (self.month.weekday() + 1) % 7
        size = round(DAY_DP * dp)
        start = left + (right - left - 7 * size) // 2
        for number, child in enumerate(self.children):
            row, column = divmod(first + number, 7)
            child.arrange(start + column * size, top + round(HEAD_DP * dp) + row * size, dp)

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, _ = self.place
        name = (left, top, right, top + round(56 * dp))
        _write(pen, f"{self.month:%B %Y}", name, 15 * dp, theme.ON_SURFACE)
        size = round(DAY_DP * dp)
        start = left + (right - left - 7 * size) // 2
        for column, letter in enumerate(LETTERS):
            x = start + column * size
            box = (x, top + round(56 * dp), x + size, top + round(HEAD_DP * dp))
            _write(pen, letter, box, 12 * dp, theme.ON_SURFACE_DIM)


class Months(Pager):
    """The shown month and its neighbours."""

    kind = "com.android.internal.widget.ViewPager"
    __slots__ = ("make", "month")

    def __init__(
        self, month: date, make: Callable[[date], View], **options: Unpack[Options]
    ) -> None:
        self.month, self.make = month.replace(day=1), make
        super().__init__(on_turn=self._turned, **options)
        self.fill()

    def beside(self, by: int) -> date | None:
        """The month `by` months away; None beyond the first and the last."""
        number = self.month.year * 12 + self.month.month - 1 + by
        year, month = divmod(number, 12)
        if not FIRST.year <= year <= LAST.year:
            return None
        return date(year, month + 1, 1)

    def fill(self) -> None:
        months = [month for by in (-1, 0, 1) if (month := self.beside(by)) is not None]
        self.replace(*(self.make(month) for month in months))
        self.offset = months.index(self.month) * self.viewport

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        fresh = self.viewport == 0
        size = super().measure_content(room_w, room_h, dp, exact_w, exact_h)
        if fresh and self.beside(-1) is not None:
            self.offset = self.viewport
        return size

    def _turned(self, page: int) -> None:
        first = 0 if self.beside(-1) is None else 1
        month = self.beside(page - first)
        if month is not None:
            self.month = month
            self.fill()

    def step(self, by: int) -> None:
        if (month := self.beside(by)) is not None:
            self.month = month
            self.fill()


class DatePicker(Frame):
    """A calendar; `chosen` is a date, which `on_change` receives."""

    kind = "android.widget.DatePicker"
    __slots__ = ("_animator", "_head", "_months", "_year", "_years", "chosen", "on_change")

    def __init__(
        self,
        chosen: date,
        on_change: Callable[[date], object] = lambda _: None,
        **options: Unpack[Options],
    ) -> None:
        self.chosen, self.on_change = chosen, on_change
        self._year = Text(
            "",
            size=16,
            id="android:id/date_picker_header_year",
            color=theme.ON_PRIMARY,
            on_click=self._show_years,
        )
        self._head = Text(
            "",
            size=30,
            id="android:id/date_picker_header_date",
            color=theme.ON_PRIMARY,
            on_click=self._show_days,
        )
        self._months = Months(
            chosen,
            lambda month: Month(month, self.chosen, self.choose),
            id="android:id/day_picker_view_pager",
            width=MATCH,
            height=HEAD_DP + WEEKS * DAY_DP,
        )
        self._years = YearList(self._take_year, shown=False)
        back, on = (
            IconButton(
                icon,
                lambda by=by: self._months.step(by),
                id=f"android:id/{id}",
                description=words,
                gravity=side,
                margin=(4, 4),
                color=theme.ON_SURFACE,
            )
            for icon, by, id, words, side in (
                ("chevron_left", -1, "prev", "Previous month", "left top"),
                ("chevron", 1, "next", "Next month", "right top"),
            )
        )
        days = Frame(
            self._months,
            back,
            on,
            id="android:id/date_picker_day_picker",
            width=MATCH,
            class_name="android.view.ViewGroup",
        )
        self._animator = Frame(
            days,
            self._years,
            id="android:id/animator",
            width=MATCH,
            class_name="android.widget.ViewAnimator",
        )
        header = Column(
            Column(self._year, self._head, padding=(24, 16), gap=4, width=MATCH),
            id="android:id/date_picker_header",
            background=theme.PRIMARY,
            width=MATCH,
        )
        options.setdefault("width", MATCH)
        super().__init__(
            Column(header, Scroll(self._animator, width=MATCH), width=MATCH), **options
        )
        self._write()

    def choose(self, day: date) -> None:
        self.chosen = day
        self._months.month = day.replace(day=1)
        self._write()
        self.on_change(day)

    def _write(self) -> None:
        self._year.text = str(self.chosen.year)
        self._head.text = f"{self.chosen:%a, %b} {self.chosen.day}"
        self._months.fill()

    def _show_years(self) -> None:
        self._animator.children[0].shown, self._years.shown = False, True
        self._years.show(self.chosen.year, self._head.pixels / 30)

    def _show_days(self) -> None:
        self._animator.children[0].shown, self._years.shown = True, False

    def _take_year(self, year: int) -> None:
        last = monthrange(year, self.chosen.month)[1]
        self.choose(self.chosen.replace(year=year, day=min(self.chosen.day, last)))
        self._show_days()


class YearList(RecycledList):
    kind = "android.widget.ListView"
    __slots__ = ("_chosen", "_take")

    def __init__(self, take: Callable[[int], object], **options: Unpack[Options]) -> None:
        self._take, self._chosen = take, 0
        options.setdefault("id", "android:id/date_picker_year_picker")
        options.setdefault("width", MATCH)
        options.setdefault("height", HEAD_DP + WEEKS * DAY_DP)
        super().__init__(
            count=LAST.year - FIRST.year + 1,
            row_height=DAY_DP,
            make=lambda: Text(align="center", id="android:id/text1", clickable=True),
            bind=self._bind,
            **options,
        )

    def _bind(self, view: View, position: int) -> None:
        assert isinstance(view, Text)
        year = FIRST.year + position
        view.text = str(year)
        view.selected = year == self._chosen
        view.color = theme.PRIMARY if view.selected else theme.ON_SURFACE
        view.on_click = lambda: self._take(year)

    def show(self, year: int, dp: float) -> None:
        """Scroll a year to the middle."""
        self._chosen = year
        row = round(DAY_DP * dp)
        self.offset = max(
            0, (year - FIRST.year) * row - round((HEAD_DP + WEEKS * DAY_DP) * dp) // 2
        )
        self.refresh()
