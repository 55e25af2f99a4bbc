"""What the helper's twin can do: one function per command, and the table of them all.

Each has a `check_…` that refuses malformed arguments before the call is queued, and the function
that does it.
"""

import io
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from ..helper.protocol import BUDGET_LIMIT_MS, Code, Happened, HelperFailure, dump_json, mend_text
from ..ui.model import Flag, Node, Window
from . import app_commands, clipboard_commands, file_commands, gestures, text_commands
from .world import NotInstalled, NotLaunchable, World

if TYPE_CHECKING:
    from .helper import Helper, Job

FINGERS = 10
POINTS = 10_000
GESTURE_MS = 60_000
ROOT_WAIT_MS = 2000
"""How long a window that does not answer holds up a walk."""
DIRECTIONS = ("up", "down", "left", "right")
BUTTONS = ("back", "home", "recents", "notifications", "quick_settings")
ACTIONS = {
    "click": Flag.CLICKABLE,
    "long_click": Flag.LONG_CLICKABLE,
    "scroll_forward": Flag.SCROLLABLE,
    "scroll_backward": Flag.SCROLLABLE,
    "focus": Flag.FOCUSABLE,
}
_LOOKS = {"class", "resource_id", "description", "text"}


class Lane(StrEnum):
    """Who waits for whom."""

    TOUCH = "touch"
    TREE = "tree"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Answer:
    reply: Mapping[str, Any] = field(default_factory=dict[str, Any])
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Command:
    lane: Lane
    needs_automation: bool
    check: Callable[[dict[str, Any]], None]
    run: Callable[["Helper", "Job"], Coroutine[Any, Any, Answer]]


def display(world: World) -> dict[str, int]:
    return {
        "width": world.width,
        "height": world.height,
        "density": world.density,
        "rotation": world.rotation,
    }


# screen


def _check_nothing(arguments: dict[str, Any]) -> None:
    _keys(arguments, set())


async def _screen(helper: "Helper", job: "Job") -> Answer:
    world = helper.world
    seq = world.seq
    missing = world.missing()
    if any(lost["reason"] == "timeout" for lost in missing):
        await job.wait(world.clock.sleep(ROOT_WAIT_MS))
        missing = world.missing()
    windows = world.read_windows()
    if not windows:
        message = "No window gave its root." if missing else "There is no window."
        data = {"missing": missing}
        raise HelperFailure(Code.NO_WINDOWS, message, data=data)
    foreground = world.foreground
    reply: dict[str, Any] = {
        "seq": seq,
        "display": display(world),
        "foreground": foreground and {"package": foreground[0], "activity": foreground[1]},
        "degraded": False,
        "missing": missing,
        "locked": world.locked,
        "awake": world.awake,
    }
    return Answer(reply, dump_json({"windows": [_window(window) for window in windows]}))


def _window(window: Window) -> dict[str, Any]:
    return {
        "id": window.id,
        "type": window.type,
        "package": window.package,
        "title": window.title,
        "layer": window.layer,
        "focused": window.focused,
        "nodes": [
            (
                n.depth,
                n.index,
                n.key,
                n.class_name,
                n.text,
                n.description,
                n.resource_id,
                *n.bounds,
                n.flags,
            )
            for n in window.nodes
        ],
    }


# capture


def _check_capture(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"max_size", "format", "quality"})
    max_size, quality = arguments["max_size"], arguments["quality"]
    if max_size is not None and (type(max_size) is not int or max_size < 1):
        raise _bad("`max_size` is not null or a number over 0.")
    if arguments["format"] not in ("jpeg", "png"):
        raise _bad("`format` is not jpeg or png.")
    if type(quality) is not int or not 1 <= quality <= 100:
        raise _bad("`quality` is not 1 to 100.")


