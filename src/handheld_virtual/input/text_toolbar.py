"""The floating toolbar of a text field: cut, copy, paste, select all."""

from typing import TYPE_CHECKING

from ..system.clipboard import Refused
from ..views.drawing import theme
from ..views.layout import Row
from ..views.view import View
from ..views.widgets.basic import Text
from ..views.widgets.field import Field
from ..views.window import Window
from .hard_keys import clip

if TYPE_CHECKING:
    from ..world import World

TITLE = "Pop-Up Window"
"""The title of any popup for accessibility services."""
GAP_DP = 8
LETTERS = {"Cut": "x", "Copy": "c", "Paste": "v", "Select all": "a"}
"""The toolbar's items in Android's order, with the keys of their Ctrl shortcuts. Android also has
Share."""


class TextToolbar:
    """The toolbar next to a field after a long press or with a selection. It is above the field's
    window, never has the focus, and closes when the text, the selection or the focus changes."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._field: Field | None = None
        self._before: object = None
        self._window: Window | None = None

    def open(self, field: View) -> None:
        """Open the toolbar for a field; if it is already open for the field and its selection,
        close it."""
        host, before = self._world.focused_window, self._before if self._window else None
        self.close()
        if not isinstance(field, Field) or self._state(field) == before:
            return
        labels = self._labels(field)
        if not labels or host is None:
            return
        items = [self._item(label) for label in labels]
        root = Row(*items, background=theme.SURFACE_HIGH, radius=20, id="android:id/floating_popup")
        self._field, self._before = field, self._state(field)
        self._window = self._world.screen.new_window("APPLICATION", host.package, TITLE, root)
        self._window.anchor = field
        self._world.screen.changes.windows_changed()

    def _labels(self, field: Field) -> list[str]:
        editing = field.editing
        chosen = editing.start != editing.end
        offered = {
            "Cut": chosen and not field.password,
            "Copy": chosen and not field.password,
            "Paste": self._has_clip(),
            "Select all": editing.end - editing.start < len(editing.text),
        }
        return [label for label, can in offered.items() if can]

    def _has_clip(self) -> bool:
        try:
            return self._world.clipboard.clip is not None
        except Refused:
            return False

    def _item(self, label: str) -> View:
        words = Text(label, size=14, id="android:id/floating_toolbar_menu_item_text")
        return Row(
            words,
            padding=(16, 12),
            description=label,
            focusable=False,
            on_click=lambda: self._choose(label),
            class_name="android.widget.LinearLayout",
        )

    def _choose(self, label: str) -> None:
        field = self._field
        self.close()
        if field is None:
            return
        clip(self._world, field, LETTERS[label])
        if label == "Copy":
            end = field.editing.end
            field.edit(lambda: field.editing.select(end, end))
        elif label == "Select all":
            self.open(field)

    def close(self) -> bool:
        """Close the toolbar; return False if it was not open."""
        window, self._window, self._field = self._window, None, None
        if window is None:
            return False
        self._world.screen.close_window(window)
        self._world.screen.changes.windows_changed()
        return True

    def place(self, room: tuple[int, int, int], dp: float) -> list[Window]:
        """Place the toolbar above the field, or below if there is no space. `room` is the screen's
        width, and the top and bottom of the area between the bars."""
        window, field = self._window, self._field
        if window is None or field is None:
            return []
        if self._state(field) != self._before:
            self._world.screen.close_window(window)
            self._window = self._field = None
            return []
        width, top, bottom = room
        window.root.measure(width, bottom - top, dp)
        wide, high = window.root.measured
        left, above, right, below = field.place
        gap = round(GAP_DP * dp)
        y = above - gap - high if above - gap - high >= top else min(below + gap, bottom - high)
        x = max(0, min((left + right - wide) // 2, width - wide))
        window.place((x, y, x + wide, y + high), dp)
        return [window]

    def _state(self, field: Field) -> object:
        focused = self._world.input_method.field
        return field, focused, field.content, field.editing.start, field.editing.end
