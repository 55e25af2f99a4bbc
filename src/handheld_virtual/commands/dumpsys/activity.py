"""`dumpsys activity`: tasks, activities and processes."""

from datetime import datetime

from ...packages.app import Activity
from ...packages.intent import short_name
from ...packages.processes import Exit
from ...packages.running import REASONS
from ...packages.tasks import Task
from ...system.identity import identity
from ..call import CommandCall
from .records import RULE, Records, flag

_USAGE = """\
Activity manager dump options:
  [-a] [-c] [-p PACKAGE] [-h] [WHAT] ...
  WHAT may be one of:
    a[ctivities]: activity stack state
    r[recents]: recent activities state
    p[rocesses] [PACKAGE_NAME]: process state
    s[ervices] [COMP_SPEC ...]: service state
    top: application state of the top activity
    exit-info [PACKAGE_NAME]: historical process exit information
  -a: include all available server state.
  -c: include client state.
  -p: limit output to given package.
"""


async def activity(call: CommandCall) -> None:
    words = call.arguments
    records = Records(call.phone.world)
    package: str | None = None
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-h":
            await call.write(_USAGE)
            return
        if option == "-p":
            if not words:
                await call.write("Error: -p option requires package argument\n")
                return
            package = words.pop(0)
        elif option not in ("-a", "-c"):
            await call.write(f"Unknown argument: {option}; use -h for help\n")
            return
    if not words:
        parts = [
            _recents(records, package),
            _services(),
            _activities(records, package),
            _processes(records, package),
        ]
        await call.write(f"\n{RULE}\n".join("\n".join(part) + "\n" for part in parts))
        return
    match words[0]:
        case "a" | "activities":
            lines = _activities(records, package)
        case "r" | "recents":
            lines = _recents(records, package)
        case "p" | "processes":
            lines = _processes(records, words[1] if len(words) > 1 else package)
        case "s" | "services":
            lines = _services()
        case "exit-info" if records.android.exit_info:
            lines = _exits(records, words[1] if len(words) > 1 else package)
        case "top":
            lines = _top(records, package)
        case name:
            lines = _named(records, name)
    await call.write("\n".join(lines) + "\n")


# Activities


def _activities(records: Records, package: str | None) -> list[str]:
    lines = [
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)",
        "Display #0 (activities from top to bottom):",
    ]
    tasks = [task for task in reversed(records.tasks) if package in (None, task.app.package)]
    for task in tasks:
        lines += _root_task(records, task) if records.android.root_tasks else _stack(records, task)
        lines.append("")
    if not tasks:
        return ["ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)", "  (nothing)"]
    front, _ = records.front
    resumed = records.front_record if records.is_resumed(front) else None
    if resumed is not None and records.android.root_tasks:
        lines += [
            "  Resumed activities in task display areas (from top to bottom):",
            f"    Resumed: {resumed}",
            "",
        ]
    if resumed is not None:
        lines.append(f"  ResumedActivity: {resumed}")
        lines.append("")
    state = (
        "ActivityTaskSupervisor state:"
        if records.android.root_tasks
        else "ActivityStackSupervisor state:"
    )
    lines.append(state)
    name = "topDisplayFocusedRootTask" if records.android.root_tasks else "topDisplayFocusedStack"
    lines.append(f"  {name}={records.task(records.tasks[-1], brief=True)}")
    lines += [
        "  KeyguardController:",
        f"    mKeyguardShowing={flag(records.world.locked)}",
        "    mAodShowing=false",
        "    mKeyguardGoingAway=false",
    ]
    return lines


def _stack(records: Records, task: Task) -> list[str]:
    """A task in the format of Android 11 and older."""
    kind = "home" if records.task(task).find("type=home") >= 0 else "standard"
    lines = [
        f"  Stack #{task.id}: type={kind} mode=fullscreen",
        f"  isSleeping={flag(not records.world.awake)}",
        "  mBounds=Rect(0, 0 - 0, 0)",
    ]
    if not records.android.window_hierarchy:
        lines += [f"    Task id #{task.id}", "    mBounds=Rect(0, 0 - 0, 0)"]
    lines += _task_body(records, task)
    for place, activity in reversed(list(enumerate(task.activities))):
        lines += _record(records, task, activity, f"      * Hist #{place}:", "          ")
    lines += ["", "    Running activities (most recent first):", f"      {records.task(task)}"]
    lines += [
        f"        Run #{place}: {records.activity(activity, task)}"
        for place, activity in reversed(list(enumerate(task.activities)))
    ]
    top = task.activities[-1]
    if records.is_resumed(top):
        lines += ["", f"    mResumedActivity: {records.front_record}"]
    else:
        lines += ["", f"    mLastPausedActivity: {records.activity(top, task)}"]
    return lines


