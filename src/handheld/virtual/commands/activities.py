"""`am` and `cmd activity`: activities, services and broadcasts are started, apps are stopped."""

from collections.abc import Awaitable, Callable

from ...apk.manifest import Kind
from ..packages.intent import (
    HOME,
    NEW_TASK,
    BadIntent,
    Intent,
    Match,
    UnknownOption,
    Words,
    parse_intent,
    query,
    short_name,
)
from ..packages.service import Start
from .call import WRONG, Call, refuse
from .exceptions import throw, unknown_command
from .users import NoSuchUser, check_user

_USAGE = """\
Activity manager (activity) commands:
  help
      Print this help text.
  start-activity [-D] [-N] [-W] [-P <FILE>] [--start-profiler <FILE>]
          [--sampling INTERVAL] [--streaming] [-R COUNT] [-S]
          [--track-allocation] [--user <USER_ID> | current] <INTENT>
  start-service [--user <USER_ID> | current] <INTENT>
  start-foreground-service [--user <USER_ID> | current] <INTENT>
  stop-service [--user <USER_ID> | current] <INTENT>
  broadcast [--user <USER_ID> | all | current] <INTENT>
  instrument [-r] [-e <NAME> <VALUE>] [-w] <COMPONENT>
  force-stop [--user <USER_ID> | all | current] <PACKAGE>
  kill [--user <USER_ID> | all | current] <PACKAGE>
  kill-all
  get-current-user
  stack list
"""
_USER = {"--user": True}
_START = {
    **_USER,
    "-W": False,
    "-S": False,
    "--display": True,
    "--windowingMode": True,
    "--activityType": True,
    "--task": True,
}
_PROTECTED = (
    "android.intent.action.AIRPLANE_MODE",
    "android.intent.action.BATTERY_CHANGED",
    "android.intent.action.BOOT_COMPLETED",
    "android.intent.action.PACKAGE_ADDED",
    "android.intent.action.SCREEN_ON",
    "android.intent.action.SCREEN_OFF",
)
"""What only the system may send."""


async def am(call: Call) -> None:
    await activity(call, call.arguments)


async def activity(call: Call, words: list[str]) -> None:
    """The activity manager's shell: the same for `am` and for `cmd activity`."""
    if not words or words[0] in ("help", "-h"):
        await call.write(_USAGE)
        call.code = 0 if words else WRONG
        return
    verb, *rest = words
    command = _COMMANDS.get(verb)
    if command is None:
        await unknown_command(call, verb)
        return
    try:
        await command(call, rest)
    except UnknownOption as option:
        await refuse(call, f"Error: Unknown option: {option}")
    except (BadIntent, NoSuchUser) as problem:
        await throw(call, verb, str(problem))


# Activities


async def _start(call: Call, words: list[str]) -> None:
    world = call.phone.world
    api = world.api
    intent, options = parse_intent(Words(words), _START)
    check_user(call, options.get("--user", "current"))
    if options.get("--display", "0") != "0":
        # There is but one display; Android starts on the default one and says nothing.
        options.pop("--display")
    found = _find(call, intent)
    if "-S" in options:
        package = intent.component[0] if intent.component else intent.package
        package = package or (found.app.package if found is not None else "")
        if not package:
            await refuse(
                call, f"Error: Intent does not match any activities: {intent.show(api)}", 1
            )
            return
        await call.write(f"Stopping: {package}\n")
        if package in world.apps:
            world.stop(package)
    await call.write(f"Starting: {intent.show(api)}\n")
    if found is None:
        await _not_started(call, intent)
        return
    if not found.component.exported:
        await _not_exported(call, intent, found)
        return
    before = call.phone.clock.now()
    warning, state = _open(call, intent, found)
    if warning:
        await call.process.stderr.write(f"Warning: Activity not started, {warning}\n".encode())
    if "-W" in options:
        await _waited(call, found, state, int(call.phone.clock.now() - before))


def _find(call: Call, intent: Intent) -> Match | None:
    found = query(call.phone.world, Kind.ACTIVITY, intent)
    if intent.component is None:
        # What an activity's starter looks for is one that says it can be a default.
        launches = "android.intent.category.LAUNCHER" in intent.categories
        found = [one for one in found if one.is_default or launches or HOME in intent.categories]
    return found[0] if found else None


async def _not_started(call: Call, intent: Intent) -> None:
    api = call.phone.world.api
    code = 1 if api >= 29 else 0
    if intent.component is not None:
        package, name = intent.component
        await refuse(
            call, f"Error type 3\nError: Activity class {{{package}/{name}}} does not exist.", code
        )
        return
    shown = intent.with_flags(NEW_TASK).show(api)
    await refuse(call, f"Error: Activity not started, unable to resolve {shown}", code)


