"""The state of a virtual phone: the parts it is made of, and what is done to it as a whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from .automation import Automation
from .files.android import furnish_android
from .files.media import MediaIndex
from .files.samples import CARD, furnish_samples
from .files.tree import FileTree
from .input import buttons
from .input.injection import Injection
from .input.input_method import InputMethod
from .input.touch import SLOP_DP, Touch
from .packages.app import Activity, App
from .packages.changes import PackageChanges
from .packages.installer import Installer
from .packages.permissions import Permissions
from .packages.running import Pids, Running
from .packages.tasks import HOME, Tasks
from .screen import Screen
from .sms.telephony import Telephony
from .system.android import android
from .system.battery import Battery
from .system.clipboard import Clipboard
from .system.clock import Clock, RealClock
from .system.display import Display
from .system.latency import Latency
from .system.logs import Logs
from .system.notifications import Notification, Notifications
from .system.preferences import Preferences, defaults
from .system.releases import DEFAULT
from .system.switches import Switches
from .system.timers import Timers
from .system.wall import Wall
from .system_ui.clipboard_overlay import ClipboardOverlay
from .system_ui.dialogs import SystemDialogs
from .system_ui.keyguard import Keyguard
from .system_ui.panel import Panel
from .views.window import Window

if TYPE_CHECKING:
    from PIL import Image

SCALING_SPAN_MM = 27
"""Android scales nothing with fingers nearer to each other."""
MOST_EVENTS = 10_000
MOST_TYPED = 1000
"""Characters of typed text that are noted."""


class NotInstalled(Exception):
    """No such package on the phone."""


class NotLaunchable(Exception):
    """The package is there but has nothing that a launcher could start."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done to the phone from outside."""

    kind: str
    """touch, press, key, type, perform, launch, stop"""
    details: tuple[object, ...]


