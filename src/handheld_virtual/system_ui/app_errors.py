"""Crashed and hanging apps, and the system's dialogs about them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..packages.error_reports import ErrorReport
from ..packages.processes import SYSTEM
from ..system.identity import identity
from ..views.drawing import theme
from ..views.layout import Column
from ..views.view import MATCH, View
from ..views.widgets.basic import Button
from ..views.widgets.dialogs import card
from ..views.window import Window

if TYPE_CHECKING:
    from ..packages.app import App
    from ..world import World
    from .dialogs import SystemDialog

PACKAGE = "android"
"""The package of the dialogs, which belong to system_server."""
ANR_MS = 5000
"""How long input waits for an app before an ANR."""
REPEATED_MS = 60_000
"""An app that crashes twice within this time "keeps stopping"."""
DISMISS_MS = 300_000
"""A crash dialog closes itself after this time."""
KEY, DOWN = "KeyEvent", "MotionEvent(action=DOWN)"
_OLD_REASONS = {
    True: "Waiting to send key event because the focused window has not finished processing all of"
    " the input events that were previously delivered to it.  Outbound queue length: 0.  Wait queue"
    " length: 1.",
    False: "Waiting to send non-key event because the touched window has not finished processing"
    " certain input events that were delivered to it over 500.0ms ago.  Wait queue length: 1.  Wait"
    f" queue head age: {ANR_MS + 500}.0ms.",
}
"""The reason for a key (True) or a touch, up to Android 10."""


class AppErrors:
    def __init__(self, world: "World") -> None:
        self._world = world
        self._crashed: dict[str, float] = {}
        """The time of each app's last crash."""
        self._waiting: set[str] = set()
        """Hanging apps that have been sent input."""
        self._open: dict[str, SystemDialog] = {}

    # Crashes

    def crashed(self, app: "App") -> None:
        """Handle a crash: close the app's front activity, or all activities if the app keeps
        stopping."""
        world, package = self._world, app.package
        now = world.timers.now()
        last = self._crashed.get(package)
        repeated = last is not None and now < last + REPEATED_MS
        self._crashed[package] = now
        self._close(package)
        self._finish(app, whole=repeated)
        settings = world.preferences.number
        if not (
            repeated
            or not world.android.first_crash_is_silent
            or settings("global", "show_first_crash_dialog", 0)
            or settings("secure", "show_first_crash_dialog_dev_option", 0)
        ):
            return
        self._log("I", f"Showing crash dialog for package {package} u0")
        title = f"{app.label} {'keeps stopping' if repeated else 'has stopped'}"
        close = ("Close app", "aerr_close", lambda: None)
        if world.android.crash_dialog_app_info:
            rows = (("App info", "aerr_app_info", lambda: self._show_info(package)), close)
        elif repeated or not app.launchable:
            rows = (close,)
        else:
            rows = (("Open app again", "aerr_restart", lambda: world.bring(package)),)
        dialog = self._show(package, title, *rows)
        world.timers.after(DISMISS_MS, lambda: world.system_dialogs.close(dialog))

    def _finish(self, app: "App", whole: bool) -> None:
        tasks = self._world.tasks
        open_now = [activity for activity in tasks.all if activity.app is app]
        for activity in open_now if whole else open_now[-1:]:
            name = f"{app.package}/{activity.class_name.removeprefix(app.package)}"
            tag = "ActivityTaskManager"
            if not self._world.android.activity_task_manager:
                tag = "ActivityManager"
            self._log("W", f"  Force finishing activity {name}", tag)
            tasks.finish(activity)

    def _show_info(self, package: str) -> None:
        settings = self._world.apps.get("com.android.settings")
        if settings is not None:
            page = settings.activities[".applications.InstalledAppDetails"]
            self._world.open(page(settings, {"package": package}))

    # Apps that hang

    def sent_input(self, window: Window | None, event: str = KEY) -> None:
        """Start waiting for an app to handle the input that was sent to its window."""
        world = self._world
        package = window.package if window is not None else ""
        if package not in world.frozen_packages or package in self._waiting:
            return
        app = world.apps.get(package)
        if app is not None:
            self._waiting.add(package)
            world.timers.after(ANR_MS, lambda: self._hangs(app, event))

    def touched(self, x: float, y: float) -> None:
        if self._world.frozen_packages:
            at = (window for window in self._world.windows() if _holds(window, x, y))
            self.sent_input(next(at, None), DOWN)

    def _hangs(self, app: "App", event: str) -> None:
        world, package = self._world, app.package
        self._waiting.discard(package)
        process = world.running.process(app)
        top = world.tasks.last(app)
        if package not in world.frozen_packages or process is None or top is None:
            return
        shown = self._open.get(package)
        if shown is not None and world.system_dialogs.holds(shown.window):
            return
        number = top.window.id if top.window is not None else 0
        name = f"{package}/{top.class_name.removeprefix(package)}"
        if world.android.anr_names_window:
            channel = f"{identity('window', number)} {package}/{top.class_name} (server)"
            reason = f"{channel} is not responding. Waited {ANR_MS + 1}ms for {event}"
        else:
            reason = _OLD_REASONS[event == KEY]
        subject = f"Input dispatching timed out ({reason})"
        lines = (
            f"ANR in {package} ({name})",
            f"PID: {process.pid}",
            f"Reason: {subject}",
            f"Parent: {name}",
        )
        self._log("E", "\n".join(lines))
        report = ErrorReport(world, app, process)
        text = report.text(report.stacks(), subject=subject, activity=name)
        world.dropbox.add(f"{report.tag}_anr", text)
        self._show(
            package,
            f"{app.label} isn't responding",
            ("Close app", "aerr_close", lambda: self._end(app)),
            ("Wait", "aerr_wait", lambda: None),
        )

    def _end(self, app: "App") -> None:
        from ..packages.lifecycle import stop

        self._world.frozen_packages.discard(app.package)
        stop(self._world, app, "user request after error")

    # Dialogs

    def _show(
        self, package: str, title: str, *rows: tuple[str, str, Callable[[], object]]
    ) -> "SystemDialog":
        def button(words: str, id: str, then: Callable[[], object]) -> View:
            def press() -> None:
                self._close(package)
                then()

            return Button(
                words,
                press,
                id=f"android:id/{id}",
                width=MATCH,
                align="left",
                size=16,
                padding=(0, 14),
                background=None,
                color=theme.ON_SURFACE,
            )

        column = Column(*(button(words, id, then) for words, id, then in rows), width=MATCH)
        dialog = self._world.system_dialogs.open(
            PACKAGE, "", title, card(title, column), on_back=lambda: None
        )
        self._open[package] = dialog
        return dialog

    def _close(self, package: str) -> None:
        dialog = self._open.pop(package, None)
        if dialog is not None:
            self._world.system_dialogs.close(dialog)

    def _log(self, level: str, message: str, tag: str = "ActivityManager") -> None:
        self._world.logs.write(SYSTEM, level, tag, message, "system")


def _holds(window: Window, x: float, y: float) -> bool:
    left, top, right, bottom = window.box
    return left <= x < right and top <= y < bottom