async def _not_exported(call: Call, intent: Intent, found: Match) -> None:
    shown = intent.with_flags(NEW_TASK).show(call.phone.world.api).removeprefix("Intent ")
    uid = call.phone.world.running.uid(found.app)
    await throw(
        call,
        "start",
        f"java.lang.SecurityException: Permission Denial: starting Intent {shown} from null"
        f" (pid=400, uid=2000) not exported from uid {uid}",
    )


def _open(call: Call, intent: Intent, found: Match) -> tuple[str, str]:
    """Bring the activity up: the warning that goes with it, and the state it was started from."""
    world, app = call.phone.world, found.app
    running = bool(world.running.pids(app.package))
    name = found.component.name.removeprefix(app.package)
    name = name if name in app.activities else found.component.name
    first = world.tasks.first(app)
    extras = {key: _text(value) for key, value in intent.extras.items()}
    extras |= _from_data(intent)
    again = first is not None and first.class_name == found.component.name
    if (again and not extras and not intent.flags & 0x08008000) or HOME in intent.categories:
        top = world.front.app is app
        if HOME in intent.categories and found.app.package == world.front.app.package:
            world.press("home")
            return "", "HOT"
        world.launch(app.package)
        if top:
            return (
                "intent has been delivered to currently running top-most instance.",
                "UNKNOWN (0)",
            )
        if HOME in intent.categories:
            return "", "HOT"
        return "its current task has been brought to the front", "HOT"
    if name == app.main and not extras and first is None:
        world.launch(app.package)
    else:
        world.start(app.package, name, extras)
    return "", "WARM" if running else "COLD"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "" if value is None else str(value)


def _from_data(intent: Intent) -> dict[str, str]:
    """What an address tells the app, for those apps here that read it as an extra."""
    if intent.scheme in ("sms", "smsto", "tel"):
        from urllib.parse import unquote

        return {"address": unquote(intent.data.partition(":")[2].partition("?")[0].strip("/"))}
    return {"data": intent.data} if intent.data else {}


async def _waited(call: Call, found: Match, state: str, took: int) -> None:
    lines = ["Status: ok"]
    if call.phone.world.api >= 29:
        lines.append(f"LaunchState: {state}")
    lines.append(f"Activity: {found.short}")
    if call.phone.world.api <= 28:
        lines.append(f"ThisTime: {took}")
    lines += [f"TotalTime: {took}", f"WaitTime: {took}", "Complete"]
    await call.write("".join(f"{line}\n" for line in lines))


# Services and broadcasts


async def _start_service(call: Call, words: list[str], verb: str) -> None:
    world = call.phone.world
    intent, options = parse_intent(Words(words), _USER)
    check_user(call, options.get("--user", "current"))
    await call.write(f"{verb} service: {intent.show(world.api)}\n")
    found = query(world, Kind.SERVICE, intent)
    if not found or (intent.component is None and not intent.package):
        missing = "no service started." if verb == "Starting" else "no service stopped"
        if verb == "Starting":
            await refuse(call, f"Error: Not found; {missing}")
        else:
            await refuse(call, "Service not stopped: was not running.")
        return
    component = found[0].component
    if not component.exported or component.permission:
        reason = component.permission or "not exported from uid " + str(
            world.running.uid(found[0].app)
        )
        await refuse(call, f"Error: Requires permission {reason}")
        return
    if verb == "Starting":
        app = found[0].app
        world.running.ensure(app, f"service {{{found[0].short}}}")
        extras = {key: _text(value) for key, value in intent.extras.items()}
        for service in app.started_services:
            if service.class_name == component.name:
                try:
                    service.start(Start(extras))
                except Exception:
                    world.running.kill(app, "crash")
    else:
        await refuse(call, "Service not stopped: was not running.")


async def _service(call: Call, words: list[str]) -> None:
    await _start_service(call, words, "Starting")


async def _foreground_service(call: Call, words: list[str]) -> None:
    await _start_service(call, words, "Starting")


async def _stop_service(call: Call, words: list[str]) -> None:
    await _start_service(call, words, "Stopping")


async def _broadcast(call: Call, words: list[str]) -> None:
    world = call.phone.world
    own = {**_USER, "--receiver-permission": True, "--allow-background-activity-starts": False}
    intent, options = parse_intent(Words(words), own)
    check_user(call, options.get("--user", "current"))
    shown = intent.with_flags(0x400000 if world.api >= 28 else 0).show(world.api)
    await call.write(f"Broadcasting: {shown}\n")
    if intent.action in _PROTECTED:
        await throw(
            call,
            "broadcast",
            "java.lang.SecurityException: Permission Denial: not allowed to send broadcast"
            f" {intent.action} from pid=400, uid=2000",
        )
        return
    for match in query(world, Kind.RECEIVER, intent):
        if match.component.exported and not match.component.permission:
            world.running.ensure(match.app, f"broadcast {{{match.short}}}")
    await call.write("Broadcast completed: result=0\n")


# Apps


