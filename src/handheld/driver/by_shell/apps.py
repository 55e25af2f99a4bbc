"""Apps by Android's `pm`, `am` and `ps`.

Every command names the user: commands without one fail if there is a second user, a work profile or
a vendor's locked folder, some with exit code 0.
"""

import re
from collections.abc import Iterator

from ...adb.link import AdbError
from ...helper.protocol import Code, Happened, HelperFailure
from ..apps import AppProcesses, Installed
from ..by_adb.commands import Commands, first_line
from ..packages import PACKAGE
from ..reading.dumpsys import (
    FRONT_LINES,
    TASK_LINES,
    read_beginners,
    read_foreground,
    read_front_task,
    read_front_user,
    read_locked,
    read_processes,
    read_resumed,
)

FIRST_APP_UID = 10_000
WAIT_SECONDS = 10
STOP_MS = 3000
LOOK_MS = 100

FRONT_LINE = (
    f"dumpsys activity activities | grep -E '{FRONT_LINES}';"
    " dumpsys window displays | grep -E 'mCurrentFocus=|mFocusedApp='"
)
_TASKS = f"dumpsys activity recents | grep -E '{TASK_LINES}'"
_LISTED = re.compile(
    r"package:([A-Za-z][\w.]*)(?: versionCode:(\d{1,19}))?(?: +uid:(\d{1,10})(?:,\d+)*)?\s*",
    re.ASCII,
)
_COMPONENT = re.compile(r"\s*([A-Za-z][\w.]*/[\w.$]+)\s*", re.ASCII)
_LAUNCHERS = ("android.intent.category.LAUNCHER", "android.intent.category.LEANBACK_LAUNCHER")


ABORTED = "Error: Activity not started, unknown error code 102"
"""The message of `am start` for ActivityManager.START_ABORTED."""


class BadPackages(AdbError):
    """`pm` printed something other than packages."""


def read_listed(printed: str) -> Iterator[tuple[str, int, int]]:
    """Parse `pm list packages`: package, version code and uid, 0 where not printed. Raises
    BadPackages."""
    for line in printed.replace("\r", "\n").splitlines():
        if not line.strip() or line.startswith(("WARNING: linker", "WARNING: Linker")):
            continue
        match = _LISTED.fullmatch(line)
        if match is None:
            raise BadPackages(
                f"The phone did not list its apps; it printed: {first_line(printed)}."
            )
        yield match[1], int(match[2] or 0), int(match[3] or 0)


def read_launchable(printed: str) -> str | None:
    """Parse `cmd package query-activities --brief`: the first activity."""
    for line in printed.splitlines():
        match = _COMPONENT.fullmatch(line)
        if match is not None:
            return match[1]
    return None


