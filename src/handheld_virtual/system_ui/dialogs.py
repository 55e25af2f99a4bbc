"""System dialogs, which do not belong to an app's activity."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..packages.app import Activity
from ..views.view import View
from ..views.window import Window

if TYPE_CHECKING:
    from ..world import World


class SystemDialog:
    """A system dialog. With `over`, such as a permission dialog has, it is shown only with that
    activity; otherwise it is above all apps and the lock screen."""

    def __init__(
        self, window: Window, component: str, over: Activity | None, on_back: Callable[[], object]
    ) -> None:
        self.window = window
        self.component = component
        """The class of Android's activity that shows it."""
        self.over = over
        self.on_back = on_back
        self.at_bottom = False
        """Whether it is a sheet at the bottom of the screen."""


class SystemDialogs:
    """The open dialogs, the newest on top. The code that opens a dialog also closes it."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._open: list[SystemDialog] = []

    def open(
        self,
        package: str,
        component: str,
        title: str,
        root: View,
        *,
        type: str = "SYSTEM",
        over: Activity | None = None,
        on_back: Callable[[], object] = lambda: None,
    ) -> SystemDialog:
        """Show a dialog of `package`. `type` is the window type, `SYSTEM` or `APPLICATION`.
        `on_back` handles Back, which does not close the dialog by itself."""
        window = self._world.screen.new_window(type, package, title, root)
        dialog = SystemDialog(window, component, over, on_back)
        self._open.append(dialog)
        self._world.panel.close()
        self._world.tasks.front_changed()
        return dialog

    def close(self, dialog: SystemDialog) -> None:
        """Close a dialog, unless it is already closed."""
        if dialog in self._open:
            self._open.remove(dialog)
            self._world.screen.close_window(dialog.window)
            self._world.tasks.front_changed()

    def close_all(self) -> None:
        for dialog in list(self._open):
            self.close(dialog)

    @property
    def shown(self) -> list[SystemDialog]:
        """The dialogs on the screen, the top one last."""
        if not self._open:
            return []
        front = None if self._world.locked else self._world.front
        return [dialog for dialog in self._open if dialog.over in (None, front)]

    @property
    def top(self) -> SystemDialog | None:
        """The focused dialog."""
        shown = self.shown
        return shown[-1] if shown else None

    def holds(self, window: Window) -> bool:
        return any(dialog.window is window for dialog in self._open)

    def back(self) -> bool:
        """Handle Back; return False if there is no dialog."""
        top = self.top
        if top is None:
            return False
        top.on_back()
        return True

    def place(self, room: tuple[int, int, int], dp: float) -> list[Window]:
        """Centre the dialogs in `room` (width, top and bottom); return their windows, top first."""
        shown = list(reversed(self.shown))
        for dialog in shown:
            window = dialog.window
            place = window.place_at_bottom if dialog.at_bottom else window.place_in_middle
            place(room, dp)
        return [dialog.window for dialog in shown]
