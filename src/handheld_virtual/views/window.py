"""Windows: trees of views at a place on the screen, with a focus."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .drawing.pen import Box
from .reading.events import AccessibilityEvents, Changed
from .view import View

if TYPE_CHECKING:
    from ..system.android import Android

DIALOG_MARGIN_DP = 24
WIDEST_DIALOG_DP = 400


class Window:
    """A window. While `is_shown`, it sends accessibility events of its views."""

    def __init__(
        self,
        id: int,
        type: str,
        package: str,
        title: str | None,
        root: View,
        *,
        events: AccessibilityEvents,
        is_shown: Callable[["Window"], bool],
        focus_moved: Callable[["Window"], object] = lambda _: None,
        text_pressed: Callable[[View], object] = lambda _: None,
        now: Callable[[], float] = lambda: 0.0,
        font_scale: float = 1,
        android: "Android",
        refocus: Callable[["Window"], object] = lambda _: None,
    ) -> None:
        self.id = id
        """The window id, which increases with every window and is never reused."""
        self.type = type
        self.package, self.title = package, title
        self.root = root
        root.host = self
        self.now = now
        self.opened = now()
        self.font_scale = font_scale
        self.android = android
        self.focus: View | None = None
        self.anchor: View | None = None
        """The view of another window to which a popup belongs."""
        self.secure = False
        """Whether it is black in screenshots."""
        self.box: Box = (0, 0, 0, 0)
        self._events, self._is_shown = events, is_shown
        self._focus_moved, self._refocus = focus_moved, refocus
        self._text_pressed = text_pressed
        self._dirty = True
        self._quiet = False
        self._dp = 1.0
        self._views = 0

    # Events

    def tree_changed(self, source: View, changes: int) -> None:
        self._dirty = True
        if not self._quiet and self._is_shown(self):
            self._events.content_changed(self.id, source, changes)

    def send(self, kind: str, source: View, changes: int = 0, **details: Any) -> None:
        """Send an event now, as Android does for a visible view."""
        if not self._quiet and self.holds(source) and self._is_shown(self):
            self._events.send(kind, source, changes, **details)

    def send_later(
        self, kind: str, source: View, ms: float, changes: int = 0, *, postpone: bool = False
    ) -> None:
        """Send one event for all changes of the view within `ms`, or with `postpone` until the view
        has not changed for `ms`. It describes the view's final state."""
        later = self._events.postpone if postpone else self._events.send_later

        def send() -> None:
            self.layout()
            self.send(kind, source, changes, **source.event_details(kind))

        later(kind, source, ms, send)

    # Layout

    def tree_dirty(self) -> None:
        """Request a layout without an event, because the size changed, not the content."""
        self._dirty = self.root.stale = True

    def text_pressed(self, field: View) -> None:
        """Handle a long press on a text field."""
        self._text_pressed(field)

    def place(self, box: Box, dp: float) -> None:
        if box != self.box or dp != self._dp:
            self.box, self._dp = box, dp
            self._dirty = True

    def place_in_middle(self, room: tuple[int, int, int], dp: float) -> None:
        """Size the window like a dialog: as large as its content, and centred between a top and a
        bottom."""
        width, top, bottom = room
        across = min(width - round(2 * DIALOG_MARGIN_DP * dp), round(WIDEST_DIALOG_DP * dp))
        self.root.measure(across, bottom - top, dp)
        w, h = self.root.measured
        left, above = (width - w) // 2, (top + bottom - h) // 2
        self.place((left, above, left + w, above + h), dp)

    def place_at_bottom(self, room: tuple[int, int, int], dp: float) -> None:
        """Place a sheet, as wide as the screen, at the bottom."""
        width, top, bottom = room
        self.root.measure(width, bottom - top, dp, exact_w=True)
        self.place((0, bottom - self.root.measured[1], width, bottom), dp)

    def place_at_anchor(self, room: tuple[int, int, int], dp: float) -> None:
        """Place a popup, as wide as its anchor, below the anchor or where it fits."""
        assert self.anchor is not None
        _, top, bottom = room
        left, above, right, _ = self.anchor.place
        self.root.measure(right - left, bottom - top, dp, exact_w=True)
        height = self.root.measured[1]
        above = max(top, min(above, bottom - height))
        self.place((left, above, right, above + height), dp)

    def pad(self, padding: tuple[float, float, float, float]) -> None:
        """Set the insets of system bars and keyboard, in dp."""
        if self.root.padding != padding:
            self.root.padding = padding
            self.tree_dirty()

    def scale_fonts(self, scale: float) -> None:
        """Measure all views again after a change of the font scale."""
        if scale != self.font_scale:
            self.font_scale = scale
            for view in self.root.walk():
                view.stale = True
            self.tree_dirty()

    @property
    def dp(self) -> float:
        return self._dp

    def layout(self) -> None:
        """Lay out the tree if anything has changed."""
        if not self._dirty:
            return
        self._quiet = True  # binding rows is part of the change that caused it
        try:
            left, top, right, bottom = self.box
            self.root.measure(right - left, bottom - top, self._dp, exact_w=True, exact_h=True)
            self.root.arrange(left, top, self._dp)
        finally:
            self._quiet = False
        self._dirty = False
        if self.focus is not None and not self.holds(self.focus):
            self.drop_focus()

    def holds(self, view: View) -> bool:
        """Return whether the view is in this window's tree and shown."""
        last = view
        for last in view.ancestors():
            if not last.shown:
                return False
        return last is self.root

    def focus_view(self, view: View | None) -> bool:
        if view is not self.focus:
            before, self.focus = self.focus, view
            self.tree_dirty()
            if before is not None:
                before.leave_focus()
                self.tree_changed(before, Changed.UNDEFINED)
            if view is not None:
                self.send("VIEW_FOCUSED", view)
        # Even if it already had the focus, because touching a field shows the keyboard again.
        self._focus_moved(self)
        return True

    def drop_focus(self) -> None:
        """Take the focus from a view that was hidden or disabled; another view may get it."""
        self.focus_view(None)
        self._refocus(self)

    def key_of(self, view: View) -> str:
        if not view.number:
            self._views += 1
            view.number = self._views
            view.key = f"{self.id}:{view.number}:{view.virtual}"
        return view.key

    def find(self, key: str) -> View | None:
        """Return the view with this key that is now in the tree."""
        self.layout()
        waiting = [self.root]
        while waiting:
            view = waiting.pop()
            if view.shown:
                if self.key_of(view) == key:
                    return view
                waiting.extend(reversed(view.children))
        return None
