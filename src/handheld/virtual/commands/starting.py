"""`am start`: resolve an intent and open the activity."""

import os
import re
from dataclasses import replace

from ...apk.manifest import Kind
from ..packages.intent import HOME, NEW_TASK, Intent, Match, query
from ..packages.intent_arguments import BadIntent, Words, parse_intent
from ..system.android import Android
from .call import CommandCall, refuse
from .exceptions import throw
from .users import check_user

_OPTIONS = {
    "--user": True,
    "-W": False,
    "-S": False,
    "-N": False,
    "-R": True,
    "--display": True,
    "--task": True,
    "--task-overlay": False,
    "--sampling": True,
    "--streaming": False,
    "--track-allocation": False,
    "--receiver-permission": True,
}
_OPTIONS_ADDED = {
    "--windowingMode": (True, Android.am_windowing_mode),
    "--activityType": (True, Android.am_windowing_mode),
    "--lock-task": (False, Android.am_windowing_mode),
    "--allow-background-activity-starts": (False, Android.am_background_starts),
    "--async": (False, Android.am_async),
    "--splashscreen-show-icon": (False, Android.am_splash_screen_icon),
    "--dismiss-keyguard": (False, Android.am_dismiss_keyguard),
}
_NUMBERS = ("-R", "--display", "--task", "--sampling", "--windowingMode", "--activityType")
_EXTRA_INTENTS_COLLECTED = 0x4
"""Intent.EXTENDED_FLAG_NESTED_INTENT_KEYS_COLLECTED."""


def start_options(android: Android) -> dict[str, bool]:
    """The options of the release, and whether each has a value. Several have no effect here: there
    is one display, and nobody debugs or profiles."""
    added = {
        name: valued for name, (valued, change) in _OPTIONS_ADDED.items() if android.has(change)
    }
    return _OPTIONS | added


async def start(call: CommandCall, words: list[str], verb: str) -> None:
    world = call.phone.world
    intent, options = parse_intent(Words(words, verb), world.android, start_options(world.android))
    for name in _NUMBERS:
        if not re.fullmatch("[-+]?[0-9]{1,9}", options.get(name, "0")):
            raise BadIntent(f'java.lang.NumberFormatException: For input string: "{options[name]}"')
    if options.get("--user") == "all":
        await refuse(call, "Error: Can't start service with user 'all'", 1)
        return
    check_user(call, options.get("--user", "current"))
    if "--dismiss-keyguard" in options:
        world.keyguard.dismiss()
    found = _find(call, intent)
    if "-S" in options:
        package = intent.component[0] if intent.component else intent.package
        package = package or (found.app.package if found is not None else "")
        if not package:
            await refuse(
                call,
                f"Error: Intent does not match any activities: {intent.show(world.android)}",
                1,
            )
            return
        await call.write(f"Stopping: {package}\n")
        if package in world.apps:
            world.stop(package)
    await call.write(f"Starting: {intent.show(world.android)}\n")
    # Android reports to those that wait on stdout.
    report = call.process.stdout if "-W" in options else call.process.stderr
    if found is None:
        call.code = int(world.android.am_start_fails)
        await report.write(os.fsencode(_not_started(call, intent)))
        return
    if not found.component.exported:
        await _not_exported(call, verb, intent, found)
        return
    before = call.phone.clock.now()
    warning, state = _open(call, intent, found)
    if warning:
        await report.write(f"Warning: Activity not started, {warning}\n".encode())
    if "-W" in options:
        await _waited(call, found, state, int(call.phone.clock.now() - before))


def _find(call: CommandCall, intent: Intent) -> Match | None:
    found = query(call.phone.world, Kind.ACTIVITY, intent)
    if intent.component is None:
        # An activity is only started implicitly if it declares the default category.
        launches = "android.intent.category.LAUNCHER" in intent.categories
        found = [
            match for match in found if match.is_default or launches or HOME in intent.categories
        ]
    return found[0] if found else None


def _not_started(call: CommandCall, intent: Intent) -> str:
    android = call.phone.world.android
    if intent.component is not None:
        package, name = intent.component
        return f"Error type 3\nError: Activity class {{{package}/{name}}} does not exist.\n"
    extended = _EXTRA_INTENTS_COLLECTED if android.intent_extended_flags else 0
    shown = replace(intent.with_flags(NEW_TASK), extended_flags=extended).show(android)
    return f"Error: Activity not started, unable to resolve {shown}\n"


async def _not_exported(call: CommandCall, verb: str, intent: Intent, found: Match) -> None:
    shown = intent.with_flags(NEW_TASK).show(call.phone.world.android)
    uid = call.phone.world.running.uid(found.app)
    await throw(
        call,
        verb,
        f"java.lang.SecurityException: Permission Denial: starting {shown} from null"
        f" (pid=400, uid=2000) not exported from uid {uid}",
    )


def _open(call: CommandCall, intent: Intent, found: Match) -> tuple[str, str]:
    """Open the activity; return the warning that is printed, and the launch state."""
    world, app = call.phone.world, found.app
    running = bool(world.running.pids(app.package))
    name = found.component.name.removeprefix(app.package)
    name = name if name in app.activities else found.component.name
    first = world.tasks.first(app)
    extras = {key: text(value) for key, value in intent.extras.items()}
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


def text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "" if value is None else str(value)


def _from_data(intent: Intent) -> dict[str, str]:
    """The content of the intent's URI, as the extras that some apps here read."""
    if intent.scheme in ("sms", "smsto", "tel"):
        from urllib.parse import unquote

        return {"address": unquote(intent.data.partition(":")[2].partition("?")[0].strip("/"))}
    if intent.scheme == "package":
        return {"package": intent.data.partition(":")[2]}
    return {"data": intent.data} if intent.data else {}


async def _waited(call: CommandCall, found: Match, state: str, took: int) -> None:
    lines = ["Status: ok", f"Activity: {found.short}"]
    if call.phone.world.android.am_start_launch_state:
        lines.insert(1, f"LaunchState: {state}")
    else:
        lines.append(f"ThisTime: {took}")
    lines += [f"TotalTime: {took}", f"WaitTime: {took}", "Complete"]
    await call.write("".join(f"{line}\n" for line in lines))
