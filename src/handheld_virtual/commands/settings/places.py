"""The phone's location: `cmd location`, `dumpsys location`, and the app op for test providers."""

import math
import re

from ...packages.intent_arguments import BadIntent, Words
from ...system.whereabouts import PROVIDERS, Fix, MockRefused
from ..call import WRONG, CommandCall, refuse
from ..exceptions import throw, unknown_command

SHELL = "com.android.shell"
_HELP = """\
Location service commands:
  help or -h
    Print this help text.
  set-location-enabled true|false [--user <USER_ID>]
    Sets the master location switch enabled state.
"""
_PROVIDERS_HELP = """\
  providers
    The providers command is followed by a subcommand, as listed below:

    add-test-provider <PROVIDER> [--requiresNetwork] [--requiresSatellite] [--requiresCell]
    remove-test-provider <PROVIDER>
    set-test-provider-enabled <PROVIDER> true|false
    set-test-provider-location <PROVIDER> --location <LATITUDE>,<LONGITUDE>
        [--accuracy <ACCURACY>] [--time <TIME>]
    send-extra-command <PROVIDER> <COMMAND>
"""
_REAL = re.compile(r"[-+]?\d{1,9}(\.\d{1,15})?([eE][-+]?\d{1,2})?")
_FLAGS = (
    *("--requiresNetwork", "--requiresSatellite", "--requiresCell", "--hasMonetaryCost"),
    *("--supportsAltitude", "--supportsSpeed", "--supportsBearing"),
)
_ARGUMENT = "java.lang.IllegalArgumentException: "


async def location(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    tests = world.android.location_test_providers
    verb = words[0] if words else ""
    try:
        match words:
            case ["set-location-enabled", *rest]:
                on = await _switch(Words(rest, verb), tests)
                world.preferences.put("secure", "location_mode", "3" if on else "0")
            case ["is-location-enabled", *_] if tests:
                on = world.preferences.is_on("secure", "location_mode")
                await call.write(f"{str(on).lower()}\n")
            case ["providers", *rest] if tests:
                _provider(call, Words(rest, verb))
            case ["send-extra-command", *_] if not tests:
                pass
            case [] | ["help"] | ["-h"]:
                await call.write(_HELP + (_PROVIDERS_HELP if tests else ""))
                call.code = 0 if words else WRONG
            case _:
                await unknown_command(call, verb)
    except (BadIntent, MockRefused) as problem:
        await throw(call, verb, str(problem))


async def _switch(rest: Words, option_last: bool) -> bool:
    """Raises BadIntent."""
    if option_last:
        word = rest.value()
        while rest.option() is not None:
            rest.value()
    else:
        while rest.option() is not None:
            rest.value()
        word = rest.value()
    return word.lower() == "true"


def _provider(call: CommandCall, rest: Words) -> None:
    """Raises BadIntent, MockRefused."""
    where = call.phone.world.whereabouts
    verb = rest.value()
    name = rest.value()
    match verb:
        case "add-test-provider":
            while (option := rest.option()) is not None:
                if option in ("--powerRequirement", "--accuracy", "--extraAttributionTags"):
                    rest.value()
                elif option not in _FLAGS:
                    raise BadIntent(f"{_ARGUMENT}Received unexpected option: {option}")
            where.add(name)
        case "remove-test-provider":
            where.remove(name)
        case "set-test-provider-enabled":
            where.enable(name, rest.value().lower() == "true")
        case "set-test-provider-location":
            where.pretend(name, *_read_place(rest))
        case "send-extra-command":
            pass
        case _:
            raise BadIntent(f"{_ARGUMENT}Unknown command: {verb}")


def _read_place(rest: Words) -> tuple[float, float, float]:
    """Raises BadIntent."""
    place: list[float] | None = None
    accuracy = 100.0
    while (option := rest.option()) is not None:
        value = rest.value()
        if option == "--location":
            parts = value.split(",")
            if len(parts) != 2:
                form = 'Location argument must be in the form of "<LATITUDE>,<LONGITUDE>", not '
                raise BadIntent(f"{_ARGUMENT}{form}[{', '.join(parts)}]")
            place = [_real(part) for part in parts]
        elif option == "--accuracy":
            accuracy = _real(value)
        elif option != "--time":
            raise BadIntent(f"{_ARGUMENT}Unknown option: {option}")
    if place is None:
        raise BadIntent(f'{_ARGUMENT}Option "--location" is required')
    return place[0], place[1], accuracy


def _real(word: str) -> float:
    if not _REAL.fullmatch(word) or not math.isfinite(float(word)):
        raise BadIntent(f'java.lang.NumberFormatException: For input string: "{word}"')
    return float(word)


def describe_fix(fix: Fix, now: float) -> str:
    """A fix as Location.toString prints it."""
    age = max(0, round(now - fix.at))
    mock = " mock" if fix.mock else ""
    return (
        f"Location[{fix.provider} {fix.latitude:.6f},{fix.longitude:.6f}"
        f" hAcc={fix.accuracy:g} et=+{(now - age) / 1000:.3f}s{mock}]"
    )


async def dump_location(call: CommandCall) -> None:
    world = call.phone.world
    where, now = world.whereabouts, call.phone.clock.now()
    on = str(world.preferences.is_on("secure", "location_mode")).lower()
    await call.write("Location Manager State:\n")
    known = [(name, where.known(name)) for name in PROVIDERS]
    if world.android.location_providers_dumped:
        await call.write(f"  Location Setting: {on}\n  Location Providers:\n")
        for name, fix in known:
            mock = " [mock]" if name in where.tests else ""
            last = "null" if fix is None else describe_fix(fix, now)
            await call.write(f"    {name} provider{mock}:\n      last location={last}\n")
        return
    await call.write("  Last Known Locations:\n")
    for name, fix in known:
        if fix is not None:
            await call.write(f"    {name}: {describe_fix(fix, now)}\n")


async def appops(call: CommandCall) -> None:
    """`appops`, for the op of test providers only: this phone stores no others."""
    words = call.arguments
    world = call.phone.world
    rest = list(words)
    if "--user" in rest[1:-1]:
        at = rest.index("--user")
        del rest[at : at + 2]
    match rest:
        case ["set", package, op, mode, *_] if mode in (
            *("allow", "ignore", "deny", "default", "foreground"),
        ):
            if package not in world.apps and package not in (SHELL, "2000"):
                await refuse(call, f"Error: No UID for {package} in user 0")
            elif op.lower().removeprefix("android:") not in ("mock_location",):
                await refuse(call, f"Error: Unknown operation string: {op}")
            elif package in (SHELL, "2000"):
                world.whereabouts.mock_mode = mode
        case ["get", package, *_]:
            allowed = world.whereabouts.mock_allowed and package == SHELL
            await call.write("MOCK_LOCATION: allow\n" if allowed else "No operations.\n")
        case ["set", *_]:
            await refuse(call, "Error: Mode not specified" if len(rest) > 2 else "Error: ")
        case _:
            await call.write(
                "AppOps service (appops) commands:\n  help\n    Print this help text.\n"
            )
            call.code = 0 if rest == ["help"] else WRONG
