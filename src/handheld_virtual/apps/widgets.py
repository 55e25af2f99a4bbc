"""A gallery of Android's widgets, with a page for each kind."""

from collections.abc import Sequence
from datetime import date, time

from ..packages.app import Activity, App
from ..views.drawing import theme
from ..views.layout import Column, Frame, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, CheckBox, Switch, Text
from ..views.widgets.choices import RadioGroup, Spinner, Tabs
from ..views.widgets.live import Spinning, SwipeRefresh
from ..views.widgets.parts import List, ListRow, Toolbar
from ..views.widgets.seek_bar import SeekBar

SLOW_MS = 4000
REFRESH_MS = 1500
FRUIT = ("Apple", "Banana", "Cherry", "Date", "Elderberry", "Fig", "Grape", "Honeydew")
SIZES = ("Small", "Medium", "Large")


class WidgetList(Activity):
    name = ".MainActivity"

    def content(self) -> View:
        rows = [
            ListRow(
                words,
                summary,
                on_click=lambda kind=kind: self.open(kind(self.app)),
                id=kind.name.removeprefix(".").lower(),
            )
            for kind, words, summary in PAGES
        ]
        return Column(
            Toolbar("Widgets"),
            Scroll(Column(*rows, width=MATCH), width=MATCH, height=0, weight=1, id="list"),
        )


class Page(Activity):
    """A page that shows the last choice."""

    heading = ""

    @property
    def title(self) -> str:
        return self.heading

    def content(self) -> View:
        self.said = Text("Nothing chosen yet", id="said", width=MATCH, color=theme.ON_SURFACE_DIM)
        return Column(
            Toolbar(self.heading, on_back=self.finish),
            Scroll(
                Column(*self.rows(), self.said, gap=20, padding=24, width=MATCH),
                width=MATCH,
                height=0,
                weight=1,
            ),
        )

    def rows(self) -> Sequence[View]:
        raise NotImplementedError

    def say(self, words: str) -> None:
        self.said.text = words


class ChoicesPage(Page):
    name, heading = ".Choices", "Choices"

    def rows(self) -> Sequence[View]:
        return (
            _label("Fruit"),
            Spinner(self, FRUIT, 0, lambda n: self.say(f"Fruit: {FRUIT[n]}"), id="fruit"),
            _label("Size"),
            RadioGroup(SIZES, 1, lambda n: self.say(f"Size: {SIZES[n]}"), id="size", width=MATCH),
            CheckBox("Gift wrap", id="gift", on_change=lambda on: self.say(f"Gift wrap: {on}")),
            Switch(
                "Express",
                id="express",
                width=MATCH,
                height=48,
                padding=(8, 0, 60, 0),
                on_change=lambda on: self.say(f"Express: {on}"),
            ),
        )


class SliderPage(Page):
    name, heading = ".Slider", "Slider"

    def rows(self) -> Sequence[View]:
        return (
            _label("Volume"),
            SeekBar(
                30,
                100,
                lambda value: self.say(f"Volume: {value}"),
                id="volume",
                width=MATCH,
                description="Volume",
            ),
            _label("Rating"),
            SeekBar(
                3,
                5,
                lambda value: self.say(f"Rating: {value}"),
                id="rating",
                width=MATCH,
                description="Rating",
            ),
        )


class PickersPage(Page):
    name, heading = ".Pickers", "Date and time"

    def rows(self) -> Sequence[View]:
        now = self.world.wall.now()
        self.day, self.moment = now.date(), time(now.hour, now.minute)
        return (
            Button("Pick a date", self._pick_date, id="pick_date", width=MATCH),
            Button("Pick a time", self._pick_time, id="pick_time", width=MATCH),
        )

    def _pick_date(self) -> None:
        def take(day: date) -> None:
            self.day = day
            self.say(f"Date: {day.isoformat()}")

        self.pick_date(self.day, take)

    def _pick_time(self) -> None:
        def take(chosen: time) -> None:
            self.moment = chosen
            self.say(f"Time: {chosen:%H:%M}")

        self.pick_time(self.moment, take)


class TabsPage(Activity):
    name = ".Tabs"

    @property
    def title(self) -> str:
        return "Tabs"

    def content(self) -> View:
        pages = [
            Text(f"This is the page of {name.lower()}.", id="page_text", padding=24)
            for name in ("Songs", "Albums", "Artists")
        ]
        return Column(
            Toolbar("Tabs", on_back=self.finish),
            Tabs(("Songs", "Albums", "Artists"), pages, id="tabs"),
            Frame(*pages, width=MATCH, height=0, weight=1),
        )


class RefreshPage(Activity):
    name = ".Refresh"

    @property
    def title(self) -> str:
        return "Pull to refresh"

    def content(self) -> View:
        self.times = 0
        self.list = List[str](self._items(), ListRow, row_height=64, id="items")
        self.pulled = SwipeRefresh(self.list, self._refresh, id="refresh", height=0, weight=1)
        return Column(Toolbar("Pull to refresh", on_back=self.finish), self.pulled)

    def _items(self) -> list[str]:
        return [f"Item {number + 1}, version {self.times}" for number in range(30)]

    def _refresh(self) -> None:
        def done() -> None:
            self.times += 1
            self.list.items = self._items()
            self.pulled.refreshing = False

        self.world.timers.after(REFRESH_MS, done)


class SlowPage(Activity):
    """A page that shows its content after a while."""

    name = ".Slow"

    @property
    def title(self) -> str:
        return "Slow page"

    def content(self) -> View:
        self.waiting = Spinning(id="loading", gravity="center", description="Loading…")
        self.loaded = Text(
            "The page is loaded", id="loaded", size=22, gravity="center", shown=False
        )
        self.world.timers.after(SLOW_MS, self._show)
        return Column(
            Toolbar("Slow page", on_back=self.finish),
            Frame(self.waiting, self.loaded, width=MATCH, height=0, weight=1),
        )

    def _show(self) -> None:
        self.waiting.shown, self.loaded.shown = False, True


class MessagesPage(Page):
    name, heading = ".Messages", "Toasts and sharing"

    def rows(self) -> Sequence[View]:
        return (
            Button("Show a toast", self._toast, id="show_toast", width=MATCH),
            Button("Share a text", self._share, id="share_text", width=MATCH),
            Button("Post a notification", self._notify, id="post", width=MATCH),
        )

    def _toast(self) -> None:
        self.toast("The toast is ready")
        self.say("A toast was shown")

    def _share(self) -> None:
        self.share("A text from the widgets")

    def _notify(self) -> None:
        self.world.notify(self.app.package, "Widgets", "A notification from the widgets")
        self.say("A notification was posted")


def _label(words: str) -> View:
    return Text(words, size=14, face="Medium", color=theme.PRIMARY, width=MATCH)


PAGES: tuple[tuple[type[Activity], str, str], ...] = (
    (ChoicesPage, "Choices", "Spinner, radio buttons, check box, switch"),
    (SliderPage, "Slider", "Seek bars"),
    (PickersPage, "Date and time", "A calendar and a clock face"),
    (TabsPage, "Tabs", "Three pages"),
    (RefreshPage, "Pull to refresh", "A list that loads again"),
    (SlowPage, "Slow page", f"It takes {SLOW_MS // 1000} seconds"),
    (MessagesPage, "Toasts and sharing", "A toast, the share sheet, a notification"),
)


class Widgets(App):
    package, label = "dev.handheld.widgets", "Widgets"
    screens = (WidgetList, *(kind for kind, _, _ in PAGES))
    icon, color = "apps", (90, 90, 200)
