"""Android's own commands: screen, input, packages and activities, and `app_process`."""

import asyncio
import io
import re
import struct
import zipfile
from collections.abc import Awaitable, Callable

from ...helper.protocol import MAIN_CLASS
from ..files import ROOT
from ..process import Process
from ..world import NotInstalled, NotLaunchable, Package
from .call import Call, Usage, clean

SWIPE_MS = 300
STEP_MS = 16
WRONG = 255

_KEYS = {
    "HOME": 3,
    "BACK": 4,
    "DPAD_UP": 19,
    "DPAD_DOWN": 20,
    "DPAD_LEFT": 21,
    "DPAD_RIGHT": 22,
    "DPAD_CENTER": 23,
    "VOLUME_UP": 24,
    "VOLUME_DOWN": 25,
    "POWER": 26,
    "COMMA": 55,
    "PERIOD": 56,
    "TAB": 61,
    "SPACE": 62,
    "ENTER": 66,
    "DEL": 67,
    "MENU": 82,
    "NOTIFICATION": 83,
    "ESCAPE": 111,
    "FORWARD_DEL": 112,
    "MOVE_HOME": 122,
    "MOVE_END": 123,
    "APP_SWITCH": 187,
    "SLEEP": 223,
    "WAKEUP": 224,
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(ord("A") + letter): 29 + letter for letter in range(26)},
}


async def wm(call: Call) -> None:
    world = call.phone.world
    width, height = world.width, world.height
    if world.rotation % 2:
        width, height = height, width
    match call.arguments:
        case ["size"]:
            await call.write(f"Physical size: {width}x{height}\n")
        case ["density"]:
            await call.write(f"Physical density: {world.density}\n")
        case _:
            await _refuse(call, "Error: only 'wm size' and 'wm density' are offered by this phone")


async def _refuse(call: Call, text: str, code: int = WRONG) -> None:
    call.code = code
    await call.process.stderr.write(f"{text}\n".encode("utf-8", "surrogateescape"))


# input


async def input(call: Call) -> None:
    words = call.arguments
    if words and words[0] in ("touchscreen", "keyboard"):
        words = words[1:]
    if words[:2] == ["-d", "0"]:
        words = words[2:]
    if not words:
        await _refuse(call, "Error: Invalid arguments for command: input")
        return
    command = _INPUT.get(words[0])
    if command is None:
        await _refuse(call, f"Error: Unknown command: {words[0]}")
        return
    try:
        await command(call, words[1:])
    except ValueError:
        await _refuse(call, f"Error: Invalid arguments for command: {words[0]}")


def _coordinate(text: str) -> float:
    if not re.fullmatch(r"-?\d{1,7}(\.\d{1,6})?", text):
        raise ValueError(text)
    return float(text)


async def _tap(call: Call, words: list[str]) -> None:
    x, y = map(_coordinate, words)
    call.phone.world.touch("down", 0, x, y)
    call.phone.world.touch("up", 0, x, y)


async def _swipe(call: Call, words: list[str]) -> None:
    if len(words) == 5 and not re.fullmatch(r"\d{1,6}", words[4]):
        raise ValueError(words[4])
    duration = int(words.pop()) if len(words) == 5 else SWIPE_MS
    x1, y1, x2, y2 = map(_coordinate, words)
    world, clock = call.phone.world, call.phone.clock
    start = clock.now()
    x, y = x1, y1
    world.touch("down", 0, x, y)
    try:
        while (passed := clock.now() - start) < duration:
            await clock.sleep(min(STEP_MS, duration - passed))
            done = min(1.0, (clock.now() - start) / duration)
            x, y = x1 + (x2 - x1) * done, y1 + (y2 - y1) * done
            world.touch("move", 0, x, y)
    except asyncio.CancelledError:
        world.touch("cancel", 0, x, y)
        raise
    world.touch("up", 0, x2, y2)


async def _keyevent(call: Call, words: list[str]) -> None:
    if not words:
        raise ValueError
    codes: list[int] = []
    for word in words:
        name = word.removeprefix("KEYCODE_")
        code = int(word) if re.fullmatch(r"\d{1,3}", word) else _KEYS.get(name)
        if code is None:
            await _refuse(call, f"Error: Unknown keycode: {word}")
            return
        codes.append(code)
    for code in codes:
        call.phone.world.key(code)


async def _text(call: Call, words: list[str]) -> None:
    (text,) = words
    if not text.isascii():
        await _refuse(
            call,
            "Exception occurred while executing 'text':\n"
            "java.lang.NullPointerException: Attempt to get length of null array",
        )
        return
    call.phone.world.type_text(text.replace("%s", " "))


_INPUT: dict[str, Callable[[Call, list[str]], Awaitable[None]]] = {
    "tap": _tap,
    "swipe": _swipe,
    "keyevent": _keyevent,
    "text": _text,
}


# screencap


