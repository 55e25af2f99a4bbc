"""Typing into the focused field, and the soft keyboard."""

from typing import TYPE_CHECKING

from ..views.layout import Scroll
from ..views.view import View
from ..views.widgets.field import Field
from ..views.window import Window
from . import keyboard
from .text_toolbar import TextToolbar

if TYPE_CHECKING:
    from ..world import World


class InputMethod:
    def __init__(self, world: "World") -> None:
        self._world = world
        self._keys = keyboard.Keyboard(self.commit, self.delete, self.enter)
        self.toolbar = TextToolbar(world)
        self.window: Window | None = None
        """The keyboard's window while it is shown."""

    @property
    def field(self) -> Field | None:
        """The field that receives input."""
        window = self._world.focused_window
        view = window.focus if window is not None else None
        return view if isinstance(view, Field) and view.enabled else None

    def commit(self, text: str) -> None:
        """Replace the selection with the text."""
        field = self.field
        if field is not None:
            field.edit(lambda: field.editing.insert(text))

    def press(self, text: str) -> None:
        """Type with a key, which moves the cursor to the selection's end before it replaces the
        selection."""
        field = self.field
        if field is not None:
            start, end = field.editing.start, field.editing.end
            field.edit(lambda: field.editing.select(end, end))
            field.edit(lambda: field.editing.replace(start, end, text))

    def delete(self) -> None:
        """Delete the selection, or the character before the cursor."""
        field = self.field
        if field is not None:
            field.edit(field.editing.delete)

    def move(self, step: int) -> None:
        """Move the cursor back (-1) or forward (1) by a character, or to the left (-2) or right (2)
        edge of its line."""
        field, window = self.field, self._world.focused_window
        if field is None or window is None:
            return
        if abs(step) == 1:
            field.edit(lambda: field.editing.move(step))
        else:
            window.layout()
            place = field.line_edge(step > 0)
            field.edit(lambda: field.editing.select(place, place))

    def enter(self) -> None:
        field = self.field
        if field is None:
            return
        if field.single_line:
            self.perform_action()
        else:
            self.press("\n")

    def perform_action(self) -> None:
        """Run the field's action. Without one, the next field gets the focus, and after the last
        field the keyboard closes. It never adds a line."""
        field = self.field
        if field is None:
            return
        if field.single_line and field.on_enter is not None:
            field.on_enter()
        elif not self.focus_next(field):
            self.hide()

    def focus_next(self, field: Field) -> bool:
        """Move the focus like Android's Next key; return False after the last field of the
        window."""
        window = self._world.focused_window
        if window is None:
            return False
        fields = [v for v in window.root.walk() if isinstance(v, Field) and window.holds(v)]
        following = fields[fields.index(field) + 1 :] if field in fields else []
        return any(other.take_focus() for other in following)

    def focus_moved(self, window: Window) -> None:
        if window is not self._world.focused_window:
            return
        if self.field is None:
            self.hide()
            return
        if self.window is None:
            for key in self._keys.walk():
                key.number, key.key = 0, ""
            self.window = self._world.screen.new_window(
                "INPUT_METHOD", keyboard.PACKAGE, "Keyboard", self._keys
            )
            self._world.screen.changes.windows_changed()
        self._reveal(self.field)

    def hide(self) -> bool:
        """Hide the keyboard; return False if it was not shown."""
        if self.window is None:
            return False
        self._world.screen.close_window(self.window)
        self.window = None
        self._world.screen.changes.windows_changed()
        return True

    def _reveal(self, view: View) -> None:
        """Scroll a view until the keyboard does not cover it."""
        for window in self._world.windows():
            window.layout()
        scroll = next((v for v in view.ancestors() if isinstance(v, Scroll)), None)
        if scroll is not None:
            _, top, _, bottom = scroll.place
            if view.place[3] > bottom:
                scroll.scroll_by(view.place[3] - bottom)
            elif view.place[1] < top:
                scroll.scroll_by(view.place[1] - top)
