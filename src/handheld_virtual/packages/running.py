"""The processes of apps: started when an app is needed, kept in the background, killed."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .deaths import crash
from .processes import (
    ALWAYS,
    FIRST_APP_UID,
    ROOT_UID,
    SYSTEM,
    SYSTEM_UID,
    USERS_APART,
    ZYGOTE,
    AppProcess,
    Exit,
)

if TYPE_CHECKING:
    from ..world import World
    from .app import Activity, App

REASONS = {
    3: "LOW_MEMORY",
    4: "APP CRASH(EXCEPTION)",
    5: "APP CRASH(NATIVE)",
    6: "ANR",
    8: "PERMISSION CHANGE",
    9: "EXCESSIVE RESOURCE USAGE",
    10: "USER REQUESTED",
    13: "OTHER KILLS BY SYSTEM",
    16: "PACKAGE UPDATED",
}
_REASONS = (
    ("crash", 4),
    ("anr", 6),
    ("after error", 6),
    ("permissions", 8),
    ("stop ", 10),
    ("remove task", 10),
)
_OTHER, _UPDATED = 13, 16
_CACHED = 400
"""The importance of a cached app, which is kept only for its next start."""
MOST_EXITS = 16
"""The number of exits kept for each package; the oldest are dropped."""


class Running:
    """The processes of apps: at most one for each app and user."""

    def __init__(self, world: "World", new_pid: Callable[[], int]) -> None:
        self._world = world
        self._new_pid = new_pid
        self._processes: dict[tuple[str, int], AppProcess] = {}
        """The processes by package and user."""
        self._uids: dict[str, int] = {}
        self._newest_window = 0
        self.exits: dict[str, list[Exit]] = {}
        """The exits of each package that is still installed, the newest last."""
        self.restricted: set[str] = set()
        """Apps that Android never starts in the background."""
        self.stopped: set[str] = set()
        """Apps that were force-stopped and not started since: broadcasts skip them."""
        self.immortal: set[str] = set()
        """Apps whose process survives a kill, like a process that hangs in a driver."""

    def __iter__(self) -> Iterator[AppProcess]:
        yield from ALWAYS
        yield from self._processes.values()

    def uid(self, app: "App") -> int:
        """The app's own uid, assigned once, or the one it shares."""
        if app.shared_uid is not None:
            return app.shared_uid
        own = self._uids.setdefault(app.package, FIRST_APP_UID + 100 + len(self._uids))
        return app.user * USERS_APART + own

    def process(self, app: "App") -> AppProcess | None:
        return self._processes.get((app.package, app.user))

    def pids(self, package: str) -> list[int]:
        """The pids of a package, for every user."""
        return [process.pid for process in self if process.name == package]

    def ensure(self, app: "App", why: str) -> AppProcess:
        self.stopped.discard(app.package)
        process = self.process(app)
        if process is None:
            now = self._world.timers.now()
            process = AppProcess(self._new_pid(), ZYGOTE.pid, self.uid(app), app.package, now)
            self._processes[app.package, app.user] = process
            self._note("I", "ActivityManager", f"Start proc {_named(process)} for {why}")
        return process

    def activity_resumed(self, activity: "Activity") -> None:
        """Start the app's process unless it runs, and write Android's log lines."""
        package, shown = activity.app.package, _component(activity)
        fresh = activity.window is not None and activity.window.id > self._newest_window
        if activity.window is not None and fresh:
            self._newest_window = activity.window.id
            user = activity.app.user
            self._note("I", self._task_tag, f"START u{user} {{cmp={shown}}} from uid {SYSTEM_UID}")
        known = self.process(activity.app) is not None
        self.ensure(activity.app, f"next-top-activity {{{package}/{activity.class_name}}}")
        if fresh or not known:
            whom = (
                f" for user {activity.app.user}" if self._world.android.displayed_for_user else ""
            )
            shown = f"Displayed {shown}{whom}: +0ms"
            self._world.logs.write(SYSTEM, "I", self._task_tag, shown, "main")

    @property
    def _task_tag(self) -> str:
        return (
            "ActivityTaskManager"
            if self._world.android.activity_task_manager
            else "ActivityManager"
        )

    def kill(
        self,
        app: "App",
        why: str,
        reason: int | None = None,
        status: int = 0,
        importance: int | None = None,
    ) -> bool:
        """Kill the app's process; return whether there was one. A persistent app is restarted.
        `why` is "" if Android did not kill it; `reason` follows from `why` by default."""
        process = self.process(app)
        if process is None:
            return False
        description = why if self._world.android.kill_causes else why.partition(" due to ")[0]
        if why:
            killing = f"Killing {_named(process)} (adj 900): {description}"
            self._note("I", "ActivityManager", killing)
        if reason is None:
            updated = "installPackage" in why and self._world.android.package_update_reason
            reason = _UPDATED if updated else _reason(description)
        if importance is None:
            front = self._world.tasks.front
            importance = 100 if front is not None and front.app is app else _CACHED
        usage = self._world.usages.of(process.name)
        now = self._world.wall.now()
        self._keep(
            Exit(now, process, reason, description, status, importance, usage.pss, usage.rss)
        )
        self._world.usages.forget(app.package)
        if app.package not in self.immortal:
            del self._processes[app.package, app.user]
            if app.persistent:
                self._note("I", "ActivityManager", f"Re-adding persistent process {app.package}")
                self.ensure(app, "restart")
        return True

    def _keep(self, exit: Exit) -> None:
        exits = self.exits.setdefault(exit.process.name, [])
        exits.append(exit)
        del exits[:-MOST_EXITS]

    def reboot(self, apps: Iterable["App"]) -> None:
        """Drop every process and start those that run from boot."""
        self._processes.clear()
        for app in apps:
            if app.persistent:
                self.ensure(app, "persistent")

    def crash(self, app: "App", problem: Exception) -> None:
        """End the app's process with an uncaught exception, as Android does."""
        crash(self._world, app, problem)

    def force_stopping(self, app: "App", why: str = "from pid 400", user: int = 0) -> None:
        message = f"Force stopping {app.package} appid={self.uid(app)} user={user}: {why}"
        self._note("I", "ActivityManager", message)

    def warn(self, level: str, message: str) -> None:
        """Log Android's message about an activity that it does not start."""
        self._note(level, self._task_tag, message)

    def denies(self, component: str) -> bool:
        """Whether a vendor's rule aborts an activity that the shell starts; if so, it is logged."""
        denied = self._world.quirks.denies_activities
        if denied:
            said = f"Intent {{ cmp={component} }} pkg : com.android.shell uid : 2000"
            tag = "ActivityStarterImpl"
            self._note("D", tag, f"MIUILOG- Permission Denied Activity : {said}")
        return denied

    def _note(self, level: str, tag: str, message: str) -> None:
        self._world.logs.write(SYSTEM, level, tag, message, "system")


def _reason(description: str) -> int:
    return next((number for word, number in _REASONS if word in description), _OTHER)


def user_name(uid: int) -> str:
    """The user's name as `ps` prints it."""
    known = {ROOT_UID: "root", SYSTEM_UID: "system", 2000: "shell"}
    user, own = divmod(uid, USERS_APART)
    return known.get(uid) or f"u{user}_a{own - FIRST_APP_UID}"


def _named(process: AppProcess) -> str:
    user, own = divmod(process.uid, USERS_APART)
    owner = process.uid if process.uid < FIRST_APP_UID else f"u{user}a{own - FIRST_APP_UID}"
    return f"{process.pid}:{process.name}/{owner}"


def _component(activity: "Activity") -> str:
    package = activity.app.package
    return f"{package}/{activity.class_name.removeprefix(package)}"
