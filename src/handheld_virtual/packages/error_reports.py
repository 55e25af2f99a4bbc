"""Reports of crashes and hangs, as Android writes them to the drop box and the crash log."""

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from ..system.identity import identity
from ..system.properties import fingerprint

if TYPE_CHECKING:
    from ..world import World
    from .app import App
    from .processes import AppProcess

_CODE = Path(__file__).parents[1]
_APPS = _CODE / "apps"
"""The folder of this phone's code, and the folder of its apps in it."""
_STARS = "*** " * 15 + "***"
_SYSTEM_FLAGS, _DATA_FLAGS = "0x38983e45", "0x38a83e44"
SIGNALS = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV"}
_CODES = {4: "1 (ILL_ILLOPC)", 6: "-1 (SI_QUEUE)", 8: "1 (FPE_INTDIV)", 11: "1 (SEGV_MAPERR)"}
NATIVE_FRAMES = ("libhandheld.so (grind+36)", "libart.so (art_quick_generic_jni_trampoline+144)")


class JavaException(Exception):
    """An exception of an app as the log shows it, with its class and the place where it was
    thrown."""

    def __init__(self, name: str, message: str, *frames: str) -> None:
        super().__init__(message)
        self.name, self.frames = name, frames


def describe_exception(problem: Exception, package: str) -> list[str]:
    """The stack trace as Java prints it. An exception of an app in Python has that app's frames."""
    name = getattr(problem, "name", "") or "java.lang.RuntimeException"
    frames: tuple[str, ...] = getattr(problem, "frames", ()) or _python_frames(problem, package)
    return [f"{name}: {problem}", *(f"\tat {frame}" for frame in frames)]


def _python_frames(problem: Exception, package: str) -> tuple[str, ...]:
    found: list[str] = []
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        file = Path(code.co_filename)
        # Only the app's frames: the phone's calls of it are not part of the app.
        if not file.is_relative_to(_CODE) or file.is_relative_to(_APPS):
            found.append(f"{package}.{code.co_qualname}({file.name}:{trace.tb_lineno})")
        trace = trace.tb_next
    return tuple(reversed(found))


class ErrorReport:
    """The facts about an app and its process when it fails."""

    def __init__(self, world: "World", app: "App", process: "AppProcess") -> None:
        self._world, self._app, self._process = world, app, process
        self.in_front = world.is_in_front(app.package)

    @property
    def tag(self) -> str:
        """The first part of the entry's tag in the drop box."""
        return "system_app" if self._app.system else "data_app"

    def text(self, body: str, *, subject: str = "", activity: str = "", crash: bool = False) -> str:
        """The text of an entry for the drop box."""
        return "\n".join([*self._head(subject, activity, crash), "", body])

    def _head(self, subject: str, activity: str, crash: bool) -> list[str]:
        app, process, android = self._app, self._process, self._world.android
        version = f" ({app.version})" if app.version is not None else ""
        uptime = int(self._world.timers.now())
        lines = [f"SystemUptimeMs: {uptime}"] if android.report_uptime else []
        lines += [f"Process: {process.name}", f"PID: {process.pid}"]
        lines += [f"UID: {process.uid}"] if android.report_uid else []
        lines += ["Frozen: false"] if android.report_frozen else []
        if android.report_uptime and not crash:
            lines.append(f"Timestamp: {self._timestamp()}")
        lines.append(f"Flags: {_SYSTEM_FLAGS if app.system else _DATA_FLAGS}")
        lines.append(f"Package: {app.package} v{app.version_code}{version}")
        lines.append(f"Foreground: {'Yes' if self.in_front else 'No'}")
        if android.report_uid:
            lines.append(f"Process-Runtime: {max(uptime - process.since, 1):.0f}")
        if android.report_uptime and crash:
            lines.append(f"Timestamp: {self._timestamp()}")
        lines += [f"Activity: {activity}"] if activity else []
        lines += [f"Subject: {subject}"] if subject else []
        if subject and android.report_frozen:
            lines.append(f"ErrorId: {UUID(int=int(identity('anr', process.pid, uptime), 16))}")
        lines.append(f"Build: {fingerprint(android)}")
        lines += ["PageSize: 4096"] if android.report_uptime else []
        return lines

    def _timestamp(self) -> str:
        now = self._world.wall.now()
        zone = now.strftime("%z")
        return f"{now.strftime('%Y-%m-%d %H:%M:%S')}.{now.microsecond // 1000:03d}{zone}"

    def tombstone(self, signal: int, abort: str) -> list[str]:
        """The lines that `crash_dump` logs about a process that a signal ended."""
        process, android, now = self._process, self._world.android, self._world.wall.now()
        lines = [
            _STARS,
            f"Build fingerprint: '{fingerprint(android)}'",
            "Revision: '0'",
            "ABI: 'arm64'",
        ]
        if android.tombstone_timestamp:
            lines.append(f"Timestamp: {now.strftime('%Y-%m-%d %H:%M:%S.%f')}000{now:%z}")
        if android.tombstone_command_line:
            runs = (self._world.timers.now() - process.since) / 1000
            lines += [f"Process uptime: {runs:.0f}s", f"Cmdline: {process.name}"]
        thread = process.name[-15:]
        lines.append(
            f"pid: {process.pid}, tid: {process.pid}, name: {thread}  >>> {process.name} <<<"
        )
        lines += [f"uid: {process.uid}"] if android.tombstone_uid else []
        fault = "--------" if signal == 6 else "0x0"
        lines.append(f"{describe_signal(signal)}, fault addr {fault}")
        lines += [f"Abort message: '{abort}'"] if abort else []
        lines += ["    x0  0000000000000000  x1  0000007fc3a4e2d8  x2  0000000000000001", ""]
        lines.append("backtrace:")
        lines += [
            f"      #{number:02d} pc 00000000000{0x1A2C4 + 16 * number:x}  /system/lib64/{frame}"
            for number, frame in enumerate(NATIVE_FRAMES)
        ]
        return lines

    def stacks(self) -> str:
        """The stacks of a hanging app, as it dumps them itself."""
        process, now = self._process, self._world.wall.now()
        return "\n".join(
            [
                f"----- pid {process.pid} at {now.strftime('%Y-%m-%d %H:%M:%S')} -----",
                f"Cmd line: {process.name}",
                f"Build fingerprint: '{fingerprint(self._world.android)}'",
                "ABI: 'arm64'",
                "",
                '"main" prio=5 tid=1 Sleeping',
                '  | group="main" sCount=1 dsCount=0 flags=1 obj=0x71a4e2d8 self=0x7b1a2c4000',
                "  at java.lang.Thread.sleep(Native method)",
                f"  at {process.name}.MainActivity.hang(MainActivity.java:51)",
                "  at android.os.Handler.dispatchMessage(Handler.java:106)",
                "  at android.os.Looper.loop(Looper.java:288)",
                "  at android.app.ActivityThread.main(ActivityThread.java:7872)",
                "",
                f"----- end {process.pid} -----",
                "",
            ]
        )


def describe_signal(signal: int) -> str:
    name = SIGNALS.get(signal, f"SIG{signal}")
    return f"signal {signal} ({name}), code {_CODES.get(signal, '0 (SI_USER)')}"