async def _capture(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    if not world.awake:
        raise HelperFailure(Code.CAPTURE_FAILED, "The screen is off: there is no frame.")
    secure = list(world.secure_windows)
    image = world.picture(arguments["max_size"])
    buffer = io.BytesIO()
    if arguments["format"] == "png":
        image.save(buffer, "PNG", compress_level=1)
    else:
        image.convert("RGB").save(buffer, "JPEG", quality=arguments["quality"])
    width, height = image.size
    reply = {"width": width, "height": height, "format": arguments["format"], "secure": secure}
    return Answer(reply, buffer.getvalue())


# touch


def _check_touch(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"strokes"})
    strokes = _list(arguments["strokes"], "strokes")
    if not 1 <= len(strokes) <= FINGERS:
        raise _bad(f"`strokes` is not a list of 1 to {FINGERS} strokes.")
    for stroke in strokes:
        points = _list(stroke, "strokes")
        if not 1 <= len(points) <= POINTS:
            raise _bad(f"A stroke has no points, or more than {POINTS}.")
        last = 0
        for point in points:
            if not isinstance(point, list) or len(cast(list[Any], point)) != 3:
                raise _bad("A point is not [x, y, t_ms].")
            x, y, t = cast(list[Any], point)
            if not _is_number(x) or not _is_number(y) or not _is_number(t):
                raise _bad("A point is not three numbers.")
            if not last <= t <= GESTURE_MS:
                raise _bad(f"Times fall, or are beyond {GESTURE_MS} ms.")
            last = t


async def _touch(helper: "Helper", job: "Job") -> Answer:
    strokes: list[list[list[float]]] = job.arguments["strokes"]
    _touchable(helper.world, strokes)
    if len(strokes) == 1 and len(strokes[0]) == 1 and not strokes[0][0][2]:
        # A tap, the call that must be quick: nothing to sort, nothing to wait for.
        world = helper.world
        x, y, _ = strokes[0][0]
        x, y = min(x, world.width - 1), min(y, world.height - 1)
        world.touch("down", 0, x, y)
        world.touch("up", 0, x, y)
        return Answer()
    return await _play(helper, job, strokes)


def _touchable(world: World, strokes: Sequence[gestures.Stroke]) -> None:
    width, height = world.width, world.height
    if beyond := gestures.outside(strokes, width, height):
        message = "{:g}, {:g} is outside the screen, {} x {}.".format(*beyond, width, height)
        size = {"width": width, "height": height}
        raise HelperFailure(Code.OUTSIDE_SCREEN, message, data=size)
    if not world.awake:
        message = "The screen is off: a touch would have no effect. Wake the phone first."
        raise HelperFailure(Code.FAILED, message)


async def _play(helper: "Helper", job: "Job", strokes: Sequence[gestures.Stroke]) -> Answer:
    world = helper.world

    def begun() -> None:
        job.happened = Happened.PARTLY

    await gestures.play(world, strokes, lambda ms: job.wait(world.clock.sleep(ms)), begun)
    return Answer()


# scroll


def _check_scroll(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"direction", "share", "duration_ms"})
    if arguments["direction"] not in DIRECTIONS:
        raise _bad(f"`direction` is not one of {', '.join(DIRECTIONS)}.")
    share = arguments["share"]
    if not _is_number(share) or not 0 < share <= 1:
        raise _bad("`share` is not a number over 0 and up to 1.")
    _check_duration(arguments)


def _check_duration(arguments: dict[str, Any]) -> None:
    duration = arguments["duration_ms"]
    if not _is_number(duration) or not 1 <= duration <= GESTURE_MS:
        raise _bad(f"`duration_ms` is not 1 to {GESTURE_MS}.")


async def _scroll(helper: "Helper", job: "Job") -> Answer:
    strokes = gestures.scroll_strokes(helper.world, **job.arguments)
    _touchable(helper.world, strokes)
    return await _play(helper, job, strokes)


# pinch


def _check_pinch(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"x", "y", "scale", "duration_ms"})
    if not _is_number(arguments["x"]) or not _is_number(arguments["y"]):
        raise _bad("The centre is not two numbers.")
    if not _is_number(arguments["scale"]) or not arguments["scale"] > 0:
        raise _bad("`scale` is not a number over 0.")
    _check_duration(arguments)


async def _pinch(helper: "Helper", job: "Job") -> Answer:
    centre = [[(job.arguments["x"], job.arguments["y"], 0)]]
    _touchable(helper.world, centre)
    return await _play(helper, job, gestures.pinch_strokes(helper.world, **job.arguments))