class ShellApps:
    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    async def packages(self, kind: str, user: int | None = None) -> list[Installed]:
        """List apps with their package as label: real labels are only in the APKs."""
        if user is None:
            user = await self._commands.user()
        listed = await self._list(user, "--show-versioncode")
        system = {package for package, _, _ in await self._list(user, "-s")}
        return [
            Installed(package, package, None, version, package in system)
            for package, version, _ in listed
            if kind == "all" or (package in system) == (kind == "system")
        ]

    async def _list(self, user: int, *options: str) -> list[tuple[str, int, int]]:
        words = " ".join(("pm list packages", *options, f"--user {user}"))
        result = await self._commands.run(words)
        output = result.stdout.decode(errors="replace")
        if result.code or not output.strip():
            output += result.stderr.decode(errors="replace")
            raise BadPackages(f"The phone did not list its apps; it printed: {first_line(output)}.")
        return list(read_listed(output))

    async def processes(self, package: str) -> AppProcesses | None:
        user = await self._commands.user()
        uids = {name: uid for name, _, uid in await self._list(user, "-U")}
        uid = uids.get(package)
        if uid is None:
            return None
        shared = uid < FIRST_APP_UID or list(uids.values()).count(uid) > 1
        return AppProcesses(uid, shared, await self._pids(package))

    async def _pids(self, package: str) -> frozenset[int]:
        return read_processes(await self._commands.ask("ps -A -o PID,NAME"), package)

    async def launch(self, package: str, profile: int | None = None) -> str:
        """Open an app; return the package of the activity that is then in front. `profile`: the
        profile's user."""
        user = await self._commands.user() if profile is None else profile
        if read_locked(await self._commands.ask(FRONT_LINE)):
            raise HelperFailure(Code.LOCKED, "The phone is locked.")
        activity = await self._find(user, package)
        line = f"cmd statusbar collapse; am start --user {user} -a android.intent.action.MAIN"
        line += f" -c {_LAUNCHERS[0]} -f 0x10200000 -n '{activity}'"
        result = await self._commands.run(line, act=True)
        output = (result.stdout + result.stderr).decode(errors="replace")
        if ABORTED in output:
            raise HelperFailure(Code.FAILED, ABORTED, data={"aborted": True})
        if re.search(r"^(Error|Exception|java\.)", output, re.MULTILINE):
            raise HelperFailure(Code.FAILED, f"Android said: {first_line(output)}.")
        front = ""
        for _ in range(WAIT_SECONDS * 1000 // LOOK_MS):
            front, there = await self.look_for(package, profile)
            if there:
                return front
            await self._pause()
        there = f" {front} is there." if front else ""
        message = f"{package} was started but did not come to the front in time.{there}"
        raise HelperFailure(Code.FAILED, message, Happened.PARTLY)

    async def look_for(self, package: str, profile: int | None = None) -> tuple[str, bool]:
        """Return the package in front, and whether it is this one, or in a task that this one
        started; with a profile, whether it belongs to that user."""
        output = await self._commands.ask(FRONT_LINE)
        front = read_foreground(output)
        if front is None:
            return "", False
        if profile is not None:
            there = front.package == package and read_front_user(output) == profile
            return front.package, there
        return front.package, front.package == package or await self._began(package, output)

    async def _began(self, package: str, front: str) -> bool:
        """Return whether the app started the foreground task, which may show a question by Android
        or an activity to which the app forwarded the start."""
        task = read_front_task(front)
        if task is None:
            return False
        return read_beginners(await self._commands.ask(_TASKS)).get(task) == package

    async def _find(self, user: int, package: str) -> str:
        if PACKAGE.fullmatch(package):
            for category in _LAUNCHERS:
                printed = await self._commands.ask(
                    f"cmd package query-activities --brief --user {user}"
                    f" -a android.intent.action.MAIN -c {category} -p {package}"
                )
                if activity := read_launchable(printed):
                    return activity
            if any(name == package for name, _, _ in await self._list(user)):
                raise HelperFailure(Code.NOT_LAUNCHABLE, f"{package} has no launcher activity.")
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")

    async def stop(self, package: str) -> bool:
        user = await self._commands.user()
        if all(name != package for name, _, _ in await self._list(user)):
            raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.")
        front = await self._commands.ask(FRONT_LINE)
        foreground = read_foreground(front)
        if package in read_resumed(front) or (foreground and foreground.package == package):
            raise HelperFailure(Code.IN_FRONT, f"{package} is in the foreground.")
        running = await self._pids(package)
        await self._commands.do(f"am force-stop --user {user} {package}")
        for _ in range(STOP_MS // LOOK_MS):
            now = await self._pids(package)
            if not running & now:
                return bool(running and now)
            await self._pause()
        message = f"{package} was told to stop, but its process still runs {STOP_MS} ms later."
        raise HelperFailure(Code.FAILED, message, Happened.PARTLY)

    async def _pause(self) -> None:
        # Sleeps on the phone, whose clock matters here.
        await self._commands.ask(f"sleep {LOOK_MS / 1000}")
