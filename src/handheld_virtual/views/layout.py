"""Containers: frames, columns, rows, grids, scroll views and pagers."""

import math
from collections.abc import Callable
from typing import Any, Unpack

from .options import Options
from .reading.events import HELD_MS
from .view import UNBOUNDED, View

SLOWEST_FLING_DP = 50
"""The minimum speed of a fling, in dp per second."""
TURNING_FLING_DP = 400
"""The speed in dp per second that turns a page even after a short drag."""
_FRICTION = 0.015 * 9.80665 * 39.37 * 0.84 * 160
"""The friction of Android's OverScroller, per dp: friction, gravity in inches, and its
coefficient."""
_INFLEXION = 0.35
_RATE = math.log(0.78) / math.log(0.9)


def fling_distance(speed: float, dp: float) -> float:
    """Return how many pixels content moves on after a finger was lifted at this speed."""
    friction = _FRICTION * dp
    return friction * (_INFLEXION * speed / friction) ** (_RATE / (_RATE - 1))


class Frame(View):
    """Stacks its children; later children are above earlier ones."""

    kind = "android.widget.FrameLayout"
    __slots__ = ()


class Linear(View):
    """Places children one after another, `gap` dp apart."""

    kind = "android.widget.LinearLayout"
    down = True
    __slots__ = ("gap",)

    def __init__(self, *children: View, gap: float = 0, **options: Unpack[Options]) -> None:
        self.gap = gap
        super().__init__(*children, **options)

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        down = self.down
        along = room_h if down else room_w
        shown = [child for child in self.children if child.shown]
        used = round(self.gap * dp) * max(0, len(shown) - 1)
        weights = 0.0
        bounded = along < UNBOUNDED
        for child in shown:
            before, after = _margins(child, down, dp)
            used += before + after
            if child.weight and bounded:
                weights += child.weight
                continue
            self._measure_child(child, room_w, room_h, max(0, along - used), dp, False)
            used += child.measured[1 if down else 0]
        left = max(0, along - used)
        most = 0
        for child in shown:
            if child.weight and bounded:
                share = round(left * child.weight / weights)
                left -= share
                weights -= child.weight
                self._measure_child(child, room_w, room_h, share, dp, True)
                used += share
            before, after = _margins(child, not down, dp)
            most = max(most, child.measured[0 if down else 1] + before + after)
        return (most, used) if down else (used, most)

    def _measure_child(
        self, child: View, room_w: int, room_h: int, along: int, dp: float, exact: bool
    ) -> None:
        before, after = _margins(child, not self.down, dp)
        if self.down:
            child.measure(max(0, room_w - before - after), along, dp, exact_h=exact)
        else:
            child.measure(along, max(0, room_h - before - after), dp, exact_w=exact)

    def arrange_children(self, dp: float) -> None:
        left, top, right, bottom = self.inner(dp)
        gap = round(self.gap * dp)
        # Along the axis, children are packed at the start, in the middle or at the end.
        shown = [child for child in self.children if child.shown]
        end = "bottom" if self.down else "right"
        if self.content_gravity == "center" or end in self.content_gravity:
            size = gap * max(0, len(shown) - 1)
            for child in shown:
                size += sum(_margins(child, self.down, dp)) + child.measured[1 if self.down else 0]
            spare = (bottom - top if self.down else right - left) - size
            shift = spare if end in self.content_gravity else spare // 2
            if self.down:
                top += shift
            else:
                left += shift
        for child in shown:
            width, height = child.measured
            gravity = child.gravity or self.content_gravity
            before, after = _margins(child, self.down, dp)
            if self.down:
                size = before + height + after
                child.arrange_in((left, top, right, top + size), gravity, dp)
                top += size + gap
            else:
                size = before + width + after
                child.arrange_in((left, top, left + size, bottom), gravity, dp)
                left += size + gap


class Column(Linear):
    __slots__ = ()


class Row(Linear):
    down = False
    __slots__ = ()


