"""A notification in the panel, with its texts and action buttons."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack

from ..packages.posted import press_action
from ..system.notifications import Notification
from ..views.drawing import theme
from ..views.layout import Column, Row
from ..views.options import Options
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, Image, Text

if TYPE_CHECKING:
    from ..world import World

FLICK_DP = 600
"""The speed in dp per second at which even a short drag counts."""


class Card(Row):
    """A notification's card. A sideways swipe dismisses it, unless it is ongoing."""

    draggable = True
    __slots__ = ("_dismiss", "shift")

    def __init__(
        self,
        *children: View,
        dismiss: Callable[[], object],
        **options: Unpack[Options],
    ) -> None:
        self._dismiss = dismiss
        self.shift = 0
        super().__init__(*children, gap=14, **options)

    def arrange(self, x: int, y: int, dp: float) -> None:
        super().arrange(x + self.shift, y, dp)

    def takes_drag(self, across: bool) -> bool:
        return across

    def drag_by(self, pixels: int) -> None:
        self.shift += pixels
        self.changed()

    def drag_end(self, speed: float, dp: float) -> None:
        if abs(self.shift) > self.measured[0] / 3 or abs(speed) > FLICK_DP * dp:
            self._dismiss()
        self.drag_cancel()

    def drag_cancel(self) -> None:
        self.shift = 0
        self.changed()


def build_card(world: "World", notification: Notification) -> Card:
    app = world.apps.get(notification.package)
    label = app.label if app is not None else notification.package
    ground = app.color if app is not None else theme.OUTLINE
    minutes = int(world.timers.now() - notification.posted) // 60_000
    when = "now" if minutes < 1 else f"{minutes}m" if minutes < 60 else f"{minutes // 60}h"

    def open_it() -> None:
        world.panel.close()
        world.keyguard.dismiss(lambda: world.open_notification(notification))

    parts: list[View] = [
        Text(
            f"{label} • {when}",
            size=12,
            color=theme.ON_SURFACE_DIM,
            most_lines=1,
            id="android:id/app_name_text",
        ),
        Text(notification.title, size=15, face="Medium", most_lines=1, id="android:id/title"),
        Text(
            notification.text,
            size=14,
            color=theme.ON_SURFACE_DIM,
            most_lines=3,
            id="android:id/text",
        ),
    ]
    if notification.actions:
        parts.append(_buttons(world, notification))
    return Card(
        Image(
            app.icon if app is not None and app.icon else "bell",
            color=theme.WHITE,
            background=ground,
            width=36,
            height=36,
            padding=8,
            radius=18,
            id="icon",
        ),
        Column(*parts, gap=2, weight=1, width=0),
        padding=(16, 14),
        width=MATCH,
        radius=20,
        background=theme.SURFACE,
        on_click=open_it,
        dismiss=lambda: world.notifications.dismiss(notification),
        id="expandableNotificationRow",
        class_name="android.widget.FrameLayout",
    )


def _buttons(world: "World", notification: Notification) -> Row:
    def press(number: int) -> None:
        action = notification.actions[number]
        if action.takes_text:
            # This panel has no reply field, but the app has one.
            world.panel.close()
            world.keyguard.dismiss(lambda: world.open_notification(notification))
        elif action.opens or action.guarded:
            world.panel.close()
            world.keyguard.dismiss(lambda: press_action(world, notification, number))
        else:
            press_action(world, notification, number)

    return Row(
        *(
            Button(
                action.title,
                lambda number=number: press(number),
                id="android:id/action0",
                background=theme.SURFACE,
                color=theme.ON_SURFACE,
                padding=(12, 8),
            )
            for number, action in enumerate(notification.actions)
        ),
        gap=4,
        width=MATCH,
        id="android:id/actions",
    )