# press


def _check_press(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"button"})
    if arguments["button"] not in BUTTONS:
        raise _bad(f"`button` is not one of {', '.join(BUTTONS)}.")


async def _press(helper: "Helper", job: "Job") -> Answer:
    button = job.arguments["button"]
    if not helper.world.press(button):
        raise HelperFailure(Code.FAILED, f"Android did not accept the button {button}.")
    return Answer()


# act


def _check_act(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"key", "action", "expect", "anchor"})
    if arguments["action"] not in ACTIONS:
        raise _bad(f"`action` is not one of {', '.join(ACTIONS)}.")
    _check_target(arguments)


def _check_target(arguments: dict[str, Any]) -> None:
    _text(arguments["key"], "key")
    _check_looks(arguments["expect"], "expect", _LOOKS)
    anchor = arguments["anchor"]
    if anchor is not None:
        _check_looks(anchor, "anchor", _LOOKS | {"key"})
        _text(anchor.get("key"), "anchor.key")


def _check_looks(value: Any, name: str, known: set[str]) -> None:
    if not isinstance(value, dict):
        raise _bad(f"`{name}` is not an object.")
    looks = cast(dict[str, Any], value)
    if not looks.keys() <= known:
        raise _bad(f"`{name}` has keys other than {', '.join(sorted(known))}.")
    if not all(part is None or isinstance(part, str) for part in looks.values()):
        raise _bad(f"`{name}` holds something else than strings.")


async def _act(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    key, action = arguments["key"], arguments["action"]
    node = _target(world, arguments)
    if not node.flags & ACTIONS[action]:
        raise HelperFailure(Code.NOT_ACTIONABLE, f"The view does not offer {action}.")
    if not world.perform(key, action):
        raise HelperFailure(Code.FAILED, f"The view did not accept {action}.")
    return Answer()


def _target(world: World, arguments: Mapping[str, Any]) -> Node:
    """The node that is meant, once it and its anchor are known to be what was expected."""
    node = _expected(world, arguments["key"], arguments["expect"])
    anchor = arguments["anchor"]
    if anchor is not None:
        _expected(world, anchor["key"], anchor)
    return node


def _expected(world: World, key: str, looks: Mapping[str, str | None]) -> Node:
    node = world.node(key)
    if node is None:
        raise HelperFailure(Code.GONE, "The view is gone.")
    found = {
        "class": node.class_name,
        "resource_id": node.resource_id,
        "description": node.description,
        "text": node.text,
    }
    # Compared as it was sent: what cannot be said on the wire was replaced there.
    if any(_mended(found[name]) != wanted for name, wanted in looks.items() if name != "key"):
        raise HelperFailure(Code.CHANGED, "The view shows something else than expected.")
    return node


def _mended(text: str | None) -> str | None:
    return text and mend_text(text)


# type, key


def _check_type(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"key", "expect", "anchor", "where", "text", "delay_ms", "variance_ms"})
    _check_target(arguments)
    text_commands.check_type(arguments)


async def _type(helper: "Helper", job: "Job") -> Answer:
    node = _target(helper.world, job.arguments)
    return Answer(await text_commands.type_text(helper, job, node))


def _check_key(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"key"})
    text_commands.check_key(arguments)


async def _key(helper: "Helper", job: "Job") -> Answer:
    return Answer(await text_commands.press_key(helper, job))


# launch


def _check_launch(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"package"})
    _text(arguments["package"], "package")


async def _launch(helper: "Helper", job: "Job") -> Answer:
    world, package = helper.world, job.arguments["package"]
    call = job.calls[0]
    if world.locked:
        raise HelperFailure(Code.LOCKED, "The phone is locked: an app would start out of sight.")
    try:
        world.launch(package)
    except NotInstalled as problem:
        raise HelperFailure(Code.NOT_INSTALLED, f"{package} is not installed.") from problem
    except NotLaunchable as problem:
        message = f"{package} has no launcher activity."
        raise HelperFailure(Code.NOT_LAUNCHABLE, message) from problem
    job.happened = Happened.PARTLY
    world.close_panel()  # it would lie over the app and keep the focus
    while True:
        seq = world.seq
        foreground = world.foreground
        if foreground is not None and foreground[0] == package:
            return Answer({"activity": foreground[1]})
        left = call.deadline - world.clock.now()
        if left <= 0:
            message = f"{package} was started but did not come to the front in time."
            raise HelperFailure(Code.FAILED, message, Happened.PARTLY)
        await world.wait_changed(seq, left)


