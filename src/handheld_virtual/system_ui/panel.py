"""The notification panel and quick settings."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..system.display import BRIGHTEST
from ..views.drawing import theme
from ..views.layout import Column, Frame, Grid, Row, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, IconButton, Image, Text
from ..views.widgets.seek_bar import SeekBar
from ..views.window import Window
from . import bars
from .notification_card import FLICK_DP, build_card

if TYPE_CHECKING:
    from ..world import World

PULL_DP = 48
"""The minimum drag that opens or closes the panel."""
TILES = (
    ("wifi", "Wi‑Fi", "wifi"),
    ("bluetooth", "Bluetooth", "bluetooth"),
    ("torch", "Flashlight", "torch"),
    ("rotate", "Auto-rotate", "rotate"),
    ("airplane", "Airplane mode", "airplane"),
    ("dark", "Dark theme", "moon"),
)
FIRST_TILES = 4
"""The number of tiles above the notifications."""


class Tile(Row):
    """A quick settings tile with its name and state."""

    checkable = True
    __slots__ = ("_on",)

    def __init__(self, name: str, icon: str, on: bool, turn: Callable[[], object], id: str) -> None:
        self._on = on
        color = theme.ON_ACCENT if on else theme.ON_SURFACE_DIM
        super().__init__(
            Image(icon, color=color, width=22, height=22, id="icon"),
            Column(
                Text(name, size=14, face="Medium", color=color, most_lines=1, id="tile_label"),
                Text("On" if on else "Off", size=13, color=color, id="app_label"),
                weight=1,
                width=0,
            ),
            gap=14,
            content_gravity="center left",
            padding=(18, 0),
            height=64,
            width=MATCH,
            radius=24,
            background=theme.ACCENT if on else theme.CARD,
            on_click=turn,
            id=f"tile_{id}",
            class_name="android.widget.Switch",
            description=name,
        )

    @property
    def checked(self) -> bool:
        return self._on


class Ground(Frame):
    """The panel's background: dragging it up closes it, dragging it down expands it."""

    draggable = True
    __slots__ = ("_close", "_expand", "pulled")

    def __init__(
        self, *children: View, close: Callable[[], object], expand: Callable[[], object]
    ) -> None:
        self._close, self._expand = close, expand
        self.pulled = 0
        super().__init__(
            *children, id="notification_panel", width=MATCH, height=MATCH, background=theme.SHADE
        )

    def takes_drag(self, across: bool) -> bool:
        self.pulled = 0
        return not across

    def drag_by(self, pixels: int) -> None:
        self.pulled += pixels

    def drag_end(self, speed: float, dp: float) -> None:
        if self.pulled < -PULL_DP * dp or speed < -FLICK_DP * dp:
            self._close()
        elif self.pulled > PULL_DP * dp:
            self._expand()


class Panel:
    """The panel, which is closed or a window that covers the apps."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.window: Window | None = None
        self.kind = ""
        """`notifications` or `quick_settings` while it is open."""
        self._light: SeekBar | None = None
        world.preferences.watch("system", "screen_brightness", lambda _: self._lit())

    def open(self, kind: str) -> None:
        self.kind = kind
        root = Ground(close=self.close, expand=lambda: self.open("quick_settings"))
        root.adopt(self._content())
        if self.window is None:
            self.window = self._world.screen.new_window(
                "SYSTEM", bars.PACKAGE, "Notification shade", root
            )
            self._world.windows_changed()
        else:
            self.window.root.replace(*root.children)

    def close(self) -> bool:
        """Close the panel; return False if it was not open."""
        if self.window is None:
            return False
        self._world.screen.close_window(self.window)
        self.window = None
        self._world.windows_changed()
        return True

    def refresh(self) -> None:
        if self.window is not None:
            self.window.root.replace(self._content())

    def _content(self) -> View:
        now = self._world.wall.now()
        whole = self.kind == "quick_settings"
        tiles = TILES if whole else TILES[:FIRST_TILES]
        lying = self._world.width > self._world.height
        parts: list[View] = [
            Row(
                Text(
                    f"{now.hour}:{now.minute:02d}",
                    size=34,
                    face="Regular",
                    id="clock",
                    weight=1,
                    width=0,
                ),
                Text(
                    f"{now:%a, %b} {now.day}",
                    size=16,
                    face="Medium",
                    id="date",
                    color=theme.ON_SURFACE_DIM,
                ),
                content_gravity="center left",
                width=MATCH,
                padding=(12, 4, 12, 4),
                id="header",
            )
        ]
        if whole:
            parts.append(self._slider())
        parts.append(
            Grid(
                *(self._tile(*tile) for tile in tiles),
                columns=(3 if whole else 4) if lying else 2,
                gap=8,
                width=MATCH,
                id="quick_settings_panel" if whole else "quick_qs_panel",
            )
        )
        parts += self._footer() if whole else self._notes()
        return Column(
            *parts,
            gap=10 if lying else 14,
            # The navigation bar covers the panel at the bottom, or in landscape at the side.
            padding=(62, 28, 62, 8) if lying else (14, 34, 14, 60),
            width=MATCH,
            height=MATCH,
            id="quick_settings_container" if whole else "notification_container_parent",
        )

    def _slider(self) -> SeekBar:
        display = self._world.display

        def light(level: int) -> None:
            display.brightness = level

        self._light = SeekBar(
            display.brightness,
            BRIGHTEST,
            light,
            least=1,
            icon="display",
            thick=True,
            width=MATCH,
            id="slider",
            description="Display brightness",
        )
        return self._light

    def _lit(self) -> None:
        if self._light is not None:
            self._light.value = self._world.display.brightness

    def _tile(self, id: str, name: str, icon: str) -> Tile:
        switches = self._world.switches
        return Tile(name, icon, switches[id], lambda: switches.turn(id), id)

    def _footer(self) -> list[View]:
        def settings() -> None:
            self.close()
            self._world.keyguard.dismiss(lambda: self._world.bring("com.android.settings"))

        return [
            View(weight=1, width=MATCH, height=0),
            Row(
                Text(
                    "Handheld virtual phone",
                    size=13,
                    color=theme.ON_SURFACE_DIM,
                    weight=1,
                    width=0,
                    id="build",
                ),
                IconButton(
                    "gear",
                    settings,
                    description="Open settings",
                    id="settings_button",
                    background=theme.SURFACE,
                    radius=24,
                    color=theme.ON_SURFACE,
                ),
                content_gravity="center left",
                padding=(12, 0),
                width=MATCH,
                id="qs_footer_actions",
            ),
        ]

    def _notes(self) -> list[View]:
        posted = self._world.notifications.shown
        if not posted:
            return [
                Text(
                    "No notifications",
                    size=15,
                    color=theme.ON_SURFACE_DIM,
                    align="center",
                    width=MATCH,
                    padding=(0, 40),
                    id="no_notifications",
                )
            ]
        clear = Button(
            "Clear all",
            self._world.notifications.clear,
            id="dismiss_text",
            background=theme.SURFACE,
            color=theme.ON_SURFACE,
            padding=(20, 9),
        )
        return [
            Scroll(
                Column(
                    *(build_card(self._world, notification) for notification in posted),
                    Row(clear, width=MATCH, content_gravity="right", padding=(0, 6)),
                    gap=4,
                    width=MATCH,
                ),
                width=MATCH,
                height=0,
                weight=1,
                id="notification_stack_scroller",
            )
        ]
