"""`am` and `monkey`: apps are started and stopped."""

from ..world import NotInstalled, NotLaunchable
from .call import Call, refuse


async def am(call: Call) -> None:
    match call.arguments:
        case ["start" | "start-activity", *rest]:
            await _start(call, rest)
        case ["force-stop" | "kill" as deed, *rest]:
            await _end_app(call, deed, rest)
        case [name, *_]:
            await refuse(call, f"Error: unknown command '{name}'")
        case _:
            await refuse(call, "Error: am needs a command: start, force-stop, kill")


async def _end_app(call: Call, deed: str, words: list[str]) -> None:
    if words[:1] == ["--user"] and words[1:2] in (["0"], ["all"], ["current"]):
        words = words[2:]
    if len(words) != 1 or words[0].startswith("-"):
        await refuse(call, f"Error: am {deed} takes a package on this phone")
        return
    world, (package,) = call.phone.world, words
    # Android says nothing of a package that is not there.
    if package in world.apps and deed == "force-stop":
        world.stop(package)
    elif package in world.apps and not world.is_in_front(package):
        world.running.kill(world.apps[package], "kill background")


async def _start(call: Call, words: list[str]) -> None:
    component = action = category = package = ""
    extras: dict[str, str] = {}
    wait = False
    rest = iter(words)
    try:
        for word in rest:
            match word:
                case "-n":
                    component = next(rest)
                case "-a":
                    action = next(rest)
                case "-c":
                    category = next(rest)
                case "-p":
                    package = next(rest)
                case "--es" | "-e":
                    name = next(rest)
                    extras[name] = next(rest)
                case "--user":
                    next(rest)
                case "-W":
                    wait = True
                case _ if word.startswith("-"):
                    await refuse(call, f"Error: Unknown option: {word}")
                    return
                case _ if "/" in word:
                    component = word
                case _:
                    package = word
    except StopIteration:
        await refuse(call, "Error: Argument expected after an option")
        return
    shown = {"act": action, "cat": category and f"[{category}]", "pkg": package, "cmp": component}
    intent = " ".join(f"{key}={value}" for key, value in shown.items() if value)
    await call.write(f"Starting: Intent {{ {intent} }}\n")
    world = call.phone.world
    started = call.phone.clock.now()
    missing = f"Error: Activity not started, unable to resolve Intent {{ {intent} }}"
    try:
        if component:
            package, _, name = component.partition("/")
            shown_name = package + name if name.startswith(".") else name
            missing = (
                f"Error type 3\nError: Activity class {{{package}/{shown_name}}} does not exist."
            )
            activity = world.start(package, name, extras)
        else:
            if not package and category == "android.intent.category.HOME":
                world.press("home")
                return
            if action not in ("", "android.intent.action.MAIN"):
                raise KeyError(action)
            activity = world.launch(package)
    except (NotInstalled, NotLaunchable, KeyError):
        await refuse(call, missing, 1)
        return
    if wait:
        took = int(call.phone.clock.now() - started)
        await call.write(
            f"Status: ok\nLaunchState: UNKNOWN (0)\nActivity: {_short(package, activity)}\n"
            f"TotalTime: {took}\nWaitTime: {took}\nComplete\n"
        )


def _short(package: str, activity: str) -> str:
    return f"{package}/{activity.removeprefix(package)}"


async def monkey(call: Call) -> None:
    match call.arguments:
        case ["-p", package, "-c", "android.intent.category.LAUNCHER", "1"] | ["-p", package, "1"]:
            try:
                call.phone.world.launch(package)
            except (NotInstalled, NotLaunchable):
                await refuse(call, "** No activities found to run, monkey aborted.", 252)
                return
            await call.write("Events injected: 1\n")
        case _:
            await refuse(
                call,
                "** Error: only 'monkey -p PACKAGE -c android.intent.category.LAUNCHER 1' "
                "is offered by this phone",
                1,
            )
