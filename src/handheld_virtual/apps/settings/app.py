"""Settings: a recycled list that is longer than the screen; each row opens a page."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from weakref import WeakSet

from handheld.app_formats.apk.manifest import Filter

from ...packages.app import LAUNCHED, Activity, App
from ...views.drawing import theme
from ...views.drawing.theme import Color
from ...views.layout import Column, Row, Scroll
from ...views.view import MATCH, View
from ...views.widgets.basic import Button, IconButton, Image, Text
from ...views.widgets.field import Field
from ...views.widgets.recycler import RecycledList
from .pages import PAGES as CONTENTS
from .rows import SettingLine, SliderLine, note

if TYPE_CHECKING:
    from ...world import World


class Page(NamedTuple):
    title: str
    summary: str
    icon: str
    color: Color


BLUE: Color = (66, 133, 244)
GREEN: Color = (52, 168, 83)
ORANGE: Color = (242, 139, 36)
RED: Color = (219, 68, 55)
PURPLE: Color = (142, 92, 201)
TEAL: Color = (0, 150, 152)
GREY: Color = (110, 117, 128)

PAGES = (
    Page("Network & internet", "Mobile, Wi‑Fi, airplane mode", "wifi", BLUE),
    Page("Connected devices", "Bluetooth, pairing", "bluetooth", GREEN),
    Page("Apps", "All apps, force stop", "apps", ORANGE),
    Page("Notifications", "Lock screen, Do Not Disturb", "bell", RED),
    Page("Battery", "Battery Saver", "battery", GREEN),
    Page("Storage", "Internal shared storage", "storage", PURPLE),
    Page("Sound & vibration", "Volume, haptics, Do Not Disturb", "sound", TEAL),
    Page("Display", "Dark theme, brightness, rotation", "display", ORANGE),
    Page("Wallpaper & style", "Dark theme", "picture", RED),
    Page("Accessibility", "Animations, services", "person", BLUE),
    Page("Security & privacy", "Screen lock", "lock", GREEN),
    Page("Location", "Whether apps may know where you are", "place", BLUE),
    Page("Passwords & accounts", "No accounts", "person", GREY),
    Page("Languages", "English (United States)", "globe", BLUE),
    Page("Keyboard", "On-screen keyboard", "form", GREY),
    Page("Gestures", "3-button navigation", "display", PURPLE),
    Page("Date & time", "Time zone, automatic time", "info", TEAL),
    Page("Developer options", "USB debugging, animation scales", "gear", GREY),
    Page("About phone", "Model, Android version, build number", "phone", GREY),
)


def _plain(words: str) -> str:
    """Normalise a text for comparison: Wi‑Fi contains a hyphen that no keyboard has."""
    return words.replace("\u2011", "-").casefold()


class SettingsScreen(Activity):
    name = ".Settings"

    def content(self) -> View:
        settings_of(self).shown.add(self)
        self.searched = ""
        self.list = RecycledList(
            count=len(self.pages),
            row_height=76,
            make=self._make,
            bind=self._bind,
            id="recycler_view",
            width=MATCH,
            height=0,
            weight=1,
        )
        self.none_found = Text(
            "No results", id="no_results", margin=24, color=theme.ON_SURFACE_DIM, shown=False
        )
        self.heading = Text("Settings", size=32, id="homepage_title")
        self.turned()
        return Column(
            self.heading,
            Row(
                Image("search", width=20, height=20),
                Field(
                    hint="Search settings",
                    id="search_action_bar_title",
                    on_type=self._search,
                    weight=1,
                    width=0,
                    padding=(14, 12),
                    outlined=False,
                ),
                content_gravity="center left",
                id="search_bar",
                width=MATCH,
                height=52,
                margin=(16, 0, 16, 12),
                padding=(18, 0),
                background=theme.SURFACE_HIGH,
                radius=26,
            ),
            self.none_found,
            self.list,
            id="settings_homepage_container",
            background=theme.SURFACE,
        )

    def turned(self) -> None:
        self.heading.padding = (24, 6, 24, 6) if self.lying else (24, 28, 24, 12)
        self.heading.changed()

    def refresh(self) -> None:
        """Update the list, because developer options may appear or disappear."""
        if self.list.count != len(self.pages):
            self.list.refresh(len(self.pages))

    @property
    def pages(self) -> list[Page]:
        shown = self.world.preferences.is_on("global", "development_settings_enabled")
        return [
            page
            for page in PAGES
            if (shown or page.title != "Developer options")
            and self.searched in _plain(f"{page.title}\n{page.summary}")
        ]

    def _search(self, words: str) -> None:
        self.searched = _plain(words.strip())
        self.list.refresh(len(self.pages))
        self.none_found.shown = not self.pages

    def _make(self) -> View:
        icon = Image(
            id="android:id/icon", color=theme.WHITE, width=40, height=40, padding=9, radius=20
        )
        title = Text(size=18, id="android:id/title", most_lines=1)
        summary = Text(size=14, id="android:id/summary", most_lines=1, color=theme.ON_SURFACE_DIM)
        return Row(
            icon,
            Column(title, summary, gap=2, weight=1, width=0),
            gap=20,
            content_gravity="center left",
            padding=(24, 0),
            width=MATCH,
            clickable=True,
        )

    def _bind(self, row: View, position: int) -> None:
        page = self.pages[position]
        icon, words = row.children
        title, summary = words.children
        assert isinstance(icon, Image)
        assert isinstance(title, Text)
        assert isinstance(summary, Text)
        icon.icon, icon.background = page.icon, page.color
        title.text, summary.text = page.title, page.summary
        row.on_click = lambda: self.open(PageScreen(self.app, {"title": page.title}))


class PageScreen(Activity):
    """A settings page: a title, and lines in a scroll view."""

    name = ".SubSettings"
    about = PAGES[0].title
    """The default page, if the extras name none."""

    def __init__(self, app: App, extras: Mapping[str, str] | None = None) -> None:
        super().__init__(app, extras)
        title = self.extras.get("title", self.about)
        self.page = next((page for page in PAGES if page.title == title), PAGES[0])

    @property
    def title(self) -> str:
        return self.page.title

    def content(self) -> View:
        settings_of(self).shown.add(self)
        self.heading = Text(self.title, size=32, id="collapsing_toolbar")
        self.lines = Column(self.heading, *self.rows(), width=MATCH, padding=(0, 0, 0, 16))
        self.turned()
        return Column(
            Row(
                IconButton(
                    "arrow_back", self.finish, description="Navigate up", color=theme.ON_SURFACE
                ),
                height=56,
                width=MATCH,
                padding=(4, 4),
                id="action_bar",
            ),
            Scroll(self.lines, id="recycler_view", width=MATCH, height=0, weight=1),
            background=theme.SURFACE,
        )

    def rows(self) -> list[View]:
        if self.page.title == "Apps":
            apps = sorted(self.world.apps.values(), key=lambda app: app.label.casefold())
            return [self._app_row(app) for app in apps]
        build = CONTENTS.get(self.page.title)
        return [note(self.page.summary)] if build is None else build(self)

    def _app_row(self, app: App) -> View:
        return Row(
            sign(app),
            Column(
                Text(app.label, size=18, most_lines=1, id="android:id/title"),
                Text(
                    app.package,
                    size=14,
                    most_lines=1,
                    color=theme.ON_SURFACE_DIM,
                    id="android:id/summary",
                ),
                gap=2,
                weight=1,
                width=0,
            ),
            gap=20,
            content_gravity="center left",
            padding=(24, 12),
            width=MATCH,
            on_click=lambda: self.open(AppInfo(self.app, {"package": app.package})),
        )

    def turned(self) -> None:
        self.heading.padding = (24, 0, 24, 12) if self.lying else (24, 32, 24, 24)
        self.heading.changed()

    def refresh(self) -> None:
        """Update the lines after a change of preferences."""
        for line in self.lines.children:
            if isinstance(line, (SettingLine, SliderLine)):
                line.update()


class AppInfo(PageScreen):
    """The page of an app, which can be stopped."""

    name = ".applications.InstalledAppDetails"

    @property
    def title(self) -> str:
        return "App info"

    def rows(self) -> list[View]:
        package = self.extras.get("package", self.app.package)
        app = self.world.apps.get(package)
        if app is None:
            return [note("The app is not installed.")]
        process = self.world.running.pids(package)
        self.stop = self._button("Force stop", "force_stop", self._ask_to_stop, bool(process))
        words = "Disable" if app.system else "Uninstall"
        return [
            Row(
                sign(app),
                Text(app.label, size=22, id="entity_header_title", weight=1, width=0),
                gap=20,
                content_gravity="center left",
                padding=(24, 0, 24, 12),
                width=MATCH,
            ),
            Row(
                self._button(words, "uninstall", None, False),
                self.stop,
                gap=12,
                width=MATCH,
                padding=(24, 8),
            ),
            SettingLine("Package", package),
            SettingLine("Version", f"{app.version or 'none'} ({app.version_code})"),
        ]

    def _button(self, words: str, id: str, action: Callable[[], object] | None, on: bool) -> Button:
        return Button(
            words,
            action,
            id=id,
            enabled=on,
            background=theme.SURFACE_HIGH,
            color=theme.PRIMARY,
            weight=1,
            width=0,
        )

    def _ask_to_stop(self) -> None:
        words = "If you force stop an app, it may misbehave."
        self.ask("Force stop?", words, cancel=lambda: None, ok=self._stop)

    def _stop(self) -> None:
        self.stop.enabled = False
        self.world.stop(self.extras.get("package", self.app.package))


def sign(app: App) -> Image:
    """Return an app's icon on its colour."""
    return Image(
        app.icon,
        letter="" if app.icon else app.label[:1],
        color=theme.WHITE,
        background=app.color,
        width=40,
        height=40,
        padding=9 if app.icon else 0,
        radius=12,
        id="android:id/icon",
    )


