"""Touch mode: whether the last input was a touch or a key. After a touch, only fields keep the
focus; a key first gives the focus to a view."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..views.view import View
from ..views.widgets.field import Field
from ..views.window import Window
from .key_codes import CODES
from .keys import character

if TYPE_CHECKING:
    from ..world import World

NAVIGATION = {
    CODES[name]
    for name in (
        *("DPAD_UP", "DPAD_DOWN", "DPAD_LEFT", "DPAD_RIGHT", "DPAD_CENTER"),
        *("PAGE_UP", "PAGE_DOWN", "MOVE_HOME", "MOVE_END", "TAB", "SPACE", "ENTER"),
    )
}
"""Keys that leave touch mode, and only give a view the focus when they do."""


class TouchMode:
    def __init__(self, world: "World") -> None:
        self._world = world
        self.on = True

    def enter(self) -> None:
        """Enter touch mode, because a finger touches the screen."""
        self.on = True
        window = self._world.focused_window
        if window is not None and window.focus is not None and not window.focus.keeps_focus:
            window.focus_view(None)

    def leave(self) -> bool:
        """Leave touch mode, because a key is pressed or an accessibility service moves the focus.
        Return whether a view got the focus because none had it."""
        if not self.on:
            return False
        self.on = False
        window = self._world.focused_window
        if window is None or window.focus is not None:
            return False
        return self._focus_first(window)

    def _focus_first(self, window: Window) -> bool:
        window.layout()
        views = focusable_views(window)
        return bool(views) and views[0].take_focus()

    def refocus(self, window: Window) -> bool:
        """Move the focus from a view that can no longer have it; return whether another view got
        it."""
        if self.on or window is not self._world.focused_window:
            return False
        return self._focus_first(window)

    def take_key(self, code: int) -> bool:
        """Return whether the key was consumed by giving a view the focus."""
        if code in NAVIGATION:
            window = self._world.focused_window
            if not self.leave() or window is None:
                return False
            # The field has not received the key-down event, so the key-up event moves the focus on.
            field = window.focus
            if code == CODES["ENTER"] and isinstance(field, Field) and field.single_line:
                self._world.input_method.focus_next(field)
            return True
        typed = character(code)
        if typed is not None and typed.isprintable():
            self.leave()
        return False


def focusable_views(window: Window) -> list[View]:
    """The focusable views in focus order. The content of a scrolling container precedes the
    container."""
    left, top, right, bottom = window.box
    views = [
        view
        for view in shown_views(window.root)
        if view.focusable
        and view.enabled
        and left <= middle(view)[0] < right
        and top <= middle(view)[1] < bottom
    ]
    holders = {id(above) for view in views for above in view.ancestors() if above is not view}
    return [view for view in views if not (view.scrollable and id(view) in holders)]


def shown_views(view: View) -> Iterator[View]:
    """The view and its descendants that are not GONE, in pre-order."""
    yield view
    for child in view.children:
        if child.shown:
            yield from shown_views(child)


def middle(view: View) -> tuple[float, float]:
    left, top, right, bottom = view.place
    return (left + right) / 2, (top + bottom) / 2
