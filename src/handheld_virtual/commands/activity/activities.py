"""`am` and `cmd activity`: start activities and services, send broadcasts, stop apps."""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import unquote

from handheld.app_formats.apk.manifest import ManifestKind

from ...files.media import PRIMARY, Refused
from ...packages.delivery import PROTECTED, broadcast, deny, is_in_background, start_service
from ...packages.error_reports import JavaException
from ...packages.intent import Intent, Match, query, short_name
from ...packages.intent_arguments import BadIntent, Words, parse_intent
from ...system.android import Android
from ..call import WRONG, CommandCall, refuse
from ..dumpsys.records import Records
from ..exceptions import throw, unknown_command
from ..users import NoSuchUser, check_user
from .starting import start

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
  crash [--user <USER_ID>] <PACKAGE|PID>
  get-current-user
  stack list
"""
_USER = {"--user": True}
_FROM_SHELL = 0x400000
"""Intent.FLAG_RECEIVER_FROM_SHELL."""
_BROADCAST_ADDED = {
    "--allow-background-activity-starts": Android.am_background_starts,
    "--async": Android.am_async,
}
_SCAN = "android.intent.action.MEDIA_SCANNER_SCAN_FILE"


async def activity(call: CommandCall) -> None:
    """The activity manager's shell, for `am` and `cmd activity`."""
    words = call.arguments
    android = call.phone.world.android
    if not words or words[0] in ("help", "-h"):
        await call.write(_USAGE)
        call.code = 0 if words and android.help_succeeds else WRONG
        return
    verb, *rest = words
    command = _COMMANDS.get(verb)
    if command is None or (verb == "stop-app" and not android.am_stop_app):
        await unknown_command(call, verb)
        return
    try:
        await command(call, rest, verb)
    except (BadIntent, NoSuchUser) as problem:
        await throw(call, verb, str(problem))


# Services and broadcasts


async def _start_service(call: CommandCall, words: list[str], verb: str) -> None:
    world = call.phone.world
    foreground = "foreground" in verb
    intent, found = await _find_service(call, words, verb, "Starting")
    if found is None:
        await refuse(call, "Error: Not found; no service started.")
        return
    if (denial := deny(world, intent, found)) is not None:
        await refuse(call, f"Error: Requires permission {denial.permission or denial}")
        return
    if not foreground and is_in_background(world, found):
        await refuse(call, "Error: app is in background uid null")
        return
    start_service(world, intent, found)


async def _find_service(
    call: CommandCall, words: list[str], verb: str, doing: str
) -> tuple[Intent, Match | None]:
    """The intent, and the service to which it resolves, if any."""
    intent, options = parse_intent(Words(words, verb), call.phone.world.android, _USER)
    check_user(call, options.get("--user", "current"))
    await call.write(f"{doing} service: {intent.show(call.phone.world.android)}\n")
    found = query(call.phone.world, ManifestKind.SERVICE, intent)
    named = intent.component is not None or intent.package
    return intent, found[0] if found and named else None


async def _stop_service(call: CommandCall, words: list[str], verb: str) -> None:
    """Report that the service was not running: services here handle each request immediately."""
    await _find_service(call, words, verb, "Stopping")
    await refuse(call, "Service not stopped: was not running.")


async def _broadcast(call: CommandCall, words: list[str], verb: str) -> None:
    world = call.phone.world
    own = {**_USER, "--receiver-permission": True}
    for option, change in _BROADCAST_ADDED.items():
        if world.android.has(change):
            own[option] = False
    intent, options = parse_intent(Words(words, verb), world.android, own)
    check_user(call, options.get("--user", "current"))
    shown = intent.with_flags(_FROM_SHELL).show(world.android)
    await call.write(f"Broadcasting: {shown}\n")
    if intent.action in PROTECTED:
        await throw(
            call,
            "broadcast",
            "java.lang.SecurityException: Permission Denial: not allowed to send broadcast"
            f" {intent.action} from pid=400, uid=2000",
        )
        return
    broadcast(world, intent)
    if intent.action == _SCAN and intent.scheme == "file":
        _look(call, unquote(intent.data.removeprefix("file://")))
    await call.write("Broadcast completed: result=0\n")


def _look(call: CommandCall, path: str) -> None:
    """Scan a file as the media provider's receiver does, without reporting the result."""
    world = call.phone.world
    # Up to Android 9, only in the primary storage.
    if not world.media.hangs and (
        world.android.media_scans_every_volume or path.startswith(f"{PRIMARY}/")
    ):
        with suppress(Refused):
            world.media.scan(path)