def _task_body(records: Records, task: Task) -> list[str]:
    uid = records.user(records.uid(task.app.package))
    first = short_name(task.app.package, task.began)
    name = "mActivityComponent" if records.android.activity_component else "realActivity"
    activities = ", ".join(records.activity(activity, task) for activity in task.activities)
    return [
        f"    * {records.task(task)}",
        f"      userId=0 effectiveUid={uid} mCallingUid={uid} mUserSetupComplete=true",
        f"      affinity={records.affinity(task)}",
        f"      intent={{act=android.intent.action.MAIN cmp={first}}}",
        f"      {name}={first}",
        f"      Activities=[{activities}]",
        "      askedCompatMode=false inRecents=true isAvailable=true",
        f"      taskId={task.id} stackId={task.id}"
        if records.android.window_hierarchy
        else f"      stackId={task.id}",
    ]


def _root_task(records: Records, task: Task) -> list[str]:
    """A task in the format of Android 12 and newer."""
    top = task.activities[-1]
    lines = [f"  * {records.task(task)}", f"    isSleeping={flag(not records.world.awake)}"]
    if records.is_resumed(top):
        name = (
            "topResumedActivity=" if records.android.top_resumed_activity else "mResumedActivity: "
        )
        lines.append(f"    {name}{records.front_record}")
    else:
        lines.append(f"    mLastPausedActivity: {records.activity(top, task)}")
    for place, activity in reversed(list(enumerate(task.activities))):
        lines += _record(records, task, activity, f"    * Hist  #{place}:", "      ")
    return lines


def _record(records: Records, task: Task, activity: Activity, head: str, indent: str) -> list[str]:
    package = activity.app.package
    uid = records.uid(package)
    resumed = records.is_resumed(activity) and not records.is_asked
    shown = records.is_shown(activity)
    state = "RESUMED" if resumed else "PAUSED" if shown else "STOPPED"
    component = records.component(activity)
    root = "rootOfTask" if records.android.window_hierarchy else "frontOfTask"
    name = "mActivityComponent" if records.android.activity_component else "realActivity"
    windows = ", ".join(records.window(each) for each in (activity.window, *activity.dialogs))
    body = [
        f"packageName={package} processName={package}",
        f"launchedFromUid={uid} launchedFromPackage={package} userId=0",
        f"app={records.process(package)}",
        f"Intent {{ act=android.intent.action.MAIN cmp={component} }}",
        f"{root}={flag(activity is task.activities[0])} task={records.task(task, brief=True)}",
        f"taskAffinity={records.affinity(task)}",
        f"{name}={component}",
        f"CurrentConfiguration={records.configuration}",
        f"state={state} delayedResume=false finishing=false",
        "keysPaused=false inHistory=true idle=true",
        f"windows=[{windows}]",
        f"mVisibleRequested={flag(shown)} mVisible={flag(shown)} mClientVisible={flag(shown)} "
        f"reportedDrawn={flag(shown)} reportedVisible={flag(shown)}",
    ]
    return [f"{head} {records.activity(activity, task)}", *(indent + line for line in body)]


# Other parts


def _top(records: Records, package: str | None) -> list[str]:
    """The `top` dump, which as on Android has the task in front last."""
    lines: list[str] = []
    where = " displayId=0(type=INTERNAL)" if records.android.activity_display else ""
    for task in records.tasks:
        if package not in (None, task.app.package):
            continue
        lines.append(f"TASK {records.affinity(task)} id={task.id} userId=0{where}")
        lines += _state(records, task.activities[-1], where)
        lines.append("")
    return lines or ["  (nothing)"]


