"""Widgets that change by themselves or load: a running clock, a page that can be pulled down."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack

from ..drawing import theme
from ..drawing.pen import Pen
from ..layout import Frame, Scroll
from ..options import Options
from ..view import MATCH, View
from .basic import Image, Text

if TYPE_CHECKING:
    from ...packages.app import Activity

TICK_MS = 1000
PULL_DP = 64
"""The minimum pull that refreshes."""


class Chronometer(Text):
    """A clock that counts up, or down from `limit_ms`, while it runs. It follows the phone's clock
    and notifies the screen each second while `activity` is in front."""

    kind = "android.widget.Chronometer"
    __slots__ = ("_before", "_since", "_tick", "activity", "limit_ms", "on_end")

    def __init__(
        self,
        activity: "Activity",
        limit_ms: float | None = None,
        on_end: Callable[[], object] = lambda: None,
        *,
        size: float = 44,
        **options: Unpack[Options],
    ) -> None:
        self.activity, self.limit_ms, self.on_end = activity, limit_ms, on_end
        self._before = 0.0
        """The elapsed milliseconds before it was last started."""
        self._since: float | None = None
        self._tick = 0
        """The number of the current run; ticks of earlier runs are ignored."""
        super().__init__("", size=size, **options)

    @property
    def running(self) -> bool:
        return self._since is not None

    @property
    def elapsed_ms(self) -> float:
        now = self.activity.world.timers.now()
        elapsed = self._before + (0 if self._since is None else now - self._since)
        # Otherwise a second could have 999.9999999999999 ms, and the next tick would be due at
        # once, again and again.
        return round(elapsed, 3)

    @property
    def text(self) -> str | None:
        seconds = int(self.elapsed_ms // 1000)
        if self.limit_ms is not None:
            seconds = max(0, -int(-(self.limit_ms - self.elapsed_ms) // 1000))
        hours, rest = divmod(seconds, 3600)
        shown = f"{rest // 60:02d}:{rest % 60:02d}"
        return f"{hours}:{shown}" if hours else shown

    @text.setter
    def text(self, value: str) -> None:
        raise AttributeError("a chronometer shows its time")

    def drawn_text(self) -> str:
        return self.text or ""

    def start(self) -> None:
        if self._since is None:
            self._since = self.activity.world.timers.now()
            self._tick += 1
            self._again()
            self.changed()

    def stop(self) -> None:
        if self._since is not None:
            self._before, self._since = self.elapsed_ms, None
            self.changed()

    def reset(self, limit_ms: float | None = None) -> None:
        self._before, self._since = 0.0, None
        self.limit_ms = limit_ms
        self.changed()

    def _again(self) -> None:
        run = self._tick
        left = TICK_MS - self.elapsed_ms % TICK_MS

        def tick() -> None:
            if run != self._tick or self._since is None:
                return
            if self.limit_ms is not None and self.elapsed_ms >= self.limit_ms:
                self._before, self._since = self.limit_ms, None
                self.changed()
                self.on_end()
                return
            if self.activity.world.front is self.activity:
                self.changed()
            self._again()

        self.activity.world.timers.after(left, tick)


class SwipeRefresh(Frame):
    """Calls `on_refresh` when its child, scrolled to the top, is pulled down. Set `refreshing` to
    False after the refresh."""

    kind = "android.view.ViewGroup"
    draggable = True
    __slots__ = ("_pulled", "_refreshing", "circle", "on_refresh")

    def __init__(
        self, child: View, on_refresh: Callable[[], object], **options: Unpack[Options]
    ) -> None:
        self.on_refresh = on_refresh
        self._pulled, self._refreshing = 0, False
        self.circle = Circle(
            "refresh",
            width=40,
            height=40,
            padding=8,
            radius=20,
            background=theme.CARD,
            color=theme.PRIMARY,
            gravity="center top",
            margin=(0, 16, 0, 0),
            shown=False,
        )
        options.setdefault("width", MATCH)
        super().__init__(child, self.circle, **options)
        for view in child.walk():
            if isinstance(view, Scroll) and not view.across:
                view.on_pull, view.on_release = self.drag_by, self._release
                break

    @property
    def refreshing(self) -> bool:
        return self._refreshing

    @refreshing.setter
    def refreshing(self, value: bool) -> None:
        self._refreshing = value
        self.circle.shown = value

    def takes_drag(self, across: bool) -> bool:
        self._pulled = 0
        return not across and self.enabled

    def drag_by(self, pixels: int) -> None:
        self._pulled = max(0, self._pulled + pixels)

    def drag_end(self, speed: float, dp: float) -> None:
        self._release(dp)

    def drag_cancel(self) -> None:
        self._pulled = 0

    def _release(self, dp: float) -> None:
        pulled, self._pulled = self._pulled, 0
        if pulled > PULL_DP * dp and not self._refreshing:
            self.refreshing = True
            self.on_refresh()


class Circle(Image):
    """The circle that a pulled page shows while it loads."""

    __slots__ = ()

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        edge = round(dp)
        ring = (left - edge, top - edge, right + edge, bottom + edge)
        pen.box(ring, theme.DIVIDER, 21 * dp)
        super().draw(pen, dp)


class Spinning(View):
    """An indeterminate progress bar, as a circle."""

    kind = "android.widget.ProgressBar"
    detailed = True
    __slots__ = ()

    def __init__(self, **options: Unpack[Options]) -> None:
        options.setdefault("width", 48)
        options.setdefault("height", 48)
        super().__init__(**options)

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        side = min(right - left, bottom - top)
        pen.outline(self.place, theme.SECONDARY_CONTAINER, 4 * dp, side / 2)
        x, half = (left + right) // 2, round(3 * dp)
        pen.box((x - half, top - half // 2, x + half, top + 2 * half), theme.PRIMARY, half)