async def _end_app(call: Call, words: list[str], deed: str) -> None:
    rest = Words(words)
    while (option := rest.option()) is not None:
        if option != "--user":
            raise UnknownOption(option)
        check_user(call, rest.value(option))
    package = rest.next()
    if package is None:
        await throw(
            call,
            deed,
            'java.lang.IllegalArgumentException: Argument expected after "'
            + (words[-1] if words else deed)
            + '"',
        )
        return
    world = call.phone.world
    # Android says nothing of a package that is not there.
    if package in world.apps and deed == "force-stop":
        world.stop(package)
    elif package in world.apps and not world.is_in_front(package):
        world.running.kill(world.apps[package], "kill background")


async def _force_stop(call: Call, words: list[str]) -> None:
    await _end_app(call, words, "force-stop")


async def _kill(call: Call, words: list[str]) -> None:
    await _end_app(call, words, "kill")


async def _kill_all(call: Call, words: list[str]) -> None:
    world = call.phone.world
    for name, app in world.apps.items():
        if world.running.pids(name) and not world.is_in_front(name) and not app.persistent:
            world.running.kill(app, "kill all background")


async def _current_user(call: Call, words: list[str]) -> None:
    await call.write("0\n")


async def _switch_user(call: Call, words: list[str]) -> None:
    if words != ["0"]:
        await refuse(call, "Error: Failed to switch to user " + (words[0] if words else ""), 1)


async def _instrument(call: Call, words: list[str]) -> None:
    name = words[-1] if words else ""
    if "/" not in name:
        await throw(
            call, "instrument", f"java.lang.IllegalArgumentException: Bad component name: {name}"
        )
        return
    package, _, runner = name.partition("/")
    shown = short_name(package, package + runner if runner.startswith(".") else runner)
    if "-r" in words or "-w" in words:
        await call.write(
            f"INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error="
            f"Unable to find instrumentation info for: ComponentInfo{{{name}}}\n"
            "INSTRUMENTATION_STATUS_CODE: -1\n"
        )
    await refuse(
        call,
        f"android.util.AndroidException: INSTRUMENTATION_FAILED: {shown}",
        1,
    )


async def _stack(call: Call, words: list[str]) -> None:
    if words[:1] != ["list"]:
        await refuse(call, f"Error: unknown command '{words[0] if words else ''}'")
        return
    world = call.phone.world
    word = "RootTask" if world.api >= 31 else "Stack"
    tasks = [*world.tasks.recent]
    home = world.tasks.home
    if home is not None:
        tasks.insert(0, home)
    front = world.front
    for number, top in sorted(enumerate(tasks, 1), key=lambda pair: pair[1].app is not front.app):
        root = world.tasks.first(top.app) or top
        visible = str(top is front).lower()
        bounds = f"[0,0][{world.width},{world.height}]"
        await call.write(
            f"{word} id={number} bounds={bounds} displayId=0 userId=0\n"
            f"  taskId={number}: {short_name(root.app.package, root.class_name)} bounds={bounds}"
            f" userId=0 visible={visible}"
            f" topActivity=ComponentInfo{{{top.app.package}/{top.class_name}}}\n\n"
        )


async def _dump_heap(call: Call, words: list[str]) -> None:
    await throw(
        call,
        "dumpheap",
        "java.lang.SecurityException: Process not debuggable: " + (words[-1] if words else ""),
    )


async def _get_config(call: Call, words: list[str]) -> None:
    world = call.phone.world
    dp = world.density / 160
    width, height = int(world.width / dp), int(world.height / dp)
    way = "land" if world.width > world.height else "port"
    night = "night" if world.preferences.get("secure", "ui_night_mode") == "2" else "notnight"
    await call.write(
        f"config: en-rUS-ldltr-sw{min(width, height)}dp-w{width}dp-h{height}dp-normal-long-"
        f"notround-lowdr-nowidecg-{way}-{night}-{world.density}dpi-finger-keysexposed-nokeys-"
        f"navhidden-nonav-{max(world.width, world.height)}x{min(world.width, world.height)}-"
        f"v{world.api}\n"
        "abi: arm64-v8a\n"
    )


_COMMANDS: dict[str, Callable[[Call, list[str]], Awaitable[None]]] = {
    "broadcast": _broadcast,
    "dumpheap": _dump_heap,
    "force-stop": _force_stop,
    "get-config": _get_config,
    "get-current-user": _current_user,
    "instrument": _instrument,
    "kill": _kill,
    "kill-all": _kill_all,
    "stack": _stack,
    "start": _start,
    "start-activity": _start,
    "start-foreground-service": _foreground_service,
    "start-service": _service,
    "startforegroundservice": _foreground_service,
    "startservice": _service,
    "stop-app": _force_stop,
    "stop-service": _stop_service,
    "stopservice": _stop_service,
    "switch-user": _switch_user,
}