def _state(records: Records, activity: Activity, where: str) -> list[str]:
    package = activity.app.package
    pids = records.world.running.pids(package)
    number = identity("activity", activity.window.id if activity.window is not None else 0)
    who = f" userId=0 uid={records.uid(package)}" if records.android.activity_display else ""
    pid = f"pid={pids[0]}" if pids else "pid=(not running)"
    lines = [f"  ACTIVITY {records.component(activity)} {number} {pid}{who}{where}"]
    if pids:
        resumed = records.is_resumed(activity) and not records.is_asked
        shown = records.is_shown(activity)
        lines += [
            f"    Local Activity {identity('local', number)} State:",
            f"      mResumed={flag(resumed)} mStopped={flag(not shown)} mFinished=false",
            "      mIsInMultiWindowMode=false mIsInPictureInPictureMode=false",
            "      mChangingConfigurations=false",
            f"      mCurrentConfig={records.configuration}",
        ]
    return lines


def _recents(records: Records, package: str | None) -> list[str]:
    lines = ["ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)"]
    tasks = [task for task in reversed(records.tasks) if package in (None, task.app.package)]
    if not tasks:
        return [*lines, "  (nothing)"]
    lines.append("  Recent tasks:")
    for place, task in enumerate(tasks):
        lines += [f"  * Recent #{place}: {records.task(task)}"]
        lines += [line.replace("    ", "  ", 1) for line in _task_body(records, task)[1:]]
    return lines


def _processes(records: Records, package: str | None) -> list[str]:
    lines = [
        "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)",
        "  All known processes:",
    ]
    for process in records.world.running:
        if process.name not in records.world.apps or package not in (None, process.name):
            continue
        app = records.world.apps[process.name]
        kind = "*PERS*" if app.persistent else "*APP*"
        lines += [
            f"  {kind} UID {process.uid} {records.process(process.name)}",
            f"    user #0 uid={process.uid}",
            f"    pid={process.pid}",
            f"    packageList={{{process.name}}}",
        ]
    return lines


def _exits(records: Records, package: str | None) -> list[str]:
    """The exit records of processes, newest first for each package. Times are those of the
    phone."""
    now = records.world.wall.now()
    lines = [
        "ACTIVITY MANAGER PROCESS EXIT INFO (dumpsys activity exit-info)",
        f"Last Timestamp of Persistence Into Persistent Storage: {_moment(now)}",
    ]
    for name, exits in records.world.running.exits.items():
        if package in (None, name):
            lines.append(f"  package: {name}")
            lines.append(f"    Historical Process Exit for uid={exits[-1].process.uid}")
            for place, exit in enumerate(reversed(exits)):
                lines += _exit(records, place, exit)
    return lines


def _exit(records: Records, place: int, exit: Exit) -> list[str]:
    uid = exit.process.uid
    times = [f"timestamp={_moment(exit.time)}", f"pid={exit.process.pid}", f"realUid={uid}"]
    times += [f"packageUid={uid}", f"definingUid={uid}", "user=0"]
    causes = [f"process={exit.process.name}", f"reason={exit.reason} ({REASONS[exit.reason]})"]
    rest = [f"importance={exit.importance}", f"pss={_size(exit.pss)}", f"rss={_size(exit.rss)}"]
    rest += [f"description={exit.description or 'null'}", "state=empty", "trace=null"]
    status = f"status={exit.status}"
    if records.android.exit_info_joined:
        causes += ["subreason=0 (UNKNOWN)", status]
        lines = [" ".join(part) for part in (times, causes, rest)]
    else:
        lines = [*times, *causes, status, *rest]
    return [f"        ApplicationExitInfo #{place}:", *(f"          {line}" for line in lines)]


def _moment(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S.") + f"{time.microsecond // 1000:03d}"


def _size(kilobytes: int) -> str:
    """A size as DebugUtils prints it."""
    value, unit = kilobytes * 1024.0, ""
    for larger in ("KB", "MB", "GB"):
        if value > 900:
            value, unit = value / 1024, larger
    return f"{value:.{2 if value < 1 else 1 if value < 10 else 0}f}{unit}"


def _services() -> list[str]:
    """The `services` dump: apps of this phone have no running services."""
    return ["ACTIVITY MANAGER SERVICES (dumpsys activity services)", "  (nothing)"]


def _named(records: Records, name: str) -> list[str]:
    """The dump of `dumpsys activity pkg/.Activity`, or of a part of that name."""
    lines: list[str] = []
    for task in reversed(records.tasks):
        found = [
            activity
            for activity in task.activities
            if name in records.component(activity, short=False)
        ]
        if found:
            lines.append(f"TASK {records.affinity(task)} id={task.id} userId=0")
            for activity in reversed(found):
                lines += _state(records, activity, "")
    if lines:
        return lines
    return [f"Bad activity command, or no activities match: {name}", "Use -h for help."]
