"""The launcher's recent apps, each a card with its screen."""

from typing import TYPE_CHECKING

from ...input import buttons
from ...packages import lifecycle
from ...packages.app import Activity
from ...views.drawing import theme
from ...views.drawing.pen import Pen
from ...views.layout import Column, Frame, HorizontalScroll, Row
from ...views.view import MATCH, UNBOUNDED, View
from ...views.widgets.basic import Button, Image, Text

if TYPE_CHECKING:
    from ...world import World

SHARE = 0.66
"""A card's width and height as fractions of the screen's."""
SHARE_LYING = 0.46
"""The fraction in landscape, where less height is available."""
FLICK_DP = 600
"""The speed in dp per second at which even a short upward drag dismisses a card."""


class ScreenThumbnail(View):
    """The last state of a screen."""

    __slots__ = ("activity",)

    def __init__(self, activity: Activity, width: float, height: float) -> None:
        self.activity = activity
        super().__init__(width=width, height=height, id="snapshot", radius=20)

    def draw(self, pen: Pen, dp: float) -> None:
        window = self.activity.window
        pen.box(self.place, theme.SURFACE, self.radius * dp)
        if window is not None and not self.activity.world.screen.is_secure(window):
            pen.window(window, self.place, self.radius * dp)


class TaskCard(Column):
    """A card. A tap opens the app; a swipe up closes it."""

    draggable = True
    __slots__ = ("activity", "shift")

    def __init__(self, activity: Activity, width: float, height: float) -> None:
        self.activity = activity
        self.shift = 0
        app = activity.app
        sign = Image(
            app.icon,
            letter="" if app.icon else app.label[:1],
            color=theme.WHITE,
            background=app.color,
            width=40,
            height=40,
            padding=9,
            radius=12,
            id="icon",
        )
        super().__init__(
            Row(
                sign,
                Text(app.label, size=16, face="Medium", color=theme.WHITE, id="title"),
                gap=12,
                content_gravity="center left",
                padding=(4, 0, 0, 10),
            ),
            ScreenThumbnail(activity, width, height),
            width=width,
            id="task",
            description=app.label,
            on_click=lambda: app.world.tasks.bring(app),
            class_name="android.widget.FrameLayout",
        )

    def arrange(self, x: int, y: int, dp: float) -> None:
        super().arrange(x, y + self.shift, dp)

    def takes_drag(self, across: bool) -> bool:
        return not across

    def drag_by(self, pixels: int) -> None:
        self.shift += pixels
        self.changed()

    def drag_end(self, speed: float, dp: float) -> None:
        if self.shift < -self.measured[1] / 4 or speed < -FLICK_DP * dp:
            lifecycle.stop(self.activity.world, self.activity.app, "remove task")
        else:
            self.drag_cancel()

    def drag_cancel(self) -> None:
        self.shift = 0
        self.changed()


class Overview(Frame):
    """The cards; as on Android, the newest is on the right."""

    __slots__ = ("_world",)

    def __init__(self, world: "World") -> None:
        self._world = world
        super().__init__(id="overview_panel", width=MATCH, height=MATCH, shown=False)

    def fill(self) -> None:
        world = self._world
        tasks = world.tasks.recent
        if not tasks:
            words = Text("No recent items", size=18, color=theme.WHITE, id="empty_message")
            self.replace(Frame(words, width=MATCH, height=MATCH, content_gravity="center"))
            return
        dp = world.density / 160
        across, down = world.width / dp, world.height / dp
        lying = across > down
        share = SHARE_LYING if lying else SHARE
        cards = [TaskCard(task, across * share, down * share) for task in tasks]
        scroll = HorizontalScroll(
            Row(*cards, gap=20, padding=(across * (1 - share) / 2, 0)),
            id="task_list",
            width=MATCH,
            height=0,
            weight=1,
            padding=(0, 12 if lying else 56, 0, 0),
        )
        scroll.offset = UNBOUNDED  # layout scrolls it to the last card
        clear = Button(
            "Clear all",
            self._clear,
            id="clear_all",
            background=theme.mix(theme.BLACK, theme.WHITE, 0.3),
            color=theme.WHITE,
        )
        self.replace(
            Column(
                scroll,
                Row(clear, width=MATCH, content_gravity="center", padding=(0, 12, 0, 20)),
                width=MATCH,
                height=MATCH,
            )
        )

    def _clear(self) -> None:
        for task in self._world.tasks.recent:
            lifecycle.stop(self._world, task.app, "remove task")
        buttons.go_home(self._world)
