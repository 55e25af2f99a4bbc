"""The screen: every window at its place, top first, the focus, and the system bars."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from .input import buttons, keyboard
from .system_ui import bars
from .system_ui.split import Split
from .views.drawing import theme
from .views.reading.events import AccessibilityEvents
from .views.view import View
from .views.window import Window

if TYPE_CHECKING:
    from .world import World


class Screen:
    """Creates and places windows; their content belongs to the code that opened them."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.changes = AccessibilityEvents(world.timers)
        self.split: Split | None = None
        self.opened = 0
        """How many windows have been opened, which is also the last one's id."""
        self.redesign: Callable[[str, View], object] = lambda package, root: None
        """Changes the views of a new window before it is shown, as an update of its app would: for
        tests of code that remembers the old views."""
        self.status = bars.StatusBar(lambda: world.panel.open("notifications"))
        self._navigation = bars.NavigationBar(lambda button: buttons.press(world, button))
        self._status_window = self.new_window("SYSTEM", bars.PACKAGE, "Status bar", self.status)
        self._navigation_window = self.new_window(
            "SYSTEM", bars.PACKAGE, "Navigation bar", self._navigation
        )

    # Opening and closing

    def new_window(self, type: str, package: str, title: str, root: View) -> Window:
        """Open a system window; apps open activities."""
        self.opened += 1
        self.redesign(package, root)
        return Window(
            self.opened,
            type,
            package,
            title,
            root,
            events=self.changes,
            is_shown=lambda window: window in self.windows(),
            focus_moved=self._world.input_method.focus_moved,
            text_pressed=self._world.input_method.toolbar.open,
            now=self._world.timers.now,
            font_scale=self._world.display.font_scale,
            android=self._world.android,
            refocus=self._world.touch_mode.refocus,
        )

    def close_window(self, window: Window) -> None:
        """Remove it from the screen."""
        self.changes.forget(window.id)

    # Visible windows

    def windows(self) -> list[Window]:
        """The windows on the phone's own display, top first, each at its place."""
        return [window for window in self._placed() if not self._is_elsewhere(window)]

    def windows_elsewhere(self) -> list[Window]:
        """The windows on a second display, which has the same size."""
        return [window for window in self._placed() if self._is_elsewhere(window)]

    def _is_elsewhere(self, window: Window) -> bool:
        other = self._world.quirks.elsewhere
        return other is not None and other in ("", window.package)

    def _placed(self) -> list[Window]:
        world = self._world
        dp = world.density / 160
        width, height = world.width, world.height
        status = round(bars.STATUS_DP * dp)
        typing = world.input_method.window
        keys = round(keyboard.height_dp(width > height) * dp) if typing is not None else 0
        before, after, below = bars.insets(world.rotation, round(bars.NAVIGATION_DP * dp))
        bottom = height - below
        self._status_window.place((0, 0, width, status), dp)
        self._status_window.pad((before / dp, 0, after / dp, 0))
        place = (0 if before or below else width - after, 0 if not below else bottom)
        self._navigation_window.place((*place, before or width, height), dp)
        panel, locked, dialogs = world.panel.window, world.keyguard.window, world.system_dialogs
        if panel is not None:
            # Android does not list a window that is completely covered.
            panel.place((0, 0, width, height), dp)
            return [self._navigation_window, panel]
        if locked is not None:
            locked.place((0, 0, width, height), dp)
            shown = [self._navigation_window] if world.keyguard.asking else []
            return [*shown, *dialogs.place((width, status, bottom), dp), locked]
        front = world.tasks.front
        if front is not None and front.immersive:
            shown = world.clipboard_overlay.place(before, bottom, dp)
            shown += dialogs.place((width, status, bottom), dp)
            return shown + front.own_windows((0, 0, width, height), dp)
        shown = [self._navigation_window, self._status_window]
        shown += world.clipboard_overlay.place(before, bottom - keys, dp)
        if typing is not None:
            typing.place((before, bottom - keys, width - after, bottom), dp)
            shown.append(typing)
        shown += dialogs.place((width, status, bottom - keys), dp)
        if front is None:
            return shown
        shown += world.input_method.toolbar.place((width, status, bottom - keys), dp)
        for dialog in reversed(front.dialogs):
            place = dialog.place_in_middle if dialog.anchor is None else dialog.place_at_anchor
            place((width, status, bottom - keys), dp)
            shown.append(dialog)
        if (split := self._shown_split) is not None:
            area = (before, 0, width - after, height)
            shown += split.place(area, status, below + keys, dp, front)
        elif front.window is not None:
            front.window.pad((before / dp, status / dp, after / dp, (below + keys) / dp))
            front.window.place((0, 0, width, height), dp)
            shown.append(front.window)
        return shown

    @property
    def focused_window(self) -> Window | None:
        """The window that receives keys."""
        world = self._world
        if world.panel.window is not None:
            return world.panel.window
        if (dialog := world.system_dialogs.top) is not None:
            return dialog.window
        if world.locked:
            return world.keyguard.window
        front = world.front
        return front.dialogs[-1] if front.dialogs else front.window

    def touchable(self) -> list[Window]:
        """The windows that can be touched, top first. The focused window blocks those under it."""
        found: list[Window] = []
        halved = self._shown_split is not None and not self._world.front.dialogs
        for window in self.windows():
            if window.package not in self._world.frozen_packages:
                found.append(window)
            if self._world.system_dialogs.holds(window):
                break
            if window is self.focused_window and not halved:
                break
        return found

    @property
    def _shown_split(self) -> Split | None:
        """The split screen, while two apps share the screen."""
        if self.split is None or self._world.front not in self.split.halves:
            return None
        last = self._world.tasks.last
        return self.split if all(last(half.app) is half for half in self.split.halves) else None

    def touch_outside(self, x: float, y: float) -> bool:
        """Close a popup if the touch is outside it; return whether there was one."""
        popup = self.focused_window
        if popup is None or popup.anchor is None:
            return False
        left, top, right, bottom = popup.box
        if left <= x < right and top <= y < bottom:
            return False
        self._world.front.close_dialog()
        return True

    def focus_half(self, x: float, y: float) -> None:
        """Focus the touched half of a split screen."""
        if (split := self._shown_split) is None:
            return
        for window in self.touchable():
            left, top, right, bottom = window.box
            if left <= x < right and top <= y < bottom:
                for half in split.halves:
                    if half.window is window:
                        self._world.tasks.bring(half.app)
                return

    @property
    def secure_windows(self) -> list[str]:
        return [window.title or "" for window in self.windows() if self.is_secure(window)]

    def is_secure(self, window: Window) -> bool:
        """Whether the window is black in screenshots."""
        return window.secure or window.package in self._world.secure_packages

    # Appearance

    def signs_changed(self) -> None:
        """Update the status bar after a change of notifications or radios."""
        world, icons = self._world, dict[str, tuple[str, str]]()
        for notification in world.notifications.shown:
            app = world.apps.get(notification.package)
            label, icon = (app.label, app.icon) if app is not None else ("", "")
            words = f"{label} notification: {notification.title}"
            icons.setdefault(notification.package, (icon or "bell", words))
        self.status.show_notifications(list(icons.values()), world.switches)
        self._refresh()

    def tick(self) -> None:
        """Update the status bar's clock, now and at every minute."""
        now = self._world.timers.now()
        self.show_time()
        self._refresh()
        self._world.timers.after(60000 - now % 60000, self.tick)

    def show_time(self) -> None:
        shown = self._world.wall.now()
        self.status.clock.text = f"{shown.hour}:{shown.minute:02d}"

    def turned(self) -> None:
        """Lay out the screen after it was rotated or resized."""
        self._navigation.turn(self._world.rotation)
        for activity in self._world.tasks.all:
            activity.turned()
        self._refresh()
        self.changes.windows_changed()

    def fonts_scaled(self) -> None:
        """Lay out the screen after a change of the font scale."""
        windows = {*self.windows(), self._status_window, self._world.keyguard.window}
        for activity in self._world.tasks.all:
            windows.update((activity.window, *activity.dialogs))
        for window in windows:
            if window is not None:
                window.scale_fonts(self._world.display.font_scale)
        self.changes.windows_changed()

    def paint_bars(self) -> None:
        """Draw the icons of the bars in a colour that contrasts with the app below."""
        world = self._world
        dark = (world.front.dark_bars or world.locked) and world.panel.window is None
        color = theme.WHITE if dark else theme.ON_SURFACE
        self.status.paint(color)
        self._navigation.paint(color)

    def _refresh(self) -> None:
        self._world.panel.refresh()
        self._world.keyguard.show()
