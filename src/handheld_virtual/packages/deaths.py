"""Ways in which an app dies. Each death is in the log, the drop box and the exit records, in
Android's formats."""

from typing import TYPE_CHECKING

from ..system.logs import Writer
from ..system.usage import HEAP_LIMIT
from .error_reports import ErrorReport, JavaException, describe_exception, describe_signal
from .processes import SYSTEM

if TYPE_CHECKING:
    from ..world import World
    from .app import App

STARVED, CRASHED, CRASHED_NATIVELY, HUNG, EXCESSIVE = 3, 4, 5, 6, 9
"""Reasons, with ApplicationExitInfo's numbers."""
KILLED = 9
"""SIGKILL."""
_LMKD = Writer(301, 1069)
_ALLOCATION = 16_777_232


def crash(world: "World", app: "App", problem: Exception) -> None:
    """Crash the app with an uncaught exception."""
    process = world.running.process(app)
    if process is None:
        return
    trace = describe_exception(problem, app.package)
    head = ("FATAL EXCEPTION: main", f"Process: {process.name}, PID: {process.pid}")
    writer = Writer(process.pid, process.uid)
    report = ErrorReport(world, app, process)
    world.logs.write(writer, "E", "AndroidRuntime", "\n".join((*head, *trace)), "crash")
    world.dropbox.add(f"{report.tag}_crash", report.text("\n".join([*trace, ""]), crash=True))
    world.running.kill(app, "crash", CRASHED)
    world.app_errors.crashed(app)


def crash_natively(world: "World", app: "App", signal: int = 11, abort: str = "") -> None:
    """Crash the app with a signal in its native code."""
    process = world.running.process(app)
    if process is None:
        return
    report, thread = ErrorReport(world, app, process), process.name[-15:]
    where = f"in tid {process.pid} ({thread}), pid {process.pid} ({thread})"
    writer = Writer(process.pid, process.uid)
    said = describe_signal(signal)
    world.logs.write(writer, "F", "libc", f"Fatal {said}, fault addr 0x0 {where}", "crash")
    lines = report.tombstone(signal, abort)
    # crash_dump is a separate process, forked from the app's.
    dumper = Writer(world.pids(), process.uid)
    for line in lines:
        world.logs.write(dumper, "F", "DEBUG", line, "crash")
    text = "\n".join([*lines, ""])
    world.dropbox.add(f"{report.tag}_native_crash", report.text(text))
    world.dropbox.add("SYSTEM_TOMBSTONE", f"isPrevious: true\nBuild: {app.package}\n\n{text}")
    world.running.kill(app, "crash", CRASHED_NATIVELY, status=signal)
    world.app_errors.crashed(app)


def hang_in_background(world: "World", app: "App", subject: str) -> None:
    """Let the app hang in the background, where Android kills it at once without a dialog."""
    from .lifecycle import stop

    process = world.running.process(app)
    if process is None:
        return
    report = ErrorReport(world, app, process)
    lines = (f"ANR in {process.name}", f"PID: {process.pid}", f"Reason: {subject}")
    world.logs.write(SYSTEM, "E", "ActivityManager", "\n".join(lines), "system")
    world.dropbox.add(f"{report.tag}_anr", report.text(report.stacks(), subject=subject))
    stop(world, app, "bg anr", reason=HUNG)


def kill_for_memory(world: "World", app: "App", *, in_use: bool = False) -> None:
    """Kill the app as lmkd does when memory is low. `in_use`: the app counts as used even without a
    window, like one with a foreground service."""
    from .lifecycle import stop

    process = world.running.process(app)
    if process is None:
        return
    front = in_use or world.is_in_front(app.package)
    freed = world.usages.of(app.package).rss
    line = (
        f"Kill '{process.name}' ({process.pid}), uid {process.uid}, oom_score_adj"
        f" {0 if front else 900} to free {freed}kB rss, {world.usages.of(app.package).swapped}kB"
        " swap; reason: low watermark is breached and swap is low"
    )
    world.logs.write(_LMKD, "I", "lowmemorykiller", line, "main")
    adj = "fg  TOP" if front else "cch CAC"
    died = f"Process {process.name} (pid {process.pid}) has died: {adj}"
    world.logs.write(SYSTEM, "I", "ActivityManager", died, "system")
    stop(world, app, "", reason=STARVED, status=KILLED, importance=125 if in_use else None)


def kill_for_use(world: "World", app: "App", permille: int = 214) -> None:
    """Kill a background app for excessive CPU use."""
    from .lifecycle import stop

    used = f"excessive cpu {permille * 300} during 300000 dur=900000 limit=2"
    stop(world, app, used, reason=EXCESSIVE)


def leak(world: "World", app: "App", kilobytes: int) -> None:
    """Fill the app's heap; it crashes once there is no room."""
    usage = world.usages.of(app.package)
    usage.java_heap += kilobytes
    if usage.java_heap <= HEAP_LIMIT:
        return
    limit = HEAP_LIMIT * 1024
    said = (
        f"Failed to allocate a {_ALLOCATION} byte allocation with 8388608 free bytes and 8192KB"
        f" until OOM, target footprint {limit}, growth limit {limit}"
    )
    frames = (f"{app.package}.MainActivity.keep(MainActivity.java:63)",)
    crash(world, app, JavaException("java.lang.OutOfMemoryError", said, *frames))
