"""The status bar and the navigation bar."""

from collections.abc import Callable, Sequence

from ..system.switches import Switches
from ..views.drawing import theme
from ..views.drawing.pen import Pen
from ..views.drawing.theme import Color
from ..views.layout import Column, Frame, Row
from ..views.view import MATCH
from ..views.widgets.basic import IconButton, Image, Text

STATUS_DP = 24
NAVIGATION_DP = 48
MOST_SIGNS = 4
"""The limit of notification icons in the status bar."""
PACKAGE = "com.android.systemui"


class BatteryIcon(Image):
    """The battery icon with its level."""

    kind = "android.widget.ImageView"
    __slots__ = ("level",)

    def __init__(self, level: int, color: Color) -> None:
        self.level = level
        super().__init__(
            "battery",
            color=color,
            width=16,
            height=16,
            id="battery",
            description=f"Battery {level} percent.",
        )

    def show(self, level: int) -> None:
        if level != self.level:
            self.level = level
            self.description = f"Battery {level} percent."


class StatusBar(Frame):
    """The status bar. Pulling it down opens the notification panel."""

    draggable = True
    __slots__ = ("_pull", "clock", "notes", "pulled", "signs")

    def __init__(self, pull: Callable[[], object]) -> None:
        self._pull = pull
        self.pulled = 0
        color = theme.ON_SURFACE
        self.notes = Row(
            weight=1,
            width=0,
            height=MATCH,
            gap=6,
            padding=(10, 0),
            content_gravity="center left",
            id="notification_icon_area",
        )
        self.clock = Text("9:41", size=14, face="Medium", color=color, id="clock")
        self.signs: list[Image] = [
            Image(
                "airplane",
                color=color,
                width=16,
                height=16,
                id="airplane_mode",
                description="Airplane mode.",
                shown=False,
            ),
            Image(
                "wifi",
                color=color,
                width=16,
                height=16,
                id="wifi_signal",
                description="Wifi signal full.",
            ),
            Image(
                "signal",
                color=color,
                width=16,
                height=16,
                id="mobile_signal",
                description="Phone four bars.",
            ),
            BatteryIcon(86, color),
        ]
        super().__init__(
            Row(
                self.clock,
                self.notes,
                Row(*self.signs, gap=4, id="system_icons"),
                content_gravity="center left",
                id="status_bar_contents",
                width=MATCH,
                height=MATCH,
                padding=(16, 0),
            ),
            id="status_bar",
            width=MATCH,
            height=MATCH,
        )

    def paint(self, color: Color) -> None:
        """Set the icons' colour. No change is reported, because colours are not in the
        accessibility tree."""
        self.clock.color = color
        for sign in (*self.signs, *self.notes.children):
            if isinstance(sign, Image):
                sign.color = color

    def show_battery(self, level: int) -> None:
        battery = self.signs[-1]
        assert isinstance(battery, BatteryIcon)
        battery.show(level)

    def show_notifications(self, notes: Sequence[tuple[str, str]], switches: Switches) -> None:
        """Show an icon and a description for each app with notifications, and the state of the
        radios."""
        airplane, wifi, mobile, _ = self.signs
        airplane.shown = switches["airplane"]
        wifi.shown = switches["wifi"]
        mobile.shown = not switches["airplane"]
        self.notes.replace(
            *(
                Image(icon, color=self.clock.color, width=15, height=15, description=words)
                for icon, words in notes[:MOST_SIGNS]
            )
        )

    def takes_drag(self, across: bool) -> bool:
        self.pulled = 0
        return not across

    def drag_by(self, pixels: int) -> None:
        self.pulled += pixels

    def drag_end(self, speed: float, dp: float) -> None:
        if self.pulled > STATUS_DP * dp:
            self._pull()


def insets(rotation: int, thickness: int) -> tuple[int, int, int]:
    """Return the navigation bar's insets at the left, right and bottom. The bar stays at the same
    physical edge when the phone is rotated."""
    return {1: (0, thickness, 0), 3: (thickness, 0, 0)}.get(rotation, (0, 0, thickness))


class NavigationBar(Frame):
    __slots__ = ("buttons", "ground")

    def __init__(self, press: Callable[[str], object]) -> None:
        self.ground: Color | None = None

        def button(icon: str, id: str, description: str, action: str) -> IconButton:
            return IconButton(
                icon,
                lambda: press(action),
                id=id,
                description=description,
                color=theme.ON_SURFACE_DIM,
                weight=1,
                width=0,
                height=MATCH,
                padding=(0, 14),
            )

        self.buttons = [
            button("back", "back", "Back", "back"),
            button("home", "home", "Home", "home"),
            button("recents", "recent_apps", "Overview", "recents"),
        ]
        super().__init__(id="navigation_bar_frame", width=MATCH, height=MATCH)
        self.turn(0)

    def turn(self, rotation: int) -> None:
        """Keep the buttons at their physical position."""
        across = rotation % 2 == 0
        for button in self.buttons:
            button.width, button.height = (0, MATCH) if across else (MATCH, 0)
            button.padding = (0, 14, 0, 14) if across else (14, 0, 14, 0)
        ordered = self.buttons if rotation != 1 else self.buttons[::-1]
        kind = Row if across else Column
        self.replace(
            kind(
                *ordered,
                width=MATCH,
                height=MATCH,
                padding=(40, 0) if across else (0, 40),
                id="nav_buttons",
            )
        )

    def paint(self, color: Color) -> None:
        for button in self.buttons:
            button.color = color

    def draw(self, pen: Pen, dp: float) -> None:
        if self.ground is not None:
            pen.box(self.place, self.ground)
