"""`am start`: resolve an intent and open the activity."""

from ...apk.manifest import Kind
from ..packages.intent import HOME, NEW_TASK, Intent, Match, Words, parse_intent, query
from .call import CommandCall, refuse
from .exceptions import throw
from .users import check_user

_OPTIONS = {
    "--user": True,
    "-W": False,
    "-S": False,
    "--display": True,
    "--windowingMode": True,
    "--activityType": True,
    "--task": True,
}


async def start(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    intent, options = parse_intent(Words(words), _OPTIONS)
    check_user(call, options.get("--user", "current"))
    if options.get("--display", "0") != "0":
        # There is one display; Android starts on the default one without a message.
        options.pop("--display")
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


def _find(call: CommandCall, intent: Intent) -> Match | None:
    found = query(call.phone.world, Kind.ACTIVITY, intent)
    if intent.component is None:
        # An activity is only started implicitly if it declares the default category.
        launches = "android.intent.category.LAUNCHER" in intent.categories
        found = [
            match for match in found if match.is_default or launches or HOME in intent.categories
        ]
    return found[0] if found else None


async def _not_started(call: CommandCall, intent: Intent) -> None:
    android = call.phone.world.android
    code = 1 if android.am_start_fails else 0
    if intent.component is not None:
        package, name = intent.component
        await refuse(
            call, f"Error type 3\nError: Activity class {{{package}/{name}}} does not exist.", code
        )
        return
    shown = intent.with_flags(NEW_TASK).show(android)
    await refuse(call, f"Error: Activity not started, unable to resolve {shown}", code)


async def _not_exported(call: CommandCall, intent: Intent, found: Match) -> None:
    shown = intent.with_flags(NEW_TASK).show(call.phone.world.android).removeprefix("Intent ")
    uid = call.phone.world.running.uid(found.app)
    await throw(
        call,
        "start",
        f"java.lang.SecurityException: Permission Denial: starting Intent {shown} from null"
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