# changed


def _check_changed(arguments: dict[str, Any]) -> None:
    _keys(arguments, {"after", "within_ms"})
    for name, limit in (("after", 2**53), ("within_ms", BUDGET_LIMIT_MS)):
        if type(arguments[name]) is not int or not 0 <= arguments[name] <= limit:
            raise _bad(f"`{name}` is not a whole number from 0 to {limit}.")


async def _changed(helper: "Helper", job: "Job") -> Answer:
    world, arguments = helper.world, job.arguments
    after = arguments["after"]
    if world.seq <= after:
        await job.wait(world.wait_changed(after, arguments["within_ms"]))
    return Answer({"seq": world.seq})


# release


async def _release(helper: "Helper", job: "Job") -> Answer:
    return Answer({"released": helper.release_automation()})


# files


def _file(
    do: Callable[["Helper", "Job"], dict[str, Any]],
) -> Callable[["Helper", "Job"], Coroutine[Any, Any, Answer]]:
    async def run(helper: "Helper", job: "Job") -> Answer:
        return Answer(do(helper, job))

    return run


# clipboard


async def _clipboard(helper: "Helper", job: "Job") -> Answer:
    return Answer(clipboard_commands.clipboard(helper, job))


# apps


async def _stop(helper: "Helper", job: "Job") -> Answer:
    return Answer(await app_commands.stop(helper, job))


COMMANDS = {
    "screen": Command(Lane.TREE, True, _check_nothing, _screen),
    "capture": Command(Lane.WORK, False, _check_capture, _capture),
    "touch": Command(Lane.TOUCH, False, _check_touch, _touch),
    "scroll": Command(Lane.TOUCH, False, _check_scroll, _scroll),
    "pinch": Command(Lane.TOUCH, False, _check_pinch, _pinch),
    "press": Command(Lane.TOUCH, True, _check_press, _press),
    "act": Command(Lane.TOUCH, True, _check_act, _act),
    "type": Command(Lane.TOUCH, True, _check_type, _type),
    "key": Command(Lane.TOUCH, True, _check_key, _key),
    "launch": Command(Lane.TOUCH, False, _check_launch, _launch),
    "changed": Command(Lane.WORK, True, _check_changed, _changed),
    "release": Command(Lane.WORK, False, _check_nothing, _release),
    "clipboard": Command(Lane.WORK, False, clipboard_commands.check_clipboard, _clipboard),
    "locate": Command(Lane.WORK, False, file_commands.check_locate, _file(file_commands.locate)),
    "commit": Command(Lane.TOUCH, False, file_commands.check_commit, _file(file_commands.commit)),
    "remove": Command(Lane.TOUCH, False, file_commands.check_remove, _file(file_commands.remove)),
    "packages": Command(
        Lane.WORK, False, app_commands.check_packages, _file(app_commands.packages)
    ),
    "processes": Command(
        Lane.WORK, False, app_commands.check_package, _file(app_commands.processes)
    ),
    "stop": Command(Lane.TOUCH, False, app_commands.check_package, _stop),
}


def _bad(message: str) -> HelperFailure:
    return HelperFailure(Code.BAD_CALL, message)


def _keys(arguments: dict[str, Any], wanted: set[str]) -> None:
    if arguments.keys() != wanted:
        raise _bad(f"`with` does not have exactly these keys: {', '.join(sorted(wanted))}.")


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"`{name}` is not a list of lists.")
    return cast(list[Any], value)


def _text(value: Any, name: str) -> None:
    if not isinstance(value, str) or not value:
        raise _bad(f"`{name}` is not a string, or empty.")


def _is_number(value: Any) -> bool:
    # Bounded, so that no arithmetic on it can overflow; NaN is not within any bounds.
    return type(value) in (int, float) and -1e9 <= value <= 1e9
