"""`am start`: resolve an intent and open the activity."""

import os
import re
from dataclasses import replace

from ...packages.chooser import open_resolver
from ...packages.delivery import ABORTED, Denial, deny, find_activities, open_activity
from ...packages.intent import NEW_TASK, Intent, choose
from ...packages.intent_arguments import BadIntent, Words, parse_intent
from ...system.android import Android
from ..call import CommandCall, refuse
from ..exceptions import throw
from ..users import find_user

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
    """The options of the release, and whether each takes a value. Several have no effect, because
    there is one display and no debugger or profiler."""
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
    user = find_user(call, options.get("--user", "current"))
    if "--dismiss-keyguard" in options:
        world.keyguard.dismiss()
    several = find_activities(world, intent, user)
    found = choose(world, several)
    if "-S" in options:
        package = intent.component[0] if intent.component else intent.package
        package = package or (several[0].app.package if several else "")
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
    # With -W, Android reports on stdout.
    report = call.process.stdout if "-W" in options else call.process.stderr
    if not several:
        call.code = int(world.android.am_start_fails)
        await report.write(os.fsencode(_not_started(call, intent)))
        return
    before = call.phone.clock.now()
    if found is None:
        component, warning, state = open_resolver(world, intent, several), "", "COLD"
    elif (denial := deny(world, intent, found)) is not None:
        await _denied(call, verb, intent, denial)
        return
    elif world.running.denies(found.short):
        call.code = int(world.android.am_start_fails)
        await report.write(f"Error: Activity not started, unknown error code {ABORTED}\n".encode())
        return
    else:
        component = found.short
        warning, state = open_activity(world, intent, found)
    if warning:
        await report.write(f"Warning: Activity not started, {warning}\n".encode())
    if "-W" in options:
        await _waited(call, component, state, int(call.phone.clock.now() - before))


def _not_started(call: CommandCall, intent: Intent) -> str:
    android = call.phone.world.android
    if intent.component is not None:
        package, name = intent.component
        return f"Error type 3\nError: Activity class {{{package}/{name}}} does not exist.\n"
    extended = _EXTRA_INTENTS_COLLECTED if android.intent_extended_flags else 0
    shown = replace(intent.with_flags(NEW_TASK), extended_flags=extended).show(android)
    return f"Error: Activity not started, unable to resolve {shown}\n"


async def _denied(call: CommandCall, verb: str, intent: Intent, denial: Denial) -> None:
    shown = intent.with_flags(NEW_TASK).show(call.phone.world.android)
    await throw(
        call,
        verb,
        f"java.lang.SecurityException: Permission Denial: starting {shown} from null"
        f" (pid=400, uid=2000) {denial}",
    )


async def _waited(call: CommandCall, component: str, state: str, took: int) -> None:
    lines = ["Status: ok", f"Activity: {component}"]
    if call.phone.world.android.am_start_launch_state:
        lines.insert(1, f"LaunchState: {state}")
    else:
        lines.append(f"ThisTime: {took}")
    lines += [f"TotalTime: {took}", f"WaitTime: {took}", "Complete"]
    await call.write("".join(f"{line}\n" for line in lines))