def _margins(child: View, down: bool, dp: float) -> tuple[int, int]:
    left, top, right, bottom = child.margin
    return (round(top * dp), round(bottom * dp)) if down else (round(left * dp), round(right * dp))


class Grid(View):
    """A grid of equal cells, filled row by row; children fill their cells when `fill` is set."""

    kind = "android.widget.GridLayout"
    __slots__ = ("columns", "fill", "gap")

    def __init__(
        self,
        *children: View,
        columns: int,
        gap: float = 0,
        fill: bool = True,
        **options: Unpack[Options],
    ) -> None:
        self.columns, self.gap, self.fill = columns, gap, fill
        super().__init__(*children, **options)

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        shown = [child for child in self.children if child.shown]
        rows = -(-len(shown) // self.columns) or 1
        gap = round(self.gap * dp)
        width = max(0, (room_w - gap * (self.columns - 1)) // self.columns)
        bounded = exact_h and room_h < UNBOUNDED
        height = max(0, (room_h - gap * (rows - 1)) // rows) if bounded else room_h
        most = 0
        for child in shown:
            child.measure(width, height, dp, exact_w=self.fill, exact_h=self.fill and bounded)
            most = max(most, child.measured[1])
        if self.fill and not bounded:
            for child in shown:
                child.measure(width, most, dp, exact_w=True, exact_h=True)
        return room_w, room_h if bounded else most * rows + gap * (rows - 1)

    def arrange_children(self, dp: float) -> None:
        left, top, right, bottom = self.inner(dp)
        shown = [child for child in self.children if child.shown]
        rows = -(-len(shown) // self.columns) or 1
        gap = round(self.gap * dp)
        width = (right - left - gap * (self.columns - 1)) // self.columns
        height = (bottom - top - gap * (rows - 1)) // rows
        for number, child in enumerate(shown):
            row, column = divmod(number, self.columns)
            x, y = left + column * (width + gap), top + row * (height + gap)
            child.arrange_in(
                (x, y, x + width, y + height), child.gravity or self.content_gravity, dp
            )


class Scroll(View):
    """Scrolls one child vertically."""

    kind = "android.widget.ScrollView"
    scrollable = True
    across = False
    directed = True
    """Whether it offers ACTION_SCROLL_DOWN etc., and not only ACTION_SCROLL_FORWARD."""
    """Scrolls horizontally instead."""
    __slots__ = ("extent", "offset", "on_pull", "on_release", "viewport")

    def __init__(self, *children: View, **options: Unpack[Options]) -> None:
        self.offset = 0
        """The scroll position in pixels."""
        self.extent = self.viewport = 0
        self.on_pull: Callable[[int], object] | None = None
        """Receives the pixels that a finger pulls down beyond the top."""
        self.on_release: Callable[[float], object] | None = None
        """Called with the pixels per dp when a finger that pulled down is lifted."""
        options.setdefault("focusable", True)
        super().__init__(*children, **options)

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        if self.across:
            room_w = UNBOUNDED
        else:
            room_h = UNBOUNDED
        size = super().measure_content(room_w, room_h, dp, exact_w, exact_h)
        self.extent = size[0 if self.across else 1]
        return size

    def arrange_children(self, dp: float) -> None:
        left, top, right, bottom = self.inner(dp)
        self.viewport = right - left if self.across else bottom - top
        self.offset = max(0, min(self.offset, self.extent - self.viewport))
        if self.across:
            box = (left - self.offset, top, left - self.offset + self.extent, bottom)
        else:
            box = (left, top - self.offset, right, top - self.offset + self.extent)
        for child in self.children:
            if child.shown:
                child.arrange_in(box, child.gravity, dp)

    def can_scroll(self, forward: bool | None = None) -> bool:
        if forward is None:
            return self.extent > self.viewport
        return self.offset < self.extent - self.viewport if forward else self.offset > 0

    def scroll_by(self, pixels: int) -> bool:
        """Scroll down or right if positive; return False at the end."""
        offset = max(0, min(self.offset + pixels, self.extent - self.viewport))
        if offset == self.offset:
            return False
        self.offset = offset
        self.changed()
        if (host := self.root_host()) is not None:
            host.send_later("VIEW_SCROLLED", self, HELD_MS)
        return True

    def event_details(self, kind: str) -> dict[str, Any]:
        return {"y": self.offset, "most": max(0, self.extent - self.viewport)}

    def scroll_page(self, forward: bool) -> bool:
        return self._enabled and self.scroll_by(self.viewport if forward else -self.viewport)

    def takes_drag(self, across: bool) -> bool:
        return across is self.across and self.can_scroll()

    def drag_by(self, pixels: int) -> None:
        before = self.offset
        self.scroll_by(-pixels)
        if self.on_pull is not None and self.offset == 0:
            self.on_pull(pixels - before)

    def drag_end(self, speed: float, dp: float) -> None:
        """Move immediately to the position where Android's list would come to rest a moment
        later."""
        if abs(speed) >= SLOWEST_FLING_DP * dp:
            self.scroll_by(-int(math.copysign(fling_distance(abs(speed), dp), speed)))
        if self.on_release is not None:
            self.on_release(dp)


class HorizontalScroll(Scroll):
    """Scrolls one child horizontally."""

    kind = "android.widget.HorizontalScrollView"
    across = True
    __slots__ = ()


class Pager(HorizontalScroll):
    """Pages side by side, each as large as the view. A drag that is long or fast enough turns the
    page."""

    kind = "androidx.viewpager.widget.ViewPager"
    __slots__ = ("dragged", "on_turn")

    def __init__(
        self,
        *pages: View,
        on_turn: Callable[[int], object] | None = None,
        **options: Unpack[Options],
    ) -> None:
        self.on_turn = on_turn
        """Called with the number of the new page."""
        self.dragged = 0
        """The offset at the start of the current drag."""
        super().__init__(*pages, **options)

    def measure_content(
        self, room_w: int, room_h: int, dp: float, exact_w: bool, exact_h: bool
    ) -> tuple[int, int]:
        for page in self.children:
            page.measure(room_w, room_h, dp, exact_w=True, exact_h=True)
        if self.viewport not in (0, room_w):
            self.offset = self.page * room_w  # a rotation keeps the page
        self.extent, self.viewport = room_w * len(self.children), room_w
        return room_w, room_h

    def arrange_children(self, dp: float) -> None:
        left, top, right, _ = self.inner(dp)
        for number, page in enumerate(self.children):
            page.arrange(left + number * (right - left) - self.offset, top, dp)

    @property
    def page(self) -> int:
        """The number of the page that fills most of the view."""
        return round(self.offset / self.viewport) if self.viewport else 0

    def turn(self, page: int) -> bool:
        """Turn to a page; return False if it is already shown or does not exist."""
        page = max(0, min(page, len(self.children) - 1))
        moved = self.scroll_by(page * self.viewport - self.offset)
        if moved and self.on_turn is not None:
            self.on_turn(page)
        return moved

    def scroll_page(self, forward: bool) -> bool:
        return self._enabled and self.turn(self.page + (1 if forward else -1))

    def takes_drag(self, across: bool) -> bool:
        self.dragged = self.page
        return super().takes_drag(across)

    def drag_end(self, speed: float, dp: float) -> None:
        page = self.page
        if abs(speed) >= TURNING_FLING_DP * dp:
            page = self.dragged + (1 if speed < 0 else -1)
        self._settle(max(self.dragged - 1, min(page, self.dragged + 1)))

    def drag_cancel(self) -> None:
        self._settle(self.dragged)

    def _settle(self, page: int) -> None:
        page = max(0, min(page, len(self.children) - 1))
        self.scroll_by(page * self.viewport - self.offset)
        if page != self.dragged and self.on_turn is not None:
            self.on_turn(page)
