"""The lock screen's views: the clock, date and notifications, or the PIN pad."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..system.notifications import Notification
from ..views.drawing import theme
from ..views.drawing.pen import Pen
from ..views.drawing.theme import Color
from ..views.layout import Column, Frame, Grid, Row
from ..views.view import MATCH, View
from ..views.widgets.basic import IconButton, Image, Text

if TYPE_CHECKING:
    from ..world import World
    from .keyguard import Keyguard

PULL_DP = 64
"""The minimum drag that unlocks the phone or opens the notifications."""
FLICK_DP = 600
MOST_NOTES = 3
LETTERS = ("+", "", "ABC", "DEF", "GHI", "JKL", "MNO", "PQRS", "TUV", "WXYZ")
"""The letters below the digits of the PIN pad."""
GLASS: Color = theme.Role((236, 239, 247), (40, 42, 48))


class PinEntry(Text):
    """The PIN as dots, which accessibility services see as a password field."""

    kind = "android.widget.EditText"
    editable = True
    password = True
    __slots__ = ()


class LockScreen(Frame):
    """The lock screen. Dragging it up unlocks the phone or asks for the PIN; dragging it down opens
    the notifications."""

    draggable = True
    __slots__ = ("_guard", "_world", "pulled")

    def __init__(self, world: "World", guard: "Keyguard") -> None:
        self._world, self._guard = world, guard
        self.pulled = 0
        super().__init__(id="notification_panel", width=MATCH, height=MATCH)

    def draw(self, pen: Pen, dp: float) -> None:
        pen.gradient(self.place, *theme.WALLPAPER)

    # Drags

    def takes_drag(self, across: bool) -> bool:
        self.pulled = 0
        return not across and not self._guard.asking

    def drag_by(self, pixels: int) -> None:
        self.pulled += pixels

    def drag_end(self, speed: float, dp: float) -> None:
        if self.pulled < -PULL_DP * dp or speed < -FLICK_DP * dp:
            self._guard.dismiss()
        elif self.pulled > PULL_DP * dp or speed > FLICK_DP * dp:
            self._world.panel.open("notifications")

    # Content

    def fill(self) -> None:
        self.replace(*(self._bouncer() if self._guard.asking else self._clock()))

    @property
    def _lying(self) -> bool:
        return self._world.width > self._world.height

    def _status(self) -> Row:
        world = self._world
        battery = f"Battery {world.battery.charge.level} percent."
        radios = [("wifi", "Wifi signal full.")] if world.switches["wifi"] else []
        if world.switches["airplane"]:
            radios.insert(0, ("airplane", "Airplane mode."))
        else:
            radios.append(("signal", "Phone four bars."))
        return Row(
            *(
                Image(icon, color=theme.WHITE, width=16, height=16, description=words)
                for icon, words in (*radios, ("battery", battery))
            ),
            gap=4,
            width=MATCH,
            height=24,
            padding=(16, 4),
            content_gravity="center right",
            id="keyguard_header",
        )

    def _clock(self) -> list[View]:
        world, lying = self._world, self._lying
        now = world.wall.now()
        face = Column(
            Text(
                f"{now.hour}:{now.minute:02d}",
                size=72 if lying else 88,
                face="Light",
                color=theme.WHITE,
                id="lockscreen_clock_view",
            ),
            Text(
                f"{now:%a, %b} {now.day}",
                size=18,
                face="Medium",
                color=theme.WHITE,
                id="keyguard_slice_view",
            ),
            width=0 if lying else MATCH,
            weight=1 if lying else 0,
            gap=2,
            content_gravity="center",
            id="keyguard_status_view",
        )
        notes = Column(
            *(self._note(note) for note in self._told()),
            gap=6,
            width=0 if lying else MATCH,
            weight=1 if lying else 0,
            id="notification_stack_scroller",
        )
        lock = Image(
            "lock",
            color=theme.WHITE,
            width=28,
            height=28,
            description="Device locked" if self._guard.kind == "pin" else "Device unlocked",
            id="lock_icon",
        )
        hint = Text(
            "Swipe up to open" if world.android.lock_screen_says_open else "Swipe up to unlock",
            size=15,
            color=theme.WHITE,
            align="center",
            width=MATCH,
            id="keyguard_indication_text",
        )
        foot = Column(
            lock, hint, gap=14, width=MATCH, content_gravity="center", padding=(0, 0, 0, 28)
        )
        # In landscape, the clock is beside the notifications.
        body: View
        if lying:
            body = Row(
                face,
                notes,
                gap=24,
                width=MATCH,
                height=0,
                weight=1,
                content_gravity="center",
                padding=(40, 0),
            )
        else:
            body = Column(
                face, notes, gap=48, width=MATCH, height=0, weight=1, padding=(16, 72, 16, 0)
            )
        return [Column(self._status(), body, foot, width=MATCH, height=MATCH, id="keyguard_view")]

    def _told(self) -> list[Notification]:
        if not self._world.preferences.is_on("secure", "lock_screen_show_notifications"):
            return []
        return self._world.notifications.shown[:MOST_NOTES]

    def _note(self, note: Notification) -> View:
        app = self._world.apps.get(note.package)
        label = app.label if app is not None else note.package

        def open_it() -> None:
            self._guard.dismiss(lambda: self._world.open_notification(note))

        return Row(
            Image(
                app.icon if app is not None and app.icon else "bell",
                color=theme.WHITE,
                background=app.color if app is not None else theme.OUTLINE,
                width=36,
                height=36,
                padding=8,
                radius=18,
                id="icon",
            ),
            Column(
                Text(label, size=12, color=theme.ON_SURFACE_DIM, id="android:id/app_name_text"),
                Text(note.title, size=15, face="Medium", most_lines=1, id="android:id/title"),
                Text(
                    note.text,
                    size=14,
                    most_lines=1,
                    color=theme.ON_SURFACE_DIM,
                    id="android:id/text",
                ),
                gap=1,
                weight=1,
                width=0,
            ),
            gap=14,
            content_gravity="center left",
            padding=(16, 12),
            radius=20,
            width=MATCH,
            background=GLASS,
            on_click=open_it,
            id="expandableNotificationRow",
            class_name="android.widget.FrameLayout",
        )

    def _bouncer(self) -> list[View]:
        guard, lying = self._guard, self._lying
        wait = guard.waiting_s > 0
        head = Column(
            Image("lock", color=theme.WHITE, width=26, height=26, id="lock_icon"),
            Text(
                guard.message or "Enter your PIN",
                size=20,
                color=theme.WHITE,
                align="center",
                width=MATCH,
                id="keyguard_message_area",
            ),
            PinEntry(
                "•" * len(guard.typed),
                size=30,
                color=theme.WHITE,
                align="center",
                width=MATCH,
                height=44,
                id="pinEntry",
                description="PIN area",
            ),
            gap=16,
            content_gravity="center",
            width=0 if lying else MATCH,
            weight=1,
            height=MATCH if lying else 0,
            id="keyguard_bouncer_message",
        )
        side = 62.0 if lying else 76.0

        def digit(number: int) -> View:
            return Column(
                Text(str(number), size=26, enabled=not wait, id="digit_text"),
                Text(
                    LETTERS[number],
                    size=11,
                    color=theme.ON_SURFACE_DIM,
                    enabled=not wait,
                    shown=bool(LETTERS[number]),
                    id="klondike_text",
                ),
                on_click=lambda: guard.type(str(number)),
                description=str(number),
                content_gravity="center",
                background=GLASS,
                radius=100,
                width=side * 1.25,
                height=side,
                enabled=not wait,
                id=f"key{number}",
                class_name="android.view.ViewGroup",
            )

        def sign(icon: str, id: str, words: str, operation: Callable[[], object]) -> View:
            return IconButton(
                icon,
                operation,
                color=theme.ON_ACCENT,
                background=theme.ACCENT,
                radius=100,
                padding=side * 0.32,
                width=side * 1.25,
                height=side,
                description=words,
                enabled=not wait,
                id=id,
            )

        keys = [digit(number) for number in range(1, 10)]
        keys.append(sign("delete", "delete_button", "Delete", guard.delete))
        keys.append(digit(0))
        keys.append(sign("enter", "key_enter", "Enter", guard.enter))
        gap = 8 if lying else 14
        pad = Grid(
            *keys,
            columns=3,
            gap=gap,
            fill=False,
            content_gravity="center",
            width=3 * side * 1.25 + 2 * gap,
            id="keyguard_pin_view",
        )
        if lying:
            whole: View = Row(
                head,
                Frame(pad, width=0, weight=1, height=MATCH, content_gravity="center"),
                width=MATCH,
                height=0,
                weight=1,
                padding=(24, 0, 72, 8),
            )
        else:
            whole = Column(
                head,
                pad,
                width=MATCH,
                height=0,
                weight=1,
                content_gravity="center",
                padding=(0, 0, 0, 96),
            )
        return [
            Column(
                self._status(), whole, width=MATCH, height=MATCH, id="keyguard_bouncer_container"
            )
        ]
