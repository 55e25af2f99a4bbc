"""The state of a virtual phone: its parts, and the operations on it as a whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack
from uuid import UUID

from .automation import Automation
from .files.android import furnish_android
from .files.media import MediaIndex
from .files.samples import CARD, furnish_samples
from .files.tree import FileTree
from .input import buttons
from .input.injection import Injection
from .input.input_method import InputMethod
from .input.touch import Touch
from .input.touch_mode import TouchMode
from .packages import lifecycle
from .packages.app import Activity, App
from .packages.app_functions import AppFunctionManager
from .packages.changes import PackageChanges
from .packages.installing.installer import Installer
from .packages.permissions import Permissions
from .packages.posted import send_intent
from .packages.processes import Pids
from .packages.profiles import Profile
from .packages.running import Running
from .packages.tasks import HOME, NotInstalled, NotLaunchable, Tasks
from .screen import Screen
from .sms.telephony import Telephony
from .system.android import android
from .system.battery import Battery
from .system.cameras import Cameras
from .system.clipboard import Clipboard
from .system.clock import Clock, RealClock
from .system.display import Display
from .system.dropbox import DropBox
from .system.languages import Languages
from .system.latency import Latency
from .system.logs import Logs
from .system.notifications import Notification, NotificationOptions, Notifications
from .system.personal import Personal
from .system.preferences import Preferences, defaults
from .system.quirks import Quirks
from .system.releases import DEFAULT_API
from .system.switches import Switches
from .system.timers import Timers
from .system.usage import Usages
from .system.volumes import Volumes
from .system.wall import Wall
from .system.whereabouts import Whereabouts
from .system_ui.app_errors import AppErrors
from .system_ui.clipboard_overlay import ClipboardOverlay
from .system_ui.dialogs import SystemDialogs
from .system_ui.keyguard import Keyguard
from .system_ui.panel import Panel
from .system_ui.toasts import Toasts
from .views.window import Window

if TYPE_CHECKING:
    from PIL import Image

    from .packages.installing.stub import Stub

MOST_EVENTS = 10_000
MOST_TYPED = 1000
"""How many characters of typed text are recorded."""


@dataclass(frozen=True, slots=True)
class Event:
    """One operation on the phone from outside."""

    kind: str
    """touch, press, key, type, perform, launch, stop, service, broadcast"""
    details: tuple[object, ...]


class World:
    """A running phone that shows the home screen. Not thread-safe."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        api: int = DEFAULT_API,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
    ) -> None:
        self.clock: Clock = clock or RealClock()
        self.android = android(api)
        self.width, self.height, self.density = width, height, density
        self.physical = (width, height, density)
        """Width, height and density of the physical panel; `resize` can override them for apps."""
        self.foldable = False
        """Whether there is a second, outer panel. It is off: the phone is unfolded."""
        self.model = "Handheld Virtual"
        self.rotation = 0
        self.boot_id = str(UUID(int=0x5EED0000000040008000000000000001))
        self.quirks = Quirks()
        self.input_refused = False
        """Whether a vendor's setting forbids the shell to inject input."""
        self.wake_refused = False
        """Whether the shell can wake the screen only with a key."""
        self.wake_ignored = False
        """Whether a wake-up is accepted but has no effect."""
        self.takes_touches = True
        """Whether windows take touches; they do not during some transitions."""
        self.latency = Latency(self.android)
        self.frozen_packages: set[str] = set()
        """Apps that do not respond: their windows have no root and ignore touches."""
        self.rootless_packages: set[str] = set()
        """Apps whose windows have no root at present, as in a transition."""
        self.slow_views: dict[str, float] = {}
        """Apps whose views are delivered one by one, with the milliseconds for each view."""
        self.last_views: dict[str, int] = {}
        """Apps that hang while their views are read, with the number of views delivered before."""
        self.profiles: dict[int, Profile] = {}
        """The other users whose apps are visible beside the first user's."""
        self.disabled_packages: set[str] = set()
        """The disabled apps."""
        self.preferred_activities: set[tuple[str, str]] = set()
        """The package and class of the activities that the owner chose to always handle an
        intent."""
        self.approved_links: dict[str, set[str]] = {}
        """By package: the hosts whose web links the app opens instead of the browser."""
        self.web_debugging: set[str] = set()
        """Packages that allow their web pages to be debugged, in addition to
        `App.web_debugging`."""
        self.shell_revoked: set[str] = set()
        """Permissions of adb's shell that were revoked."""
        self.secure_packages: set[str] = set()
        """Apps whose windows are black in screenshots."""
        self.app_data: dict[str, tuple[int, int]] = {}
        """By package: the bytes that the app has stored, and the part of them in its cache."""
        self.transition_ms = 0.0
        """How long a new window has no root."""
        self.events: list[Event] = []
        self.preferences = Preferences(defaults(self.android))
        self.volumes = Volumes(self.preferences)
        self.languages = Languages()
        self.timers = Timers(self.clock)
        self.whereabouts = Whereabouts(self.timers.now, lambda: self.android)
        self.display = Display(self)
        self.clipboard_overlay = ClipboardOverlay(self)
        self.clipboard = Clipboard(self.timers, self.android, self.clipboard_overlay.show)
        self.apps: dict[str, App] = {}
        self.tasks = Tasks(self)
        self.input_method = InputMethod(self)
        self.touch_mode = TouchMode(self)
        self.screen = Screen(self)
        self.automation = Automation(self)
        self.wall = Wall(self.timers.now, self.screen.show_time)
        self.logs = Logs(self.wall.now)
        self.dropbox = DropBox(self.wall.now, self.android)
        self.usages = Usages()
        self.files = FileTree(lambda: self.wall.now().timestamp())
        furnish_android(self.files)
        furnish_samples(self.files)
        self.media = MediaIndex(self.files, (f"/storage/{CARD}",))
        self.permissions = Permissions()
        self.battery = Battery(lambda: self.screen.status.show_battery(self.battery.charge.level))
        self.installer = Installer(self)
        self.stubs: dict[str, Stub] = {}
        """By package: the examples that answer the tools of an app installed from an APK."""
        self.package_changes = PackageChanges()
        self.pids = Pids()
        self.running = Running(self, self.pids)
        self.app_functions = AppFunctionManager(self)
        self.notifications = Notifications(self.timers, self.screen.signs_changed, self._announce)
        self.notifications.profiles = self.profiles
        self.background_starts_refused = False
        """Whether a vendor's Android refuses every activity start from the background, even if the
        sender lends its permission."""
        self.listener_refused = False
        """Whether a vendor forbids the shell to listen to notifications."""
        self.switches = Switches(self.preferences, self.screen.signs_changed, self.display.fix)
        self.telephony = Telephony(self)
        self.personal = Personal()
        self.cameras = Cameras()
        self.panel = Panel(self)
        self.keyguard = Keyguard(self)
        self.system_dialogs = SystemDialogs(self)
        """Dialogs of the system, above any app."""
        self.app_errors = AppErrors(self)
        self.toasts = Toasts(self)
        self._touch = Touch(self.timers, self.screen.touchable)
        self.injection = Injection(self)
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
        """Install an app written in Python."""
        app = kind(self)
        lifecycle.put(self, app)
        return app

    def uninstall(self, package: str, *, keep_data: bool = False) -> None:
        """Remove an app with its task, its process and the permissions it was granted."""
        self.settle()
        lifecycle.remove(self, self._app(package), keep_data=keep_data)

    def launch(self, package: str, user: int = 0) -> str:
        """Bring the package's task to the front or start it; return the activity's class."""
        self.record("launch", package, *([user] if user else []))
        return self.bring(package, user)

    def start(
        self,
        package: str,
        activity: str,
        extras: Mapping[str, str] | None = None,
        user: int = 0,
    ) -> str:
        """Open an activity by name, as `am start -n` does. Raises KeyError for an unknown one."""
        app = self._app(package, user)
        name = activity.removeprefix(package) if activity.startswith(package + ".") else activity
        kind = app.activities[name]
        self.record("launch", package, name)
        self.open(kind(app, extras))
        return self.front.class_name

    def stop(self, package: str) -> None:
        """Close an app and kill its process, as `am force-stop` does."""
        app = self._app(package)
        self.record("stop", package)
        self.running.force_stopping(app)
        lifecycle.stop(self, app, f"stop {package} due to from pid 400")
        self.running.stopped.add(package)

    def is_in_front(self, package: str) -> bool:
        """Whether a window of the app is on the screen."""
        self.settle()
        if self.front.app.package == package:
            return True  # also under a panel
        return any(
            window.type == "APPLICATION" and window.package == package for window in self.windows()
        )

    def show(self, package: str) -> None:
        """Show an app on the screen, without an input event."""
        self.settle()
        self.bring(package)

    def find_app(self, package: str, user: int = 0) -> App | None:
        if not user:
            return self.apps.get(package)
        return self.profiles[user].apps.get(package) if user in self.profiles else None

    def _app(self, package: str, user: int = 0) -> App:
        app = self.find_app(package, user)
        if app is None:
            raise NotInstalled(package)
        return app

    def bring(self, package: str, user: int = 0) -> str:
        """Bring an app to the front without an input event, as a tap on its icon does."""
        app = self._app(package, user)
        if app.main is None:
            raise NotLaunchable(package)
        self.tasks.bring(app)
        return self.front.class_name

    @property
    def front(self) -> Activity:
        """The activity in front."""
        front = self.tasks.front
        assert front is not None
        return front

    def open(self, activity: Activity) -> None:
        self.tasks.open(activity)

    # Notifications

    def notify(
        self,
        package: str,
        title: str,
        text: str,
        on_open: Callable[[], object] | None = None,
        **options: Unpack[NotificationOptions],
    ) -> Notification:
        """Post a notification. A tap on it calls `on_open`, or brings the app to the front."""
        self.settle()
        options.setdefault("id", self.notifications.new_id())
        posted = Notification(package, title, text, self.timers.now(), on_open, **options)
        return self.notifications.post(posted)

    def _announce(self, new: Notification) -> None:
        """Notify accessibility services. While the phone is locked with a PIN they get the public
        version, which apps do not provide here."""
        if new.user > 0:
            return
        hidden = self.locked and self.keyguard.kind == "pin"
        self.automation.hear(new, hidden)
        title, text = (None, None) if hidden else (new.title, new.text)
        self.screen.changes.notify("notification", new.package, title, text)

    def open_notification(self, notification: Notification) -> None:
        """Open a notification, as a tap on it does."""
        if notification.opens:
            self.notifications.clicked(notification)
            send_intent(self, notification)

    def cancel_input(self) -> None:
        """Cancel every touch and hide the keyboard."""
        self._touch.cancel_all()
        self.input_method.hide()

    def windows_changed(self) -> None:
        """Cancel input and count an accessibility event, because other windows are in front."""
        self.cancel_input()
        self.screen.changes.windows_changed()

    @property
    def foreground(self) -> tuple[str, str] | None:
        """Package and class of the activity in front; None while the phone boots."""
        return self.tasks.foreground

    @property
    def foreground_user(self) -> int | None:
        """The user of the app in front, if it is not the current user; programs can read it since
        Android 10."""
        front = self.tasks.front
        if front is None or not self.android.task_users:
            return None
        return front.app.user or None

    # Operations

    def settle(self) -> None:
        """Run everything that is due by the clock."""
        self.timers.run_due()

    def record(self, kind: str, *details: object) -> None:
        """Run everything that is due, then record an operation on the phone."""
        self.settle()
        self.events.append(Event(kind, details))
        if kind in ("touch", "key", "type"):
            self.display.used()
        if len(self.events) > MOST_EVENTS:
            del self.events[: MOST_EVENTS // 10]

    def touch(self, action: str, pointer: int, x: float, y: float) -> None:
        """Touch the screen: `action` is down, move, up or cancel. Ignored while it is off."""
        self.record("touch", action, pointer, x, y)
        if not self.awake:
            self._touch.cancel_all()
            return
        match action:
            case "down":
                self.quirks.focus_elsewhere = False
                self.screen.focus_half(x, y)
                self.touch_mode.enter()
                self.app_errors.touched(x, y)
                if not self.screen.touch_outside(x, y):
                    self._touch.put(pointer, x, y)
            case "move":
                self._touch.move(pointer, x, y)
            case "up":
                self._touch.lift(pointer, x, y)
            case "cancel":
                self._touch.cancel(pointer)
            case _:
                raise ValueError(f"no such touch: {action}")

    def wake_up(self) -> bool:
        """Switch the screen on without a key; return False if the shell may not."""
        self.settle()
        if not (self.wake_refused or self.wake_ignored):
            self.awake = True
        return not self.wake_refused

    def press(self, button: str, display: int | None = None) -> bool:
        """Perform a global action; False if this phone does not support it. `display` is the
        target, as for keys."""
        self.record("press", button)
        if button in ("back", "home") and not self._gets_keys(display):
            return True
        return buttons.press(self, button)

    def key(self, code: int, meta: int = 0, long: bool = False, display: int | None = None) -> None:
        """Press and release a key with Android's code; `meta` are modifiers from `hard_keys`, and
        `display` is the display that the event names."""
        if not self._gets_keys(display):
            self.record("key elsewhere", code)
            return
        self.record("key", code)
        self.app_errors.sent_input(self.focused_window)
        buttons.press_key(self, code, meta, long)

    def _gets_keys(self, display: int | None) -> bool:
        """Whether a key goes to the phone's own display. A key that names that display brings it to
        the top first."""
        quirks = self.quirks
        if display == 0 and self.android.input_display:
            quirks.focus_elsewhere = False
        return not quirks.focus_elsewhere

    def type_text(self, text: str, display: int | None = None) -> None:
        """Commit text into the focused field; ignored when there is none."""
        if not self._gets_keys(display):
            self.record("type elsewhere", text[:MOST_TYPED])
            return
        self.record("type", text[:MOST_TYPED])
        if self.awake and self.locked:
            self.keyguard.type(text)
        elif self.awake and not (self.quirks.handwriting and self.input_method.window):
            self.input_method.commit(text)

    def rotate(self, rotation: int) -> None:
        """Turn the device: quarter turns, 0 to 3. The screen follows while auto-rotate is on."""
        self.settle()
        self.display.hold(rotation)

    def resize(self, width: int, height: int, density: int) -> None:
        """Show apps a screen of another size, given for the upright phone."""
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
        """Switch the screen on or off. Off also locks the phone if a lock is set."""
        self.display.awake = awake
        if not awake and self.keyguard.kind != "none":
            self.keyguard.lock()
            self.keyguard.back()

    @property
    def locked(self) -> bool:
        return self.keyguard.locked

    @locked.setter
    def locked(self, locked: bool) -> None:
        """Lock or unlock the phone. Without a configured lock, a swipe unlocks it."""
        if locked:
            self.keyguard.lock()
        else:
            self.keyguard.unlock()

    # The screen

    def windows(self) -> list[Window]:
        """The windows on the screen, top first, each at its place."""
        return self.screen.windows()

    @property
    def focused_window(self) -> Window | None:
        return self.screen.focused_window

    def picture(self, max_size: int | None = None) -> "Image.Image":
        """Render the screen, scaled down if a side is longer than `max_size`."""
        self.settle()
        from .views.drawing.render import render

        return render(self, max_size)
