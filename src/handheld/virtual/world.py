"""The state of a virtual phone: its apps, its windows, and everything that can be done to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from ..ui import model
from .files.samples import furnish_samples
from .files.tree import FileTree, furnish_android
from .input import hard_keys, keyboard
from .input.input_method import InputMethod
from .input.keys import DELETE, ENTER, MOVES, character
from .input.touch import Touch
from .packages.app import Activity, App
from .packages.changes import PackageChanges
from .packages.installer import Installer
from .packages.permissions import Permissions
from .packages.running import Pids, Running
from .packages.tasks import HOME, Task, Tasks
from .sms.telephony import Telephony
from .system.battery import Battery
from .system.clipboard import Clipboard
from .system.clock import Clock, RealClock
from .system.display import Display
from .system.latency import Latency
from .system.logs import Logs
from .system.notifications import Notification, Notifications
from .system.preferences import Preferences, defaults
from .system.switches import Switches
from .system.timers import Changes, Timers
from .system.wall import Wall
from .system_ui import bars
from .system_ui.dialogs import SystemDialogs
from .system_ui.keyguard import Keyguard
from .system_ui.panel import Panel
from .system_ui.split import Split
from .views import accessibility, theme
from .views.field import Field
from .views.view import View
from .views.window import Window

if TYPE_CHECKING:
    from PIL import Image

MOST_EVENTS = 10_000
MOST_TYPED = 1000
"""Characters of typed text that are noted."""


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
    """touch, press, key, type, perform, launch, stop"""
    details: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Package:
    package: str
    label: str
    version: str | None
    launchable: bool
    system: bool
    version_code: int = 1


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
        self.physical = (width, height, density)
        """The panel as it was made, upright; `resize` may have apps see another."""
        self.model = "Handheld Virtual"
        self.rotation = 0
        self.boot_id = str(UUID(int=0x5EED0000000040008000000000000001))
        self.input_refused = False
        """Whether a vendor's switch keeps the shell from injecting input."""
        self.latency = Latency(api)
        self.automation_holder: str | None = None
        self._renumbered = 0
        """What accessibility adds to the windows' numbers: it rises when it goes off and on."""
        self.frozen_packages: set[str] = set()
        """Apps that answer nothing: their windows give no root and take no touch."""
        self.rootless_packages: set[str] = set()
        """Apps whose windows give no root for now, as in a transition."""
        self.disabled_packages: set[str] = set()
        """Apps that the owner, or `pm`, has switched off."""
        self.secure_packages: set[str] = set()
        """Apps whose windows come out black."""
        self.split: Split | None = None
        self.transition_ms = 0.0
        """How long a new window gives no root."""
        self.events: list[Event] = []
        self.foreground: tuple[str, str] | None = None
        self._before: Activity | None = None
        """What was at the front last."""
        self.preferences = Preferences(defaults(api))
        self.timers = Timers(self.clock)
        self.display = Display(self)
        self.clipboard = Clipboard(self.timers, api)
        self.wall = Wall(self.timers.now, self._show_time)
        self.logs = Logs(self.wall.now)
        self.files = FileTree(lambda: self.wall.now().timestamp())
        furnish_android(self.files)
        furnish_samples(self.files)
        self.permissions = Permissions()
        self.battery = Battery(lambda: self._status.show_battery(self.battery.charge.level))
        self.installer = Installer(self)
        self.package_changes = PackageChanges()
        self.pids = Pids()
        self.running = Running(self, self.pids)
        self._changes = Changes(self.timers)
        self._windows = 0
        self.apps: dict[str, App] = {}
        self._tasks = Tasks(self)
        self._input = InputMethod(self)
        self.notifications = Notifications(self._signs_changed)
        self.switches = Switches(self.preferences, self._signs_changed, self.display.fix)
        self.telephony = Telephony(self)
        self._panel = Panel(self)
        self.keyguard = Keyguard(self)
        self.system_dialogs = SystemDialogs(self)
        """Of the phone itself, over whatever app is in front."""
        self._status = bars.StatusBar(lambda: self._panel.open("notifications"))
        self._navigation = bars.NavigationBar(self._press)
        self._status_window = self.new_window("SYSTEM", bars.PACKAGE, "Status bar", self._status)
        self._navigation_window = self.new_window(
            "SYSTEM", bars.PACKAGE, "Navigation bar", self._navigation
        )
        self._touch = Touch(self.timers, self._touchable)
        self._tick()
        from .apps import installed

        for kind in installed(self.api):
            self.install(kind)
        self.package_changes.clear()
        self.bring(HOME)

    # Apps

    def install(self, kind: type[App]) -> App:
        """A further app, at home at once."""
        app = kind(self)
        self.put(app)
        return app

    def put(self, app: App) -> None:
        """An app that is made already, also in the place of one of the same package."""
        self.apps[app.package] = app
        self.running.uid(app)
        if app.persistent:
            self.running.ensure(app, "persistent")
        self.package_changed(app.package)

    def uninstall(self, package: str, *, keep_data: bool = False) -> None:
        """Remove an app with its task, its process and what the owner allowed it."""
        self.settle()
        app = self._app(package)
        self.end(app, f"stop {package} due to deletePackageX")
        del self.apps[package]
        for marked in (self.disabled_packages, self.frozen_packages, self.rootless_packages):
            marked.discard(package)
        self.notifications.forget(package)
        if not keep_data:
            self.permissions.forget(package)
        self.package_changed(package)

    def end(self, app: App, why: str) -> None:
        """Close an app and end its process without an input event."""
        in_front = self.front.app is app
        if self.split is not None and app in (self.split.upper.app, self.split.lower.app):
            self.split = None
        self._tasks.close(app)
        self.running.kill(app, why)
        if in_front:
            self.bring(HOME)
        self.apps[HOME].tasks_changed()

    @property
    def package_sequence(self) -> int:
        """Rises with every package that comes, goes or changes."""
        return self.package_changes.sequence

    def package_changed(self, package: str) -> None:
        """A package came, went, or is not what it was: everybody who lists them looks again."""
        self.package_changes.note(package)
        for app in self.apps.values():
            app.packages_changed()

    @property
    def packages(self) -> list[Package]:
        return [
            Package(
                app.package, app.label, app.version, app.launchable, app.system, app.version_code
            )
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

    def stop(self, package: str) -> None:
        """Close an app and end its process, as `am force-stop` does."""
        self.settle()
        app = self._app(package)
        self._record("stop", package)
        self.running.force_stopping(app)
        in_front = self.front.app is app
        self._tasks.close(app)
        self.running.kill(app, f"stop {package}")
        if in_front:
            self.bring(HOME)

    def is_in_front(self, package: str) -> bool:
        """Whether a window of the app is on the screen."""
        self.settle()
        if self.front.app.package == package:
            return True  # also under a panel
        return any(
            window.type == "APPLICATION" and window.package == package for window in self.windows()
        )

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
        activity = app.activities[name](app, extras)
        self._tasks.close(app)
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
        self._tasks.bring(app, app.main)
        return self.front.class_name

    @property
    def front(self) -> Activity:
        """The activity on the screen."""
        front = self._tasks.front
        assert front is not None
        return front

    @property
    def front_or_none(self) -> Activity | None:
        """The same; None while the phone is being switched on."""
        return self._tasks.front

    @property
    def home(self) -> Activity | None:
        """The launcher's first screen, once there is one."""
        return self._tasks.first(self.apps[HOME])

    def first_activity(self, app: App) -> Activity | None:
        """The root of the app's task, where it has one."""
        return self._tasks.first(app)

    def open(self, activity: Activity) -> None:
        self._tasks.open(activity)

    def finish(self, activity: Activity) -> None:
        self._tasks.finish(activity)

    def open_dialog(self, activity: Activity, title: str, root: View) -> None:
        self._tasks.open_dialog(activity, title, root)

    def close_dialog(self, activity: Activity) -> None:
        self._tasks.close_dialog(activity)

    @property
    def tasks(self) -> list[Task]:
        """The one in front last."""
        return list(self._tasks)

    @property
    def keyboard_window(self) -> Window | None:
        """The soft keyboard's, while it is on the screen."""
        return self._input.window

    @property
    def typed_into(self) -> Field | None:
        """The field that keys go to."""
        return self._input.field

    @property
    def recent_tasks(self) -> list[Activity]:
        """The screens that a list of recent apps shows, the newest last."""
        return self._tasks.recent

    def resume(self, app: App) -> None:
        """Bring an app back as it was left."""
        self._tasks.bring(app, app.main or "")

    def close_task(self, app: App) -> None:
        """Close an app as a swipe in the list of recent apps does."""
        self._tasks.close(app)
        self.running.kill(app, "remove task")
        self.apps[HOME].tasks_changed()

    # What the phone tells its owner

    def notify(
        self,
        package: str,
        title: str,
        text: str,
        on_open: Callable[[], object] | None = None,
    ) -> Notification:
        """An app tells something. A tap on it does `on_open`, or brings the app to the front."""
        self.settle()
        notification = Notification(package, title, text, self.timers.now(), on_open)
        self.notifications.post(notification)
        return notification

    def _signs_changed(self) -> None:
        told: dict[str, tuple[str, str]] = {}
        for notification in self.notifications.posted:
            app = self.apps.get(notification.package)
            label, icon = (app.label, app.icon) if app is not None else ("", "")
            words = f"{label} notification: {notification.title}"
            told.setdefault(notification.package, (icon or "bell", words))
        self._status.tell(list(told.values()), self.switches)
        self._panel.refresh()
        self.keyguard.show()

    def close_panel(self) -> bool:
        """Push the notifications or the quick settings up again; False when none was open."""
        return self._panel.close()

    def open_panel(self, kind: str) -> None:
        """`notifications` or `quick_settings`."""
        self._panel.open(kind)

    def open_notification(self, notification: Notification) -> None:
        """As a tap on it does."""
        self.notifications.remove(notification)
        app = self.apps.get(notification.package)
        if notification.on_open is not None:
            notification.on_open()
        elif app is not None and app.launchable:
            self.bring(app.package)

    def panel_changed(self) -> None:
        """The panel or the lock screen came or went."""
        self._touch.cancel_all()
        self._input.hide()
        self._changes.count()

    # Windows

    def new_window(self, type: str, package: str, title: str, root: View) -> Window:
        """For the phone itself; apps open activities."""
        self._windows += 1
        return Window(
            self._windows,
            type,
            package,
            title,
            root,
            changed=self._content_changed,
            focus_moved=self._input.focus_moved,
            opened=self.timers.now(),
            font_scale=self.display.font_scale,
        )

    def window_closed(self, window: Window) -> None:
        self._changes.forget(window.id)

    def windows_changed(self) -> None:
        self._changes.count()

    def front_changed(self) -> None:
        """Another window has come to the front."""
        front = self.front
        before, self._before = self._before, front
        if before is not front and before is not None:
            before.left()
            if before.app is not front.app:
                self.permissions.app_left(self, before.app.package)
        self.running.came_to_front(front)
        self.foreground = (front.app.package, front.class_name)
        self._touch.cancel_all()
        self._input.hide()
        self._changes.count()
        self.windows()  # its place, also for one that nobody looks at before the next comes
        if before is not front:
            front.resumed()  # last: it may open another

    def _content_changed(self, window: Window) -> None:
        if window in self.windows():
            self._changes.content(window.id)

    def windows(self) -> list[Window]:
        """What is on the screen, top first, each at its place."""
        dp = self.density / 160
        status = round(bars.STATUS_DP * dp)
        width, height = self.width, self.height
        keys = round(keyboard.height_dp(width > height) * dp) if self._input.window else 0
        before, after, below = bars.insets(self.rotation, round(bars.NAVIGATION_DP * dp))
        bottom = height - below
        self._status_window.place((0, 0, width, status), dp)
        self._status_window.pad((before / dp, 0, after / dp, 0))
        place = (0 if before or below else width - after, 0 if not below else bottom)
        self._navigation_window.place((*place, before or width, height), dp)
        panel, locked = self._panel.window, self.keyguard.window
        if panel is not None:
            # Android does not name what is wholly covered.
            panel.place((0, 0, width, height), dp)
            return [self._navigation_window, panel]
        if locked is not None:
            locked.place((0, 0, width, height), dp)
            buttons = [self._navigation_window] if self.keyguard.asking else []
            return [*buttons, *self.system_dialogs.place((width, status, bottom), dp), locked]
        shown = [self._navigation_window, self._status_window]
        if self._input.window is not None:
            self._input.window.place((before, bottom - keys, width - after, bottom), dp)
            shown.append(self._input.window)
        shown += self.system_dialogs.place((width, status, bottom - keys), dp)
        front = self._tasks.front
        if front is None:
            return shown
        if front.immersive:
            dialogs = self.system_dialogs.place((width, status, bottom), dp)
            return dialogs + front.own_windows((0, 0, width, height), dp)
        for dialog in reversed(front.dialogs):
            across = min(width - round(48 * dp), round(400 * dp))
            dialog.root.measure(across, bottom - status - keys, dp)
            w, h = dialog.root.measured
            left, top = (width - w) // 2, (status + bottom - keys - h) // 2
            dialog.place((left, top, left + w, top + h), dp)
            shown.append(dialog)
        window = front.window
        if self.split is not None and self._is_split:
            area = (before, 0, width - after, height)
            shown += self.split.place(area, status, below + keys, dp, front)
        elif window is not None:
            window.pad((before / dp, status / dp, after / dp, (below + keys) / dp))
            window.place((0, 0, width, height), dp)
            shown.append(window)
        return shown

    @property
    def focused_window(self) -> Window | None:
        front = self.front
        if self.locked and self._panel.window is None and self.system_dialogs.top is None:
            return self.keyguard.window
        if self._panel.window is None and (dialog := self.system_dialogs.top) is not None:
            return dialog.window
        return self._panel.window or (front.dialogs[-1] if front.dialogs else front.window)

    def _touchable(self) -> list[Window]:
        """Top first. A dialog keeps touches from what is under it."""
        found: list[Window] = []
        for window in self.windows():
            if window.package not in self.frozen_packages:
                found.append(window)
            if self.system_dialogs.holds(window):
                break
            if window.type == "APPLICATION" and not (self._is_split and not self.front.dialogs):
                break
        return found

    @property
    def _is_split(self) -> bool:
        """Whether two apps share the screen now."""
        if self.split is None:
            return False
        halves = (self.split.upper, self.split.lower)
        return self.front in halves and all(self._tasks.last(half.app) is half for half in halves)

    def _focus_half(self, x: float, y: float) -> None:
        if self.split is None or not self._is_split:
            return
        for window in self._touchable():
            left, top, right, bottom = window.box
            if left <= x < right and top <= y < bottom:
                for half in (self.split.upper, self.split.lower):
                    if half.window is window and half is not self.front:
                        self.focus(half)
                return

    def focus(self, activity: Activity) -> None:
        """The half of a split screen that was touched is the one at the front."""
        self._tasks.bring(activity.app, activity.name)

    def _root_missing(self, window: Window) -> str | None:
        if window.package in self.frozen_packages:
            return "timeout"
        late = self.timers.now() < window.opened + self.transition_ms
        return "no_root" if late or window.package in self.rootless_packages else None

    def listed_windows(self) -> list[tuple[int, Window, str | None]]:
        """What is on the screen, top first: the number that accessibility knows it by, the window,
        and why it gives no root if it does not."""
        self.settle()
        return [
            (window.id + self._renumbered, window, self._root_missing(window))
            for window in self.windows()
        ]

    def read_windows(self) -> list[model.Window]:
        """Every window with a root, top first, with all its nodes, fresh."""
        self.settle()
        shown = self.windows()
        focused = self.focused_window
        return [
            model.Window(
                window.id + self._renumbered,
                window.type,
                window.package,
                window.title,
                len(shown) - 1 - number,
                window is focused,
                accessibility.read(window, self._renumbered),
            )
            for number, window in enumerate(shown)
            if self._root_missing(window) is None
        ]

    def missing(self) -> list[dict[str, Any]]:
        """The windows that give no root, and why: `timeout` or `no_root`."""
        self.settle()
        return [
            {"window": window.id + self._renumbered, "package": window.package, "reason": reason}
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
        window = self._window_of(key)
        nodes = [] if window is None else accessibility.read(window, self._renumbered)
        return next((node for node in nodes if node.key == key), None)

    def _window_of(self, key: str) -> Window | None:
        """The window that the view with that key would be in, if it can be read now."""
        for window in self.windows():
            number = window.id + self._renumbered
            if key.startswith(f"{number}:") and self._root_missing(window) is None:
                return window
        return None

    def _view(self, key: str) -> View | None:
        window = self._window_of(key)
        if window is None:
            return None
        return window.find(accessibility.move_key(key, -self._renumbered))

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
        if kind in ("touch", "key", "type"):
            self.display.used()
        if len(self.events) > MOST_EVENTS:
            del self.events[: MOST_EVENTS // 10]

    def perform(self, key: str, action: str) -> bool:
        """Do an accessibility action; False when the view does not take it, KeyError when there is
        no such view."""
        self.settle()
        self._record("perform", key, action)
        view = self._view(key)
        if view is None:
            raise KeyError(key)
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
                self._focus_half(x, y)
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
        if self.locked and button in ("back", "home", "recents"):
            if not (self._panel.close() or (button == "back" and self.system_dialogs.back())):
                self.keyguard.back()
        elif button == "back":
            if not (self._input.hide() or self._panel.close() or self.system_dialogs.back()):
                self._tasks.back()
        elif button == "home":
            self.press_home()
        elif button == "recents":
            self._panel.close()
            self.apps[HOME].press_recents()
        elif button in ("notifications", "quick_settings"):
            self._panel.open(button)
        else:
            return False
        return True

    def press_home(self) -> None:
        self._panel.close()
        self.bring(HOME)
        self.front.left()

    def key(self, code: int, meta: int = 0, long: bool = False) -> None:
        """A key event, down and up, by Android's code; `meta` are the bits of `hard_keys` that are
        down with it."""
        self.settle()
        self._record("key", code)
        match code:
            case 3:
                self.awake = True
                self._press("home")
            case 4:
                self._press("back")
            case 83:
                self._press("notifications")
            case 187:
                self._press("recents")
            case 26:
                self.awake = not self.awake
            case 223:
                self.awake = False
            case 224:
                self.awake = True
            case 82 if self.awake and self.locked:
                self.keyguard.dismiss()
            case _:
                if self.awake:
                    self._type_key(code, meta, long)

    def _type_key(self, code: int, meta: int, long: bool) -> None:
        typed = character(code)
        if self.locked:
            self._type_pin(typed)
            return
        if hard_keys.press(self, self._input, code, meta, long):
            return
        if typed == DELETE:
            self._input.delete()
        elif typed == ENTER:
            self._input.enter()
        elif typed is not None:
            self._input.commit(typed)
        elif code in MOVES:
            self._input.move(MOVES[code])

    def _type_pin(self, typed: str | None) -> None:
        if typed == DELETE:
            self.keyguard.delete()
        elif typed == ENTER:
            self.keyguard.enter()
        elif typed is not None:
            self.keyguard.type(typed)

    def type_text(self, text: str) -> None:
        """Commit text into the field with the focus; nothing when there is none."""
        self.settle()
        self._record("type", text[:MOST_TYPED])
        if self.awake and self.locked:
            self.keyguard.type(text)
        elif self.awake:
            self._input.commit(text)

    def selection(self, key: str) -> tuple[int, int] | None:
        """Where the cursor of a field is, or what is selected, in UTF-16 units."""
        field = self._field(key)
        return None if field is None else field.editing.selection

    def set_text(self, key: str, text: str) -> bool:
        """An accessibility action: the field's whole text, the cursor at its end. Filters work on
        it as on what is typed. False when there is no such field, or it is disabled."""
        self.settle()
        self._record("perform", key, "set_text")
        field = self._field(key)
        if field is None or not field.enabled:
            return False
        field.content = text
        return True

    def set_selection(self, key: str, start: int, end: int) -> bool:
        """An accessibility action, in UTF-16 units. False when it cannot be done."""
        self.settle()
        self._record("perform", key, "set_selection")
        field = self._field(key)
        if field is None or not field.enabled:
            return False
        done: list[bool] = []
        field.edit(lambda: done.append(field.editing.select_units(start, end)))
        return done[0]

    def _field(self, key: str) -> Field | None:
        view = self._view(key)
        return view if isinstance(view, Field) else None

    def hide_keyboard(self) -> bool:
        """False when there was none."""
        return self._input.hide()

    def rotate(self, rotation: int) -> None:
        """Turn the phone: quarter turns, 0 to 3. What is shown follows while auto-rotate is on."""
        self.settle()
        self.display.hold(rotation)

    def resize(self, width: int, height: int, density: int) -> None:
        """Have apps see a screen of another size, given as the phone is upright."""
        self.settle()
        if self.rotation % 2:
            width, height = height, width
        if (width, height, density) != (self.width, self.height, self.density):
            self.width, self.height, self.density = width, height, density
            self._touch.cancel_all()
            self.screen_turned()

    def fonts_scaled(self) -> None:
        """Letters are larger or smaller now."""
        windows = {*self.windows(), self._status_window, self.keyguard.window}
        for activity in self._tasks.all:
            windows.update((activity.window, *activity.dialogs))
        for window in windows:
            if window is not None:
                window.scale_fonts(self.display.font_scale)
        self._changes.count()

    def screen_turned(self) -> None:
        """What is shown has other sides now."""
        self._navigation.turn(self.rotation)
        for activity in self._tasks.all:
            activity.turned()
        self._panel.refresh()
        self.keyguard.show()
        self._changes.count()

    @property
    def awake(self) -> bool:
        return self.display.awake

    @awake.setter
    def awake(self, awake: bool) -> None:
        """Going dark it locks, if a lock is set."""
        self.display.awake = awake
        if not awake and self.keyguard.kind != "none":
            self.keyguard.lock()
            self.keyguard.back()

    @property
    def locked(self) -> bool:
        return self.keyguard.locked

    @locked.setter
    def locked(self, locked: bool) -> None:
        """Without a lock that was set, a swipe opens it."""
        if locked:
            self.keyguard.lock()
        else:
            self.keyguard.unlock()

    def set_pin(self, pin: str | None) -> None:
        """What opens the phone from now on, 4 to 16 digits; None: a swipe."""
        self.keyguard.set_pin(pin)

    @property
    def night(self) -> bool:
        """Whether the dark theme is on."""
        return self.display.night

    @property
    def brightness(self) -> int:
        """1 to 255; pictures do not show it, as on Android."""
        return self.display.brightness

    def reboot(self) -> None:
        """Off and on again: what is installed and stored stays, everything that ran is gone."""
        self.settle()
        self.boot_id = str(uuid4())
        self.package_changes.clear()
        self.automation_holder = None
        self._touch.cancel_all()
        self._panel.close()
        self._input.hide()
        self.system_dialogs.close_all()
        self.split, self._before = None, None
        for app in self.apps.values():
            self._tasks.close(app)
        self.frozen_packages.clear()
        self.rootless_packages.clear()
        self.logs.clear()
        self.clipboard.clear()
        self.notifications.clear()
        self.running.reboot(self.apps.values())
        self.awake = True
        if self.keyguard.kind != "none":
            self.keyguard.lock()
        self.bring(HOME)

    def take_automation(self, holder: str) -> None:
        if self.automation_holder not in (None, holder):
            raise AutomationHeld(str(self.automation_holder))
        self.automation_holder = holder

    def release_automation(self, holder: str) -> None:
        if self.automation_holder == holder:
            self.automation_holder = None
            # With nobody left to read them, Android forgets the windows' numbers.
            self._renumbered += self._windows

    # What is seen

    def picture(self, max_size: int | None = None) -> "Image.Image":
        """The screen, drawn at the size asked for: neither side over `max_size`, never larger than
        the screen."""
        self.settle()
        from .views.render import render

        return render(self, max_size)

    def paint_bars(self) -> None:
        """In a colour that can be seen on the app below."""
        dark = (self.front.dark_bars or self.locked) and self._panel.window is None
        color = theme.WHITE if dark else theme.ON_SURFACE
        self._status.paint(color)
        self._navigation.paint(color)

    def _tick(self) -> None:
        """The status bar's clock, and again at the next minute."""
        now = self.timers.now()
        self._show_time()
        self._panel.refresh()
        self.keyguard.show()
        self.timers.after(60000 - now % 60000, self._tick)

    def _show_time(self) -> None:
        shown = self.wall.now()
        self._status.clock.text = f"{shown.hour}:{shown.minute:02d}"
