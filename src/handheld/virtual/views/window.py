"""A window: a tree of views at a place on the screen, with a focus."""

from collections.abc import Callable

from .pen import Box
from .view import View

DIALOG_MARGIN_DP = 24
WIDEST_DIALOG_DP = 400


class Window:
    """`changed` is called for every change to the tree while the window is open."""

    def __init__(
        self,
        id: int,
        type: str,
        package: str,
        title: str | None,
        root: View,
        *,
        changed: Callable[["Window"], object],
        focus_moved: Callable[["Window"], object] = lambda _: None,
        text_pressed: Callable[[View], object] = lambda _: None,
        now: Callable[[], float] = lambda: 0.0,
        font_scale: float = 1,
        states_in_text: bool = False,
    ) -> None:
        self.id = id
        """Increases with every window and is never reused."""
        self.type = type
        self.package, self.title = package, title
        self.root = root
        root.host = self
        self.now = now
        self.opened = now()
        self.font_scale = font_scale
        self.states_in_text = states_in_text
        """Whether the text of a switch ends with its state."""
        self.focus: View | None = None
        self.anchor: View | None = None
        """The view of another window that a popup belongs to."""
        self.secure = False
        """It is black in screenshots."""
        self.box: Box = (0, 0, 0, 0)
        self._changed, self._focus_moved = changed, focus_moved
        self._text_pressed = text_pressed
        self._dirty = True
        self._quiet = False
        self._dp = 1.0
        self._views = 0

    def tree_changed(self) -> None:
        self._dirty = True
        if not self._quiet:
            self._changed(self)

    def tree_dirty(self) -> None:
        """Request a layout without notifying anybody: the size changed, not the content."""
        self._dirty = self.root.stale = True

    def text_pressed(self, field: View) -> None:
        """A text field was pressed long."""
        self._text_pressed(field)

    def place(self, box: Box, dp: float) -> None:
        if box != self.box or dp != self._dp:
            self.box, self._dp = box, dp
            self._dirty = True

    def place_in_middle(self, room: tuple[int, int, int], dp: float) -> None:
        """Size the window like a dialog: as large as its content, centred between a top and a
        bottom."""
        width, top, bottom = room
        across = min(width - round(2 * DIALOG_MARGIN_DP * dp), round(WIDEST_DIALOG_DP * dp))
        self.root.measure(across, bottom - top, dp)
        w, h = self.root.measured
        left, above = (width - w) // 2, (top + bottom - h) // 2
        self.place((left, above, left + w, above + h), dp)

    def place_at_bottom(self, room: tuple[int, int, int], dp: float) -> None:
        """Place a sheet as wide as the screen above its bottom."""
        width, top, bottom = room
        self.root.measure(width, bottom - top, dp, exact_w=True)
        self.place((0, bottom - self.root.measured[1], width, bottom), dp)

    def place_at_anchor(self, room: tuple[int, int, int], dp: float) -> None:
        """Place a popup as wide as its anchor below it, or where it fits."""
        assert self.anchor is not None
        _, top, bottom = room
        left, above, right, _ = self.anchor.place
        self.root.measure(right - left, bottom - top, dp, exact_w=True)
        height = self.root.measured[1]
        above = max(top, min(above, bottom - height))
        self.place((left, above, right, above + height), dp)

    def pad(self, padding: tuple[float, float, float, float]) -> None:
        """The insets of system bars and keyboard, in dp."""
        if self.root.padding != padding:
            self.root.padding = padding
            self.tree_dirty()

    def scale_fonts(self, scale: float) -> None:
        """Measure everything again after the font scale changed."""
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
            self.focus = None
            self._focus_moved(self)

    def holds(self, view: View) -> bool:
        """Return whether the view is in this window's tree and shown."""
        last = view
        for last in view.ancestors():
            if not last.shown:
                return False
        return last is self.root

    def focus_view(self, view: View | None) -> bool:
        if view is not self.focus:
            self.focus = view
            self.tree_changed()
        # Also when it had the focus already: touching a field shows the keyboard again.
        self._focus_moved(self)
        return True

    def key_of(self, view: View) -> str:
        if not view.number:
            self._views += 1
            view.number = self._views
            view.key = f"{self.id}:{view.number}:{view.virtual}"
        return view.key

    def find(self, key: str) -> View | None:
        """Return the view with that key that is in the tree now."""
        self.layout()
        waiting = [self.root]
        while waiting:
            view = waiting.pop()
            if view.shown:
                if self.key_of(view) == key:
                    return view
                waiting.extend(reversed(view.children))
        return None
