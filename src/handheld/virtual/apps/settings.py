"""Settings: a recycled list longer than the screen; each row opens a page with a switch."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from .. import theme
from ..app import Activity, App
from ..layout import Column, Row
from ..recycler import RecycledList
from ..theme import Color
from ..views import MATCH, View
from ..widgets import IconButton, Image, Switch, Text


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
    Page("Network & internet", "Mobile, Wi‑Fi, hotspot", "wifi", BLUE),
    Page("Connected devices", "Bluetooth, pairing", "bluetooth", GREEN),
    Page("Apps", "Assistant, recent apps, default apps", "apps", ORANGE),
    Page("Notifications", "Notification history, conversations", "bell", RED),
    Page("Battery", "86% - About 1 day left", "battery", GREEN),
    Page("Storage", "38% used - 79 GB free", "storage", PURPLE),
    Page("Sound & vibration", "Volume, haptics, Do Not Disturb", "sound", TEAL),
    Page("Display", "Dark theme, font size, brightness", "display", ORANGE),
    Page("Wallpaper & style", "Colors, themed icons, app grid", "person", RED),
    Page("Accessibility", "Display, interaction, audio", "person", BLUE),
    Page("Security & privacy", "App security, device lock, permissions", "lock", GREEN),
    Page("Location", "On - 2 apps have access to location", "place", BLUE),
    Page("Safety & emergency", "Emergency SOS, medical info, alerts", "info", RED),
    Page("Passwords & accounts", "Saved passwords, autofill, synced accounts", "lock", GREY),
    Page("Digital Wellbeing", "Screen time, app timers, bedtime", "person", GREEN),
    Page("Languages", "English (United States)", "globe", BLUE),
    Page("Keyboard", "On-screen keyboard, physical keyboard", "apps", GREY),
    Page("Gestures", "Navigation, quick launch", "display", PURPLE),
    Page("Date & time", "GMT+00:00 Coordinated Universal Time", "info", TEAL),
    Page("Backup", "On", "storage", BLUE),
    Page("System updates", "Up to date", "gear", GREEN),
    Page("Multiple users", "Signed in as Owner", "person", ORANGE),
    Page("Developer options", "USB debugging, animation scales", "gear", GREY),
    Page("Reset options", "Network, apps, or device", "close", RED),
    Page("Printing", "1 service on", "form", TEAL),
    Page("NFC", "Tap to pay, share", "signal", PURPLE),
    Page("Cast", "Not connected", "display", BLUE),
    Page("About phone", "Virtual phone", "phone", GREY),
    Page("Tips & support", "Help articles, phone and chat", "info", ORANGE),
)


class SettingsScreen(Activity):
    name = ".Settings"

    def content(self) -> View:
        self.list = RecycledList(
            count=len(PAGES),
            row_height=76,
            make=self._make,
            bind=self._bind,
            id="recycler_view",
            width=MATCH,
            height=0,
            weight=1,
        )
        return Column(
            Text("Settings", size=32, id="homepage_title", padding=(24, 28, 24, 12)),
            Row(
                Image("search", width=20, height=20),
                Text("Search settings", id="search_action_bar_title", color=theme.ON_SURFACE_DIM),
                gap=14,
                content_gravity="center left",
                id="search_bar",
                width=MATCH,
                height=52,
                margin=(16, 0, 16, 12),
                padding=(18, 0),
                background=theme.SURFACE_HIGH,
                radius=26,
            ),
            self.list,
            id="settings_homepage_container",
            background=theme.SURFACE,
        )

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
        page = PAGES[position]
        icon, words = row.children
        title, summary = words.children
        assert isinstance(icon, Image)
        assert isinstance(title, Text)
        assert isinstance(summary, Text)
        icon.icon, icon.background = page.icon, page.color
        title.text, summary.text = page.title, page.summary
        row.on_click = lambda: self.open(PageScreen(self.app, {"title": page.title}))


class PageScreen(Activity):
    """One subject, which can be switched on and off. The app remembers it."""

    name = ".SubSettings"

    def __init__(self, app: App, extras: Mapping[str, str] | None = None) -> None:
        super().__init__(app, extras)
        title = self.extras.get("title", PAGES[0].title)
        self.page = next((page for page in PAGES if page.title == title), PAGES[0])

    @property
    def title(self) -> str:
        return self.page.title

    def content(self) -> View:
        on = self.states.get(self.page.title, False)
        self.switch = Switch(
            checked=on, id="android:id/switch_widget", clickable=False, on_change=self._switched
        )
        self.status = Text(
            "On" if on else "Off", size=14, id="android:id/summary", color=theme.ON_SURFACE_DIM
        )
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
            Text(self.page.title, size=32, id="collapsing_toolbar", padding=(24, 32, 24, 24)),
            Row(
                Column(
                    Text(f"Use {self.page.title}", size=18, id="android:id/title"),
                    self.status,
                    gap=2,
                    weight=1,
                    width=0,
                ),
                self.switch,
                id="main_switch_bar",
                on_click=self.turn,
                content_gravity="center left",
                width=MATCH,
                margin=(16, 0),
                padding=(20, 18),
                background=theme.PRIMARY_CONTAINER,
                radius=28,
            ),
            Text(
                self.page.summary,
                size=14,
                color=theme.ON_SURFACE_DIM,
                padding=(24, 20),
                id="footer",
            ),
            background=theme.SURFACE,
        )

    @property
    def states(self) -> dict[str, bool]:
        assert isinstance(self.app, Settings)
        return self.app.states

    def turn(self) -> None:
        """The whole row is the switch's handle."""
        self.switch.checked = not self.switch.checked
        self._switched(self.switch.checked)

    def _switched(self, on: bool) -> None:
        self.states[self.page.title] = on
        self.status.text = "On" if on else "Off"


class Settings(App):
    package, label = "com.android.settings", "Settings"
    version, version_code, system = "14", 34, True
    shared_uid = 1000
    main = ".Settings"
    activities: ClassVar[Mapping[str, type[Activity]]] = {
        ".Settings": SettingsScreen,
        ".SubSettings": PageScreen,
    }
    icon, color = "gear", (95, 99, 104)

    @property
    def states(self) -> dict[str, bool]:
        """What is switched on, by page title."""
        return self.__dict__.setdefault("_states", {})
