"""The home screen: a grid of apps, a dock, and a search bar that filters the grid."""

from collections.abc import Mapping
from typing import ClassVar, Unpack

from handheld.app_formats.apk.manifest import Filter

from ...packages.app import Activity, App
from ...views.drawing import theme
from ...views.drawing.pen import Pen
from ...views.layout import Column, Frame, Grid, Row, Scroll
from ...views.options import Options
from ...views.text import lines
from ...views.text.fonts import LINE_HEIGHT
from ...views.view import MATCH, View
from ...views.widgets.basic import Image, Text
from ...views.widgets.field import Field
from .overview import Overview

DOCK = ("com.android.calculator2", "com.android.settings")


class AppIcon(Text):
    """An app's icon and name in a single view, as in Android's launcher."""

    __slots__ = ("app", "named")

    def __init__(self, app: App, *, named: bool = True, **options: Unpack[Options]) -> None:
        self.app, self.named = app, named
        options["on_click"] = lambda: app.world.bring(app.package)
        options["description"] = app.label
        options.setdefault("padding", (2, 72, 2, 8) if named else (2, 64, 2, 0))
        super().__init__(
            app.label if named else "",
            size=13,
            color=theme.WHITE,
            align="center top",
            most_lines=1,
            **options,
        )
        self.long_clickable = True

    def draw(self, pen: Pen, dp: float) -> None:
        side = round(56 * dp)
        left = (self.place[0] + self.place[2] - side) // 2
        top = self.place[1] + round(8 * dp)
        box = (left, top, left + side, top + side)
        pen.box(box, self.app.color, 16 * dp)
        if self.app.icon:
            away = round(13 * dp)
            inner = (left + away, top + away, left + side - away, top + side - away)
            pen.icon(self.app.icon, inner, theme.WHITE)
        else:
            letter, size = self.app.label[:1], 30 * dp
            x = left + (side - lines.width(letter, size, "Medium")) / 2
            y = top + (side - size * LINE_HEIGHT) / 2
            pen.text(x, y, letter, size, "Medium", theme.WHITE, box)
        self.draw_lines(pen, dp, theme.WHITE)


class Home(Activity):
    name = "com.android.launcher3.uioverrides.QuickstepLauncher"
    dark_bars = True
    wallpaper = theme.WALLPAPER

    def content(self) -> View:
        self.grid = Grid(columns=4, id="workspace", width=MATCH)
        self.hotseat = Row(id="hotseat", width=MATCH)
        self.fill()
        self.search = Row(
            Image("search", width=20, height=20),
            Field(
                hint="Search apps",
                id="search_box_input",
                on_type=self._filter,
                weight=1,
                width=0,
                padding=(12, 12),
                outlined=False,
            ),
            content_gravity="center left",
            id="search_container_hotseat",
            width=MATCH,
            padding=(18, 2),
            background=theme.CARD,
            radius=28,
        )
        self.pages = Scroll(self.grid, weight=1, width=MATCH, height=0, id="apps_list_view")
        self.workspace = Column(gap=12, width=MATCH, height=MATCH, id="drag_layer")
        self.overview = Overview(self.world)
        self.turned()
        return Frame(self.workspace, self.overview)

    def turned(self) -> None:
        """Lay out the home screen. In landscape the search bar is at the top, where the keyboard
        does not cover it, and the dock at the side."""
        lying, pages = self.lying, self.pages
        self.grid.columns = 5 if lying else 4
        self.grid.changed()
        if lying:
            pages.width, pages.height, self.hotseat.width = 0, MATCH, 200
            body = Row(pages, self.hotseat, width=MATCH, height=0, weight=1)
            self.workspace.padding = (32, 12, 32, 4)
            self.workspace.replace(self.search, body)
        else:
            pages.width, pages.height, self.hotseat.width = MATCH, 0, MATCH
            self.workspace.padding = (16, 24, 16, 16)
            self.workspace.replace(pages, self.hotseat, self.search)
        if self.overview.shown:
            self.overview.fill()

    def show_recents(self) -> None:
        """Show the recent apps instead of the icons."""
        self.overview.fill()
        self.workspace.shown, self.overview.shown = False, True

    def left(self) -> None:
        if self.overview.shown:
            self.workspace.shown, self.overview.shown = True, False
            self.overview.replace()

    def back(self) -> bool:
        was_shown = self.overview.shown
        self.left()
        return was_shown

    def fill(self) -> None:
        """Show every launchable app."""
        absent = {self.app.package, *self.world.disabled_packages}
        every = self.world.apps.items()
        apps = [app for name, app in every if app.launchable and name not in absent]
        self.icons = [AppIcon(app) for app in apps if app.package not in DOCK]
        self.grid.replace(*self.icons)
        self.hotseat.replace(
            *(AppIcon(app, weight=1, width=0) for app in apps if app.package in DOCK)
        )

    def _filter(self, words: str) -> None:
        for icon in self.icons:
            icon.shown = words.casefold() in icon.app.label.casefold()


class Launcher(App):
    package, label = "com.android.launcher3", "Launcher"
    version, version_code, system = "14", 34, True
    main = Home.name
    activities: ClassVar[Mapping[str, type[Activity]]] = {Home.name: Home}
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        Home.name: (
            Filter(
                ("android.intent.action.MAIN",),
                ("android.intent.category.HOME", "android.intent.category.DEFAULT"),
            ),
        )
    }

    def press_recents(self) -> None:
        """Show the recent apps; a second press switches to the previous app."""
        home = self.world.tasks.home
        if not isinstance(home, Home):
            return
        recent = self.world.tasks.recent
        if self.world.front is home and home.overview.shown and recent:
            self.world.tasks.bring(recent[-2 if len(recent) > 1 else -1].app)
            return
        self.world.bring(self.package)
        home.show_recents()

    def tasks_changed(self) -> None:
        home = self.world.tasks.home
        if isinstance(home, Home) and home.overview.shown:
            home.overview.fill()

    def packages_changed(self) -> None:
        home = self.world.tasks.home
        if isinstance(home, Home):
            home.fill()
