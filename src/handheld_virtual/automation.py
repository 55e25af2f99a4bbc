"""The phone as an accessibility service sees it: trees of nodes, their actions, and events."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handheld.screen import model

from .system.notifications import Notification
from .views.reading import accessibility
from .views.reading.node_info import NodeInfo, describe
from .views.view import View
from .views.widgets.basic import Text
from .views.widgets.field import Field
from .views.window import Window

if TYPE_CHECKING:
    from .world import World


MOST_HEARD = 50
SECOND_DISPLAY = 2
"""The id of the second display: Android has used 1 for another since boot."""


class AutomationHeld(Exception):
    """Another program holds the phone's only UiAutomation."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"UiAutomation is held by {holder}")
        self.holder = holder


class ReleaseRefused(Exception):
    """Android does not let a program disconnect. The message is Android's."""

    def __init__(self) -> None:
        super().__init__("Calling from not trusted UID!")


class Automation:
    """The phone's accessibility. Reads are never cached; a node's key is the one that the service
    received."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.holder: str | None = None
        self.silent = False
        """Whether Android is too busy to accept a connection."""
        self._locked: int | None = None
        """The rotation that was locked at connection, in quarter turns; None if none was."""
        self.heard: deque[Notification] = deque(maxlen=MOST_HEARD)
        """The notifications received in events since the connection, with their intents."""
        self.heard_count = 0
        """How many notifications were received in all."""
        self.walks = 0
        """For how many more walks `old_windows`, `old_focus` and `old_root` apply."""
        self.old_windows: list[Window] | None = None
        """The windows that are listed instead of those on the screen."""
        self.old_focus: Window | None = None
        """The focused window of `old_windows`."""
        self.old_root: Window | None = None
        """The window whose content is returned for the focused window."""
        self.on_walk: Callable[[], None] | None = None
        """Called when the next walk has read the windows."""
        self._renumbered = 0
        """An offset of window ids, which increases when the service is switched off and on."""

    def take(self, holder: str) -> None:
        """Connect UiAutomation. Raises AutomationHeld."""
        if self.holder not in (None, holder):
            raise AutomationHeld(str(self.holder))
        if self.holder is None:
            self.heard.clear()
            self._locked = None if self._world.display.auto_rotate else self._world.rotation
        self.holder = holder

    def release(self, holder: str, *, keep_rotation: bool = False) -> None:
        """Disconnect. The program restores the rotation lock that it found, unless `keep_rotation`.
        Raises ReleaseRefused."""
        if self.holder != holder:
            return
        if self._world.quirks.keeps_automation:
            raise ReleaseRefused
        self.lose(holder)
        if not keep_rotation:
            if self._locked is not None:
                self._world.preferences.put("system", "user_rotation", str(self._locked))
            self._world.preferences.turn("system", "accelerometer_rotation", self._locked is None)

    def lose(self, holder: str) -> None:
        """Disconnect a program that has exited, after which Android restores nothing."""
        if self.holder == holder:
            self.holder = None
            # Without an accessibility service, Android forgets the window ids.
            self._renumbered += self._world.screen.opened

    # Events

    def hear(self, posted: Notification, hidden: bool) -> None:
        """Record a new notification. `hidden`: the event has only its public version."""
        if self.holder is not None and not hidden:
            self.heard.append(posted)
            self.heard_count += 1

    @property
    def seq(self) -> int:
        """How many events the service has received."""
        self._world.settle()
        return self._world.screen.changes.seq

    async def wait_changed(self, after: int, within_ms: float) -> int:
        """Wait until the count exceeds `after`, or for the given time; return the count."""
        return await self._world.screen.changes.wait(after, within_ms)

    # Reading

    def listed_windows(self) -> list[tuple[int, Window, str | None]]:
        """The windows on the screen, top first: accessibility's id, the window, and for a window
        without a root the reason, `timeout` or `no_root`."""
        self._world.settle()
        return self._list(self._world.windows() if self.old_windows is None else self.old_windows)

    def listed_elsewhere(self) -> list[tuple[int, Window, str | None]]:
        """The same for the windows on a second display."""
        return self._list(self._world.screen.windows_elsewhere())

    def _list(self, windows: list[Window]) -> list[tuple[int, Window, str | None]]:
        return [
            (window.id + self._renumbered, window, self._root_missing(window)) for window in windows
        ]

    def other_displays(self) -> list[int]:
        """The displays other than the phone's own that have windows: Android reports them since
        11."""
        used = self.listed_elsewhere() or self._world.quirks.focus_elsewhere
        return [SECOND_DISPLAY] if used and self._world.android.uiautomator_windows else []

    @property
    def focused_displays(self) -> list[int]:
        """The focused display, if it is not the phone's own and Android reports it."""
        return self.other_displays() if self._world.quirks.focus_elsewhere else []

    @property
    def focused(self) -> Window | None:
        """The window that accessibility considers focused."""
        if self._world.quirks.focus_elsewhere:
            return None
        return self._world.focused_window if self.old_windows is None else self.old_focus

    def end_walk(self) -> None:
        """Record that a program has read all windows once."""
        self.walks -= self.walks > 0
        if not self.walks:
            self.old_windows = self.old_root = None
        if self.on_walk is not None:
            happen, self.on_walk = self.on_walk, None
            happen()

    def read_windows(self) -> list[model.Window]:
        """Every window with a root, top first, with all its nodes."""
        listed, focused = self.listed_windows(), self.focused
        read: list[model.Window] = []
        for place, (number, window, reason) in enumerate(listed):
            if reason is not None:
                continue
            besides = accessibility.Besides({}, {}, {})
            given = self.old_root if window is focused and self.old_root else window
            read.append(
                model.Window(
                    number,
                    window.type,
                    given.package,
                    window.title,
                    len(listed) - 1 - place,
                    window is focused,
                    accessibility.read(given, self._renumbered, besides),
                    *besides,
                )
            )
        return read

    def missing(self) -> list[dict[str, Any]]:
        """The windows without a root, with the reasons."""
        return [
            {"window": number, "package": window.package, "reason": reason}
            for number, window, reason in self.listed_windows()
            if reason is not None
        ]

    def node(self, key: str) -> model.Node | None:
        window = self._window_of(key)
        nodes = [] if window is None else accessibility.read(window, self._renumbered)
        return next((node for node in nodes if node.key == key), None)

    def info(self, key: str) -> NodeInfo | None:
        """A node's other properties: range, collection, actions, state."""
        view = self._view(key)
        old = not self._world.android.state_descriptions
        return None if view is None else describe(view, old)

    def selection(self, key: str) -> tuple[int, int] | None:
        """The cursor or selection of a field, in UTF-16 units; -1 while it is empty."""
        field = self._field(key)
        if field is None:
            return None
        return field.editing.selection if field.content else (-1, -1)

    def multi_line(self, key: str) -> bool:
        field = self._field(key)
        return field is not None and not field.single_line

    # Acting

    def perform(self, key: str, action: str) -> bool:
        """Perform an action. Return the view's result, as Android does: False for an action that
        the view cannot perform now, or a focus that it already has. Raises KeyError for an unknown
        view."""
        self._world.record("perform", key, action)
        view = self._view(key)
        if view is None:
            raise KeyError(key)
        match action:
            case "click":
                self._focus_clicked(view)
                return view.click()
            case "long_click":
                return view.long_click()
            case "scroll_forward":
                return view.scroll_page(True)
            case "scroll_backward":
                return view.scroll_page(False)
            case "focus":
                if view.focused:
                    return False
                self._world.touch_mode.leave()
                return view.take_focus()
            case "ime_enter":
                return self._ime_enter(view)
            case "paste":
                return isinstance(view, Field) and self._paste(view)
            case _:
                raise ValueError(f"no such action: {action}")

    def scroll_to_item(self, key: str, row: int, column: int) -> bool:
        """Perform ACTION_SCROLL_TO_POSITION; return False for a view that does not offer it."""
        view = self._view(key)
        if view is None or not view.scroll_to_item(row, column):
            return False
        self._world.record("perform", key, "scroll_to_position")
        return True

    def _focus_clicked(self, view: View) -> None:
        """A clicked TextView takes the focus, as it does when tapped."""
        takes = isinstance(view, Text) and (view.clickable or view.long_clickable)
        if takes and not view.focused and not self._world.touch_mode.on:
            view.take_focus()

    def _paste(self, field: Field) -> bool:
        """Paste at the cursor, replacing the selection."""
        clipboard = self._world.clipboard
        if not clipboard.paste() or not field.enabled:
            return False

        def insert() -> None:
            field.edit(lambda: field.editing.insert(clipboard.paste() or ""))

        if field.pastes_after_ms:
            self._world.timers.after(field.pastes_after_ms, insert)
        else:
            insert()
        return True

    def _ime_enter(self, view: View) -> bool:
        """Press Enter in a field. Returns True for every field since Android 11, even without an
        effect."""
        if not self._world.android.ime_enter_action or not isinstance(view, Field):
            return False
        if view is self._world.input_method.field:
            self._world.input_method.perform_action()
        return True

    def set_text(self, key: str, text: str) -> bool:
        """Replace a field's text, and move the cursor to its end. Input filters apply. False for an
        unknown or disabled field."""
        self._world.record("perform", key, "set_text")
        field = self._field(key)
        if field is None or not field.enabled:
            return False
        field.set_text(text)
        return True

    def set_selection(self, key: str, start: int, end: int) -> bool:
        """Set the selection in UTF-16 units. False if it is impossible or already set."""
        self._world.record("perform", key, "set_selection")
        field = self._field(key)
        if field is None or field.editing.selection == (start, end) or start > end:
            return False
        done: list[bool] = []
        field.edit(lambda: done.append(field.editing.select_units(start, end)))
        if done[0] and (field.focused or field.take_focus()) and start < end:
            self._world.input_method.toolbar.open(field)
        return done[0]

    # Lookup by key

    def _root_missing(self, window: Window) -> str | None:
        world = self._world
        if window.package in world.frozen_packages:
            return "timeout"
        late = world.timers.now() < window.opened + world.transition_ms
        return "no_root" if late or window.package in world.rootless_packages else None

    def _window_of(self, key: str) -> Window | None:
        """The window that would contain a view with this key, if it can be read now."""
        for number, window, reason in self.listed_windows():
            if key.startswith(f"{number}:") and reason is None:
                return window
        return None

    def _view(self, key: str) -> View | None:
        window = self._window_of(key)
        if window is None:
            return None
        return window.find(accessibility.move_key(key, -self._renumbered))

    def _field(self, key: str) -> Field | None:
        view = self._view(key)
        return view if isinstance(view, Field) else None