def settings_of(activity: Activity) -> "SettingsApp":
    assert isinstance(activity.app, SettingsApp)
    return activity.app


def _direct(name: str, title: str) -> type[PageScreen]:
    """Make the activity of a page that has its own activity class on Android."""
    return type(name, (PageScreen,), {"name": f".Settings${name}", "about": title})


_DIRECT = {
    "AIRPLANE_MODE": _direct("AirplaneModeActivity", "Network & internet"),
    "WIFI": _direct("WifiSettingsActivity", "Network & internet"),
    "WIRELESS": _direct("NetworkDashboardActivity", "Network & internet"),
    "BLUETOOTH": _direct("BluetoothSettingsActivity", "Connected devices"),
    "APPLICATION": _direct("ManageApplicationsActivity", "Apps"),
    "INTERNAL_STORAGE": _direct("StorageDashboardActivity", "Storage"),
    "SOUND": _direct("SoundSettingsActivity", "Sound & vibration"),
    "DISPLAY": _direct("DisplaySettingsActivity", "Display"),
    "ACCESSIBILITY": _direct("AccessibilitySettingsActivity", "Accessibility"),
    "SECURITY": _direct("SecurityDashboardActivity", "Security & privacy"),
    "LOCATION_SOURCE": _direct("LocationSettingsActivity", "Location"),
    "LOCALE": _direct("LocalePickerActivity", "Languages"),
    "INPUT_METHOD": _direct("AvailableVirtualKeyboardActivity", "Keyboard"),
    "DATE": _direct("DateTimeSettingsActivity", "Date & time"),
    "APPLICATION_DEVELOPMENT": _direct("DevelopmentSettingsActivity", "Developer options"),
    "DEVICE_INFO": _direct("MyDeviceInfoActivity", "About phone"),
}
"""Pages by their names in `android.settings.…_SETTINGS`."""


def _answers(action: str, *schemes: str) -> tuple[Filter, ...]:
    return (Filter((action,), ("android.intent.category.DEFAULT",), schemes),)


class SettingsApp(App):
    package, label = "com.android.settings", "Settings"
    version, version_code, system = "14", 34, True
    shared_uid = 1000
    main = ".Settings"
    activities: ClassVar[Mapping[str, type[Activity]]] = {
        kind.name: kind for kind in (SettingsScreen, PageScreen, AppInfo, *_DIRECT.values())
    }
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        SettingsScreen.name: (LAUNCHED, *_answers("android.settings.SETTINGS")),
        AppInfo.name: _answers("android.settings.APPLICATION_DETAILS_SETTINGS", "package"),
        **{
            kind.name: _answers(f"android.settings.{subject}_SETTINGS")
            for subject, kind in _DIRECT.items()
        },
    }
    icon, color = "gear", (95, 99, 104)

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self.shown: WeakSet[SettingsScreen | PageScreen] = WeakSet()
        """The open screens that show preferences."""
        world.preferences.watch_all(self._refresh)

    def _refresh(self) -> None:
        for screen in list(self.shown):
            screen.refresh()