# Apps


async def _after_user(call: CommandCall, words: list[str], verb: str) -> str | None:
    """Return the argument of a command whose only option is --user; None if it was refused."""
    rest = Words(words, verb)
    while (option := rest.option()) is not None:
        if option != "--user":
            await refuse(call, f"Error: Unknown option: {option}")
            return None
        check_user(call, rest.value())
    return rest.value()


async def _end_app(call: CommandCall, words: list[str], verb: str) -> None:
    package = await _after_user(call, words, verb)
    if package is None:
        return
    world = call.phone.world
    # Android prints nothing for an unknown package.
    if package in world.apps and verb != "kill":
        world.stop(package)
    elif package in world.apps and not world.is_in_front(package):
        world.running.kill(world.apps[package], "kill background")


async def _kill_all(call: CommandCall, words: list[str], verb: str) -> None:
    world = call.phone.world
    for name, app in world.apps.items():
        if world.running.pids(name) and not world.is_in_front(name) and not app.persistent:
            world.running.kill(app, "kill all background")


async def _crash(call: CommandCall, words: list[str], verb: str) -> None:
    which = await _after_user(call, words, verb)
    if which is None:
        return
    world = call.phone.world
    name = "android.app.RemoteServiceException"
    if world.android.crashed_by_adb:
        name += "$CrashedByAdbException"
    for package, app in list(world.apps.items()):
        if which == package or which in map(str, world.running.pids(package)):
            world.running.crash(app, JavaException(name, "shell-induced crash", *_CRASH_FRAMES))


async def _current_user(call: CommandCall, words: list[str], verb: str) -> None:
    await call.write("0\n")


async def _switch_user(call: CommandCall, words: list[str], verb: str) -> None:
    rest = Words(words, verb)
    while rest.option() is not None:
        pass
    user = rest.value()
    if not re.fullmatch("[-+]?[0-9]{1,9}", user):
        raise BadIntent(f'java.lang.NumberFormatException: For input string: "{user}"')
    if int(user):
        await refuse(call, f"Error: Failed to switch to user {user}", 1)


async def _instrument(call: CommandCall, words: list[str], verb: str) -> None:
    if call.name == "cmd":
        call.code = WRONG
        await call.write("Error: must be invoked through 'am instrument'.\n")
        return
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


async def _stack(call: CommandCall, words: list[str], verb: str) -> None:
    operation = Words(words, verb).value()
    if operation != "list":
        await refuse(call, f"Error: unknown command '{operation}'")
        return
    world = call.phone.world
    word = "RootTask" if world.android.root_tasks else "Stack"
    configuration = ""
    if world.android.window_configuration:
        configuration = f" configuration={Records(world).configuration}\n"
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
            f"{word} id={number} bounds={bounds} displayId=0 userId=0\n{configuration}"
            f"  taskId={number}: {short_name(root.app.package, root.class_name)} bounds={bounds}"
            f" userId=0 visible={visible}"
            f" topActivity=ComponentInfo{{{top.app.package}/{top.class_name}}}\n\n"
        )


async def _dump_heap(call: CommandCall, words: list[str], verb: str) -> None:
    Words(words, verb).value()
    await throw(call, verb, f"java.lang.SecurityException: Process not debuggable: {words[-1]}")


async def _get_config(call: CommandCall, words: list[str], verb: str) -> None:
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


_CRASH_FRAMES = (
    "android.app.ActivityThread.throwRemoteServiceException(ActivityThread.java)",
    "android.app.ActivityThread$H.handleMessage(ActivityThread.java)",
    "android.os.Handler.dispatchMessage(Handler.java)",
    "android.os.Looper.loop(Looper.java)",
    "android.app.ActivityThread.main(ActivityThread.java)",
)
_COMMANDS: dict[str, Callable[[CommandCall, list[str], str], Awaitable[None]]] = {
    "broadcast": _broadcast,
    "crash": _crash,
    "dumpheap": _dump_heap,
    "force-stop": _end_app,
    "get-config": _get_config,
    "get-current-user": _current_user,
    "instrument": _instrument,
    "kill": _end_app,
    "kill-all": _kill_all,
    "stack": _stack,
    "start": start,
    "start-activity": start,
    "start-foreground-service": _start_service,
    "start-service": _start_service,
    "startforegroundservice": _start_service,
    "startservice": _start_service,
    "stop-app": _end_app,
    "stop-service": _stop_service,
    "stopservice": _stop_service,
    "switch-user": _switch_user,
}
