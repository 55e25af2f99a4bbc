"""The state of a virtual phone: its apps, its windows, and everything that can be done to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ..ui import model
from . import accessibility, bars, keyboard, theme
from .app import Activity, App, Decor
from .clock import Clock, RealClock
from .keys import DELETE, ENTER, character
from .layout import Scroll
from .timers import Changes, Timers
from .touch import Touch
from .views import View
from .widgets import Field
from .windows import Window

if TYPE_CHECKING:
    from PIL import Image

MOST_EVENTS = 100_000
START = 9 * 60 + 41
"""Minutes after midnight when the phone is switched on."""
HOME = "com.android.launcher3"


class NotInstalled(Exception):
    """No such package on the phone."""


class NotLaunchable(Exception):
    """The package is there but has nothing that a launcher could start."""


class AutomationHeld(Exception):
    """Another program has UiAutomation, and there is only one."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"UiAutomation is held by {holder}")
        self.holder = holder


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done to the phone from outside."""

    kind: str
    """touch, press, key, type, perform, launch"""
    details: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Package:
    package: str
    label: str
    version: str
    launchable: bool
    system: bool


class Task:
    """An app's activities, the newest last."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.activities: list[Activity] = []


class World:
    """Switched on and at the home screen once made. Not safe for several threads."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        api: int = 34,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
    ) -> None:
        self.clock: Clock = clock or RealClock()
        self.api, self.width, self.height, self.density = api, width, height, density
        self.rotation = 0
        self.boot_id = str(UUID(int=0x5EED0000000040008000000000000001))
        self.awake = True
        self.locked = False
        self.automation_holder: str | None = None
        self.frozen_packages: set[str] = set()
        """Apps that answer nothing: their windows give no root and take no touch."""
        self.rootless_packages: set[str] = set()
        """Apps whose windows give no root for now, as in a transition."""
        self.secure_packages: set[str] = set()
        """Apps whose windows come out black."""
        self.transition_ms = 0.0
        """How long a new window gives no root."""
        self.events: list[Event] = []
        self.foreground: tuple[str, str] | None = None
        self.timers = Timers(self.clock)
        self._changes = Changes(self.timers)
        self._windows = 0
        self.apps: dict[str, App] = {}
        self._tasks: list[Task] = []
        self._status = bars.StatusBar()
        self._navigation = bars.NavigationBar(self._press)
        self._keys = keyboard.Keyboard(self._commit, self._delete, self._enter)
        self._status_window = self._new_window("SYSTEM", bars.PACKAGE, "Status bar", self._status)
        self._navigation_window = self._new_window(
            "SYSTEM", bars.PACKAGE, "Navigation bar", self._navigation
        )
        self._keyboard_window: Window | None = None
        self._touch = Touch(self.timers, self._touchable)
        self._tick()
        from .apps import installed

        for kind in installed():
            self.install(kind)
        self.bring(HOME)

    # Apps

    def install(self, kind: type[App]) -> App:
        app = self.apps[kind.package] = kind(self)
        return app

    @property
    def packages(self) -> list[Package]:
        return [
            Package(app.package, app.label, app.version, app.launchable, app.system)
            for app in self.apps.values()
        ]

    def launch(self, package: str) -> str:
        """Bring the package's task to the front, or start it; the class of the activity there."""
        self.settle()
        self._record("launch", package)
        return self.bring(package)

    def start(self, package: str, activity: str, extras: Mapping[str, str] | None = None) -> str:
        """Open one activity by name, as `am start -n` does. KeyError when there is none such."""
        self.settle()
        app = self._app(package)
        name = activity.removeprefix(package) if activity.startswith(package + ".") else activity
        kind = app.activities[name]
        self._record("launch", package, name)
        self.open(kind(app, extras))
        return self.front.class_name

    def show(self, package_or_scene: str) -> None:
        """For tests: an app, or a scene of the testbed, to the front without an input event."""
        self.settle()
        if package_or_scene in self.apps and self.apps[package_or_scene].launchable:
            self.bring(package_or_scene)
            return
        self.show_scene(package_or_scene)

    def show_scene(self, scene: str, **extras: str) -> Activity:
        """For tests: a new activity of the testbed."""
        self.settle()
        app = self.apps["dev.handheld.testbed"]
        name = "." + "".join(word.capitalize() for word in scene.split("_"))
        if name not in app.activities:
            raise KeyError(f"no app and no scene is called {scene}")
        self._tasks = [task for task in self._tasks if task.app is not app]
        activity = app.activities[name](app, extras)
        self.open(activity)
        return activity

    def show_nodes(self, count: int) -> None:
        """For tests: a screen of exactly so many nodes, counted over all windows."""
        others = len(accessibility.read(self._status_window))
        others += len(accessibility.read(self._navigation_window))
        self.show_scene("nodes", count=str(count - others))

    def _app(self, package: str) -> App:
        app = self.apps.get(package)
        if app is None:
            raise NotInstalled(package)
        return app

    def bring(self, package: str) -> str:
        """To the front without an input event: what a tap on an app's sign does."""
        app = self._app(package)
        if app.main is None:
            raise NotLaunchable(package)
        task = next((task for task in self._tasks if task.app is app), None)
        if task is None:
            self.open(app.activities[app.main](app))
        elif task is not self._tasks[-1]:
            self._tasks.remove(task)
            self._tasks.append(task)
            self._front_changed()
        return self.front.class_name

    @property
    def front(self) -> Activity:
        """The activity on the screen."""
        return self._tasks[-1].activities[-1]

    def open(self, activity: Activity) -> None:
        """Show an activity above the ones its app has open."""
        task = next((task for task in self._tasks if task.app is activity.app), None)
        if task is None:
            task = Task(activity.app)
        else:
            self._tasks.remove(task)
        self._tasks.append(task)
        task.activities.append(activity)
        root = Decor(activity.content(), activity.wallpaper)
        activity.window = self._new_window(
            "APPLICATION", activity.app.package, activity.title, root
        )
        self._front_changed()

    def finish(self, activity: Activity) -> None:
        """Close an activity; the one below it, or home, comes to the front."""
        for task in self._tasks:
            if activity in task.activities:
                task.activities.remove(activity)
                if activity.window is not None:
                    self._changes.forget(activity.window.id)
                if not task.activities:
                    self._tasks.remove(task)
                break
        else:
            return
        if not self._tasks or (not task.activities and self._tasks[-1].app.package != HOME):
            self.bring(HOME)
        self._front_changed()

    def _back(self) -> None:
        if self._keyboard_window is not None:
            self._hide_keyboard()
            return
        front = self.front
        if front.dialogs:
            self.close_dialog(front)
        elif front.app.package in self.frozen_packages or front.back():
            return
        elif len(self._tasks[-1].activities) > 1 or (
            # Since Android 12 an app's first activity goes to the back and is not closed.
            self.api < 31 and front.app.package != HOME
        ):
            self.finish(front)
        else:
            self.bring(HOME)

    def open_dialog(self, activity: Activity, title: str, root: View) -> None:
        window = self._new_window("APPLICATION", activity.app.package, title, root)
        activity.dialogs.append(window)
        self._front_changed()

    def close_dialog(self, activity: Activity) -> None:
        if activity.dialogs:
            self._changes.forget(activity.dialogs.pop().id)
            self._front_changed()

    # Windows

    def _new_window(self, type: str, package: str, title: str, root: View) -> Window:
        self._windows += 1
        return Window(
            self._windows,
            type,
            package,
            title,
            root,
            changed=self._content_changed,
            focus_moved=self._focus_moved,
            opened=self.timers.now(),
        )

    def _front_changed(self) -> None:
        """Another window has come to the front."""
        front = self.front
        self.foreground = (front.app.package, front.class_name)
        self._touch.cancel_all()
        self._hide_keyboard()
        self._changes.count()

    def _content_changed(self, window: Window) -> None:
        if window in self.windows():
            self._changes.content(window.id)

    def windows(self) -> list[Window]:
        """What is on the screen, top first, each at its place."""
        dp = self.density / 160
        status, navigation = round(bars.STATUS_DP * dp), round(bars.NAVIGATION_DP * dp)
        width, height = self.width, self.height
        keys = round(keyboard.HEIGHT_DP * dp) if self._keyboard_window is not None else 0
        bottom = height - navigation
        self._status_window.place((0, 0, width, status), dp)
        self._navigation_window.place((0, bottom, width, height), dp)
        shown = [self._navigation_window, self._status_window]
        if self._keyboard_window is not None:
            self._keyboard_window.place((0, bottom - keys, width, bottom), dp)
            shown.append(self._keyboard_window)
        if not self._tasks:
            return shown
        front = self.front
        for dialog in reversed(front.dialogs):
            across = min(width - round(48 * dp), round(400 * dp))
            dialog.root.measure(across, height - status - navigation - keys, dp)
            w, h = dialog.root.measured
            left, top = (width - w) // 2, (status + height - navigation - keys - h) // 2
            dialog.place((left, top, left + w, top + h), dp)
            shown.append(dialog)
        window = front.window
        if window is not None:
            padding = (0.0, status / dp, 0.0, (navigation + keys) / dp)
            if window.root.padding != padding:
                window.root.padding = padding
                window.tree_dirty()
            window.place((0, 0, width, height), dp)
            shown.append(window)
        return shown

    def _focused_window(self) -> Window | None:
        front = self.front
        return front.dialogs[-1] if front.dialogs else front.window

    def _touchable(self) -> list[Window]:
        """Top first. A dialog keeps touches from what is under it."""
        found: list[Window] = []
        for window in self.windows():
            if window.package not in self.frozen_packages:
                found.append(window)
            if window.type == "APPLICATION":
                break
        return found

    def _root_missing(self, window: Window) -> str | None:
        if window.package in self.frozen_packages:
            return "timeout"
        late = self.timers.now() < window.opened + self.transition_ms
        return "no_root" if late or window.package in self.rootless_packages else None

    def read_windows(self) -> list[model.Window]:
        """Every window with a root, top first, with all its nodes, fresh."""
        self.settle()
        shown = self.windows()
        focused = self._focused_window()
        return [
            model.Window(
                window.id,
                window.type,
                window.package,
                window.title,
                len(shown) - 1 - number,
                window is focused,
                accessibility.read(window),
            )
            for number, window in enumerate(shown)
            if self._root_missing(window) is None
        ]

    def missing(self) -> list[dict[str, Any]]:
        """The windows that give no root, and why: `timeout` or `no_root`."""
        self.settle()
        return [
            {"window": window.id, "package": window.package, "reason": reason}
            for window in self.windows()
            if (reason := self._root_missing(window)) is not None
        ]

    @property
    def secure_windows(self) -> list[str]:
        return [window.title or "" for window in self.windows() if self.is_secure(window)]

    def is_secure(self, window: Window) -> bool:
        return window.secure or window.package in self.secure_packages

    def node(self, key: str) -> model.Node | None:
        self.settle()
        for window in self.windows():
            if key.startswith(f"{window.id}:") and self._root_missing(window) is None:
                return next((n for n in accessibility.read(window) if n.key == key), None)
        return None

    # What is done to it

    def settle(self) -> None:
        """Let happen what is due by the clock."""
        self.timers.run_due()

    @property
    def seq(self) -> int:
        """How many changes an accessibility service has been told of."""
        self.settle()
        return self._changes.seq

    async def wait_changed(self, after: int, within_ms: float) -> int:
        """The count once it is over `after`, or as it is when the time is over."""
        return await self._changes.wait(after, within_ms)

    def _record(self, kind: str, *details: object) -> None:
        self.events.append(Event(kind, details))
        if len(self.events) > MOST_EVENTS:
            del self.events[: MOST_EVENTS // 10]

    def perform(self, key: str, action: str) -> bool:
        """Do an accessibility action; False when the view does not take it, KeyError when there is
        no such view."""
        self.settle()
        self._record("perform", key, action)
        for window in self.windows():
            if key.startswith(f"{window.id}:") and self._root_missing(window) is None:
                view = window.find(key)
                if view is not None:
                    return self._act(view, action)
        raise KeyError(key)

    def _act(self, view: View, action: str) -> bool:
        match action:
            case "click":
                return view.click()
            case "long_click":
                return view.long_click()
            case "scroll_forward":
                return view.scroll_page(True)
            case "scroll_backward":
                return view.scroll_page(False)
            case "focus":
                return view.take_focus()
            case _:
                raise ValueError(f"no such action: {action}")

    def touch(self, action: str, pointer: int, x: float, y: float) -> None:
        """A finger's down, move, up or cancel. A dark screen takes none of it."""
        self.settle()
        self._record("touch", action, pointer, x, y)
        if not self.awake:
            self._touch.cancel_all()
            return
        match action:
            case "down":
                self._touch.put(pointer, x, y)
            case "move":
                self._touch.move(pointer, x, y)
            case "up":
                self._touch.lift(pointer, x, y)
            case "cancel":
                self._touch.cancel(pointer)
            case _:
                raise ValueError(f"no such touch: {action}")

    def press(self, button: str) -> bool:
        """A global action; False when this phone does not offer it."""
        self.settle()
        self._record("press", button)
        return self._press(button)

    def _press(self, button: str) -> bool:
        if not self.awake:
            return False
        if button == "back":
            self._back()
        elif button == "home":
            self.bring(HOME)
        else:
            return False
        return True

    def key(self, code: int) -> None:
        """A key event, down and up, by Android's code."""
        self.settle()
        self._record("key", code)
        match code:
            case 3:
                self.awake = True
                self._press("home")
            case 4:
                self._press("back")
            case 26:
                self.awake = not self.awake
            case 223:
                self.awake = False
            case 224:
                self.awake = True
            case _:
                if self.awake:
                    self._type_key(code)

    def _type_key(self, code: int) -> None:
        typed = character(code)
        if typed == DELETE:
            self._delete()
        elif typed == ENTER:
            self._enter()
        elif typed is not None:
            self._commit(typed)

    def type_text(self, text: str) -> None:
        """Commit text into the field with the focus; nothing when there is none."""
        self.settle()
        self._record("type", text)
        if self.awake:
            self._commit(text)

    @property
    def focused_field(self) -> Field | None:
        window = self._focused_window()
        view = window.focus if window is not None else None
        return view if isinstance(view, Field) and view.enabled else None

    def _commit(self, text: str) -> None:
        field = self.focused_field
        if field is not None:
            field.content += text

    def _delete(self) -> None:
        field = self.focused_field
        if field is not None:
            field.content = field.content[:-1]

    def _enter(self) -> None:
        field = self.focused_field
        if field is None:
            return
        if not field.single_line:
            field.content += "\n"
        elif field.on_enter is not None:
            field.on_enter()
        else:
            self._hide_keyboard()

    def _focus_moved(self, window: Window) -> None:
        if window is self._focused_window():
            self._show_keyboard_for(window)

    def _show_keyboard_for(self, window: Window | None) -> None:
        view = window.focus if window is not None else None
        if not isinstance(view, Field):
            self._hide_keyboard()
            return
        if self._keyboard_window is None:
            self._keyboard_window = self._new_window(
                "INPUT_METHOD", keyboard.PACKAGE, "Keyboard", self._keys
            )
            for key in self._keys.walk():
                key.number, key.key = 0, ""
            self._changes.count()
        self._reveal(view)

    def _hide_keyboard(self) -> None:
        if self._keyboard_window is not None:
            self._changes.forget(self._keyboard_window.id)
            self._keyboard_window = None
            self._changes.count()

    def _reveal(self, view: View) -> None:
        """Scroll so that the keyboard does not hide what is typed into."""
        for window in self.windows():
            window.layout()
        scroll = next((v for v in view.ancestors() if isinstance(v, Scroll)), None)
        if scroll is not None:
            _, top, _, bottom = scroll.place
            if view.place[3] > bottom:
                scroll.scroll_by(view.place[3] - bottom)
            elif view.place[1] < top:
                scroll.scroll_by(view.place[1] - top)

    def rotate(self, rotation: int) -> None:
        """Turn the phone: quarter turns, 0 to 3."""
        self.settle()
        if (rotation - self.rotation) % 2:
            self.width, self.height = self.height, self.width
        self.rotation = rotation % 4
        self._changes.count()

    def take_automation(self, holder: str) -> None:
        if self.automation_holder not in (None, holder):
            raise AutomationHeld(str(self.automation_holder))
        self.automation_holder = holder

    def release_automation(self, holder: str) -> None:
        if self.automation_holder == holder:
            self.automation_holder = None

    # What is seen

    def picture(self, max_size: int | None = None) -> "Image.Image":
        """The screen, drawn at the size asked for: neither side over `max_size`, never larger than
        the screen."""
        self.settle()
        from .render import render

        return render(self, max_size)

    @property
    def bar_color(self) -> theme.Color:
        """Of the signs in the system's bars."""
        return theme.WHITE if self.front.dark_bars else theme.ON_SURFACE

    def paint_bars(self) -> None:
        self._status.paint(self.bar_color)
        self._navigation.paint(self.bar_color)

    def _tick(self) -> None:
        """The status bar's clock, and again at the next minute."""
        now = self.timers.now()
        minutes = START + int(now // 60000)
        self._status.clock.text = f"{minutes // 60 % 24}:{minutes % 60:02d}"
        self.timers.after(60000 - now % 60000, self._tick)