class World:
    """Switched on and at the home screen once made. Not safe for several threads."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        api: int = DEFAULT,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
    ) -> None:
        self.clock: Clock = clock or RealClock()
        self.android = android(api)
        self.width, self.height, self.density = width, height, density
        self.physical = (width, height, density)
        """The panel as it was made, upright; `resize` may have apps see another."""
        self.foldable = False
        """Whether there is a second panel, outside, which is off: the phone lies open."""
        self.model = "Handheld Virtual"
        self.rotation = 0
        self.boot_id = str(UUID(int=0x5EED0000000040008000000000000001))
        self.input_refused = False
        """Whether a vendor's switch keeps the shell from injecting input."""
        self.wake_refused = False
        """Whether the shell may not switch the screen on but by a key."""
        self.wake_ignored = False
        """Whether nothing comes of it where it may."""
        self.takes_touches = True
        """Whether any window takes a finger; while one gives way to another none may."""
        self.latency = Latency(self.android)
        self.frozen_packages: set[str] = set()
        """Apps that answer nothing: their windows give no root and take no touch."""
        self.rootless_packages: set[str] = set()
        """Apps whose windows give no root for now, as in a transition."""
        self.slow_views: dict[str, float] = {}
        """Apps whose views come one by one, and how many milliseconds each takes."""
        self.last_views: dict[str, int] = {}
        """Apps that hang while their views are read, and how many come before."""
        self.disabled_packages: set[str] = set()
        """Apps that the owner, or `pm`, has switched off."""
        self.secure_packages: set[str] = set()
        """Apps whose windows come out black."""
        self.transition_ms = 0.0
        """How long a new window gives no root."""
        self.events: list[Event] = []
        self.foreground: tuple[str, str] | None = None
        self._before: Activity | None = None
        """What was at the front last."""
        self.preferences = Preferences(defaults(self.android))
        self.timers = Timers(self.clock)
        self.display = Display(self)
        self.clipboard_overlay = ClipboardOverlay(self)
        self.clipboard = Clipboard(self.timers, self.android, self.clipboard_overlay.show)
        self.apps: dict[str, App] = {}
        self.tasks = Tasks(self)
        self.input_method = InputMethod(self)
        self.screen = Screen(self)
        self.automation = Automation(self)
        self.wall = Wall(self.timers.now, self.screen.show_time)
        self.logs = Logs(self.wall.now)
        self.files = FileTree(lambda: self.wall.now().timestamp())
        furnish_android(self.files)
        furnish_samples(self.files)
        self.media = MediaIndex(self.files, (f"/storage/{CARD}",))
        self.permissions = Permissions()
        self.battery = Battery(lambda: self.screen.status.show_battery(self.battery.charge.level))
        self.installer = Installer(self)
        self.package_changes = PackageChanges()
        self.pids = Pids()
        self.running = Running(self, self.pids)
        self.notifications = Notifications(self.screen.signs_changed)
        self.switches = Switches(self.preferences, self.screen.signs_changed, self.display.fix)
        self.telephony = Telephony(self)
        self.panel = Panel(self)
        self.keyguard = Keyguard(self)
        self.system_dialogs = SystemDialogs(self)
        """Of the phone itself, over whatever app is in front."""
        self._touch = Touch(self.timers, self.screen.touchable)
        self.injection = Injection(self.android)
        self.screen.tick()
        from .apps import installed

        for kind in installed(self.android):
            self.install(kind)
        self.package_changes.clear()
        self.bring(HOME)

    @property
    def api(self) -> int:
        return self.android.api

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
        self.replace(app, "deletePackageX")
        del self.apps[package]
        self.running.exits.pop(package, None)
        for marked in (self.disabled_packages, self.frozen_packages, self.rootless_packages):
            marked.discard(package)
        self.notifications.forget(package)
        if not keep_data:
            self.permissions.forget(package)
        self.package_changed(package)

    def replace(self, app: App, why: str) -> None:
        """End an app that another version, or nothing, takes the place of."""
        self.running.force_stopping(app, why, user=-1)
        self.end(app, f"stop {app.package} due to {why}")
        self.running.force_stopping(app, "pkg removed")

    def end(self, app: App, why: str) -> None:
        """Close an app and end its process without an input event."""
        in_front = self.front.app is app or self.tasks.began == app.package
        split = self.screen.split
        if split is not None and any(half.app is app for half in split.halves):
            self.screen.split = None
        self.tasks.close(app)
        self.running.kill(app, why)
        if in_front:
            self.bring(HOME)
        self.apps[HOME].tasks_changed()

    def package_changed(self, package: str) -> None:
        """A package came, went, or is not what it was: everybody who lists them looks again."""
        self.package_changes.note(package)
        for app in self.apps.values():
            app.packages_changed()

    def launch(self, package: str) -> str:
        """Bring the package's task to the front, or start it; the class of the activity there."""
        self.record("launch", package)
        return self.bring(package)

    def start(self, package: str, activity: str, extras: Mapping[str, str] | None = None) -> str:
        """Open one activity by name, as `am start -n` does. KeyError when there is none such."""
        app = self._app(package)
        name = activity.removeprefix(package) if activity.startswith(package + ".") else activity
        kind = app.activities[name]
        self.record("launch", package, name)
        self.open(kind(app, extras))
        return self.front.class_name

    def stop(self, package: str) -> None:
        """Close an app and end its process, as `am force-stop` does."""
        app = self._app(package)
        self.record("stop", package)
        self.running.force_stopping(app)
        self.end(app, f"stop {package} due to from pid 400")

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
        self.tasks.close(app)
        self.open(activity)
        return activity

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
        self.tasks.bring(app)
        return self.front.class_name

    @property
    def front(self) -> Activity:
        """The activity on the screen."""
        front = self.tasks.front
        assert front is not None
        return front

    def open(self, activity: Activity) -> None:
        self.tasks.open(activity)

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
        self.input_method.hide()
        self.screen.changes.count()

    def front_changed(self) -> None:
        """Another window has come to the front."""
        front = self.front
        before, self._before = self._before, front
        if before is not front and before is not None:
            before.left()
            if before.app is not front.app:
                self.permissions.app_left(self, before.app.package)
        self.running.came_to_front(front)
        asked = self.system_dialogs.top
        # A question about an app is asked by an activity of its own, in the app's task.
        self.foreground = (
            (asked.window.package, asked.component)
            if asked is not None and asked.over is not None
            else (front.app.package, front.class_name)
        )
        self._touch.cancel_all()
        self.input_method.hide()
        self.screen.changes.count()
        self.windows()  # its place, also for one that nobody looks at before the next comes
        if before is not front:
            front.resumed()  # last: it may open another

    # What is done to it

    def settle(self) -> None:
        """Let happen what is due by the clock."""
        self.timers.run_due()

    def record(self, kind: str, *details: object) -> None:
        """Something is about to be done to the phone, after all that was due."""
        self.settle()
        self.events.append(Event(kind, details))
        if kind in ("touch", "key", "type"):
            self.display.used()
        if len(self.events) > MOST_EVENTS:
            del self.events[: MOST_EVENTS // 10]

    def touch(self, action: str, pointer: int, x: float, y: float) -> None:
        """A finger's down, move, up or cancel. A dark screen takes none of it."""
        self.record("touch", action, pointer, x, y)
        if not self.awake:
            self._touch.cancel_all()
            return
        match action:
            case "down":
                self.screen.focus_half(x, y)
                self._touch.put(pointer, x, y)
            case "move":
                self._touch.move(pointer, x, y)
            case "up":
                self._touch.lift(pointer, x, y)
            case "cancel":
                self._touch.cancel(pointer)
            case _:
                raise ValueError(f"no such touch: {action}")

    def inject(
        self, action: str, changed: int, fingers: Sequence[tuple[int, float, float]]
    ) -> bool:
        """The same from a program. `fingers` are numbers and places of all that are down, one that
        goes up among them; `changed` is whom it is about, and a cancel is about all. False where
        Android refuses it."""
        if not self.injection.accepts(action, changed, [number for number, _, _ in fingers]):
            return False
        if action == "down" and not self.takes_touches:
            return False
        for finger in fingers if action == "cancel" else (fingers[changed],):
            self.touch(action, *finger)
        return True

    @property
    def scaling(self) -> tuple[int, int]:
        """How far apart two fingers are at least that scale something, and by how much more than
        that distance changes before they do; pixels."""
        # Millimetres go by the panel as it was made, the slop by the density that apps see.
        span = int(SCALING_SPAN_MM * self.physical[2] / 25.4 + 0.5)
        return span, 2 * int(SLOP_DP * self.density / 160 + 0.5)

    def wake_up(self) -> bool:
        """Switch the screen on without a key; False where the shell may not."""
        self.settle()
        if not (self.wake_refused or self.wake_ignored):
            self.awake = True
        return not self.wake_refused

    def press(self, button: str) -> bool:
        """A global action; False when this phone does not offer it."""
        self.record("press", button)
        return buttons.press(self, button)

    def key(self, code: int, meta: int = 0, long: bool = False) -> None:
        """A key event, down and up, by Android's code; `meta` are the bits of `hard_keys` that are
        down with it."""
        self.record("key", code)
        buttons.press_key(self, code, meta, long)

    def type_text(self, text: str) -> None:
        """Commit text into the field with the focus; nothing when there is none."""
        self.record("type", text[:MOST_TYPED])
        if self.awake and self.locked:
            self.keyguard.type(text)
        elif self.awake:
            self.input_method.commit(text)

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
            self.screen.turned()

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

    def reboot(self) -> None:
        """Off and on again: what is installed and stored stays, everything that ran is gone."""
        self.settle()
        self.boot_id = str(uuid4())
        self.package_changes.clear()
        self.automation.holder = None
        self._touch.cancel_all()
        self.injection.down.clear()
        self.panel.close()
        self.input_method.hide()
        self.system_dialogs.close_all()
        self.screen.split, self._before = None, None
        for app in self.apps.values():
            self.tasks.close(app)
        self.frozen_packages.clear()
        self.rootless_packages.clear()
        self.slow_views.clear()
        self.last_views.clear()
        self.logs.clear()
        self.clipboard.clear()
        self.clipboard_overlay.close()
        self.media.scan_all()
        self.notifications.clear()
        self.running.reboot(self.apps.values())
        self.awake = True
        if self.keyguard.kind != "none":
            self.keyguard.lock()
        self.bring(HOME)

    # What is seen

    def windows(self) -> list[Window]:
        """What is on the screen, top first, each at its place."""
        return self.screen.windows()

    @property
    def focused_window(self) -> Window | None:
        return self.screen.focused_window

    def picture(self, max_size: int | None = None) -> "Image.Image":
        """The screen, drawn at the size asked for: neither side over `max_size`, never larger than
        the screen."""
        self.settle()
        from .views.render import render

        return render(self, max_size)
