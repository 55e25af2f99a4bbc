"""Toasts: short messages that cannot be touched. Android shows one at a time."""

from typing import TYPE_CHECKING

from ..views.drawing import theme
from ..views.layout import Row
from ..views.widgets.basic import Text
from ..views.window import Window

if TYPE_CHECKING:
    from ..world import World

SHORT_MS, LONG_MS = 2000, 3500
ABOVE_DP = 88
MOST = 25
"""The limit of waiting toasts; more are dropped."""


class Toasts:
    """The toasts. Accessibility services only receive an event for a toast: windows that take no
    touches are not in their lists, and thus in no dump."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._queue: list[tuple[str, str, float]] = []
        self._window: Window | None = None
        self.text: str | None = None
        """The text of the toast on the screen."""

    def show(self, package: str, words: str, *, long: bool = False) -> None:
        if len(self._queue) < MOST:
            self._queue.append((package, words, LONG_MS if long else SHORT_MS))
        if self._window is None:
            self._next()

    @property
    def window(self) -> Window | None:
        """The window of the shown toast, at its place."""
        window, world = self._window, self._world
        if window is not None:
            dp = world.density / 160
            window.root.measure(round(world.width * 0.9), world.height, dp)
            width, height = window.root.measured
            left, top = (world.width - width) // 2, world.height - round(ABOVE_DP * dp) - height
            window.place((left, top, left + width, top + height), dp)
        return window

    def _next(self) -> None:
        world = self._world
        if self._window is not None:
            world.screen.close_window(self._window)
            self._window = self.text = None
        if not self._queue:
            return
        package, self.text, ms = self._queue.pop(0)
        root = Row(
            Text(self.text, id="android:id/message", size=14, most_lines=2),
            background=theme.SURFACE_HIGH,
            radius=24,
            padding=(24, 14),
        )
        self._window = world.screen.new_window("SYSTEM", package, "Toast", root)
        world.screen.changes.windows_changed()
        world.screen.changes.notify("toast", package, None, self.text)
        world.timers.after(ms, self._next)