async def screencap(call: Call) -> None:
    flags = call.options("p")
    if len(call.arguments) > 1:
        raise Usage("too many arguments")
    name = call.arguments[0] if call.arguments else ""
    picture = call.phone.world.picture(None)
    if "p" in flags or name.endswith(".png"):
        target = io.BytesIO()
        # Packing takes a while; the phone goes on meanwhile.
        await asyncio.to_thread(picture.save, target, "PNG", compress_level=1)
        data = target.getvalue()
    else:
        data = struct.pack("<4I", picture.width, picture.height, 1, 1)
        data += picture.convert("RGBA").tobytes()
    if not name:
        await call.process.stdout.write(data)
        return
    try:
        call.files.write(call.path(name), data)
    except OSError as problem:
        await _refuse(call, f"Error opening file: {name} ({clean(problem)})", 1)


# Packages and activities


async def pm(call: Call) -> None:
    match call.arguments:
        case ["list", "packages", *rest]:
            await _list_packages(call, rest)
        case ["list", "users"]:
            other = call.phone.other_user
            more = "" if other is None else f"\tUserInfo{{{other}:Work profile:1030}} running\n"
            await call.write(f"Users:\n\tUserInfo{{0:Owner:c13}} running\n{more}")
        case ["path", name]:
            found = next((p for p in call.phone.world.packages if p.package == name), None)
            if found is None:
                call.code = 1
            else:
                await call.write(f"package:{_apk(call, found)}\n")
        case [name, *_]:
            await _refuse(call, f"Unknown command: {name}")
        case _:
            await _refuse(call, "Error: pm needs a command: list packages, path")


async def _list_packages(call: Call, words: list[str]) -> None:
    # Without a user all are meant, and one that the shell may not enter spoils it for the rest.
    user, other = "all", call.phone.other_user
    if "--user" in words[:-1]:
        at = words.index("--user")
        user = words[at + 1]
        words = words[:at] + words[at + 2 :]
    if other is not None and user in ("all", str(other)):
        await _refuse(
            call,
            "Exception occurred while executing 'list':\njava.lang.SecurityException: Shell does"
            f" not have permission to access user {other}",
        )
        return
    if user not in ("all", "current", "cur", "0"):
        await _refuse(call, f"Error: Bad user number: {user}")
        return
    wanted = {"-s": True, "-3": False}
    kinds = {wanted[word] for word in words if word in wanted}
    filters = [word for word in words if not word.startswith("-")]
    unknown = [word for word in words if word.startswith("-") and word not in (*wanted, "-f", "-e")]
    if unknown:
        await _refuse(call, f"Error: Unknown option: {unknown[0]}")
        return
    for package in sorted(call.phone.world.packages, key=lambda package: package.package):
        name = package.package
        if (kinds and package.system not in kinds) or any(part not in name for part in filters):
            continue
        path = f"{_apk(call, package)}=" if "-f" in words else ""
        await call.write(f"package:{path}{name}\n")


def _apk(call: Call, package: Package) -> str:
    """The package's file. Apps here are not made of APKs, so that it is an archive of nothing."""
    if package.system:
        path = f"/system/app/{package.package}/{package.package}.apk"
    else:
        path = f"/data/app/~~{package.package}==/{package.package}-1==/base.apk"
    if not call.files.exists(path, ROOT):
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").close()
        call.files.make_folder(path.rpartition("/")[0], 0o755, parents=True, user=ROOT)
        call.files.write(path, empty.getvalue(), 0o644, user=ROOT)
    return path


async def am(call: Call) -> None:
    match call.arguments:
        case ["start" | "start-activity", *rest]:
            await _start(call, rest)
        case ["force-stop" | "kill" as deed, *rest]:
            await _end_app(call, deed, rest)
        case [name, *_]:
            await _refuse(call, f"Error: unknown command '{name}'")
        case _:
            await _refuse(call, "Error: am needs a command: start, force-stop, kill")


async def _end_app(call: Call, deed: str, words: list[str]) -> None:
    if words[:1] == ["--user"] and words[1:2] in (["0"], ["all"], ["current"]):
        words = words[2:]
    if len(words) != 1 or words[0].startswith("-"):
        await _refuse(call, f"Error: am {deed} takes a package on this phone")
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
                    await _refuse(call, f"Error: Unknown option: {word}")
                    return
                case _ if "/" in word:
                    component = word
                case _:
                    package = word
    except StopIteration:
        await _refuse(call, "Error: Argument expected after an option")
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
        await _refuse(call, missing, 1)
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
                await _refuse(call, "** No activities found to run, monkey aborted.", 252)
                return
            await call.write("Events injected: 1\n")
        case _:
            await _refuse(
                call,
                "** Error: only 'monkey -p PACKAGE -c android.intent.category.LAUNCHER 1' "
                "is offered by this phone",
                1,
            )


# app_process


async def app_process(process: Process) -> int:
    """Starts our helper from a jar that was pushed. No other class is known here."""
    from ..helper import run

    words = [word for word in process.arguments[1:] if not word.startswith("-")]
    name = words[1] if len(words) > 1 else ""
    call = Call(process)
    paths = [path for path in process.environment.get("CLASSPATH", "").split(":") if path]
    readable = [path for path in paths if call.files.may(call.path(path), 4)]
    if not name:
        await _refuse(call, "Error: no class name or --zygote supplied.", 10)
        return call.code
    if name != MAIN_CLASS or not readable:
        await _refuse(
            call,
            f'java.lang.ClassNotFoundException: Didn\'t find class "{name}" on path: '
            f"DexPathList[[{', '.join(paths)}]]",
            1,
        )
        return call.code
    return await run(process)
