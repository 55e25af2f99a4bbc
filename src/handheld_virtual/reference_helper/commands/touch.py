"""The commands about touch and buttons: `touch`, `scroll`, `pinch`, `press`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import Code, Happened, HelperFailure

from ...faults import REFUSED_INPUT
from ...world import World
from ..protocol.command import Answer, bad, check_keys, is_number
from . import gestures

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

FINGERS = 10
POINTS = 20_000
GESTURE_MS = 60_000
DIRECTIONS = ("up", "down", "left", "right")
WAKEUP = 224
"""Android's key code that switches the screen on but never off."""
WAKE_MS = 1000
"""The time limit for the screen to come on."""
BUTTONS = ("back", "home", "recents", "notifications", "quick_settings")


def check_touch(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "strokes")
    strokes = _require_list(arguments["strokes"])
    if not 1 <= len(strokes) <= FINGERS:
        raise bad(f"`strokes` is not a list of 1 to {FINGERS} strokes.")
    for stroke in strokes:
        points = _require_list(stroke)
        if not 1 <= len(points) <= POINTS:
            raise bad(f"A stroke has no points, or more than {POINTS}.")
        last = 0
        for point in points:
            if not isinstance(point, list) or len(cast(list[Any], point)) != 3:
                raise bad("A point is not [x, y, t_ms].")
            x, y, t = cast(list[Any], point)
            if not is_number(x) or not is_number(y) or not is_number(t):
                raise bad("A point is not three numbers.")
            if not last <= t <= GESTURE_MS:
                raise bad(f"Times fall, or are beyond {GESTURE_MS} ms.")
            last = t


async def touch(helper: "Helper", job: "Job") -> Answer:
    strokes: list[list[list[float]]] = job.arguments["strokes"]
    _touchable(helper.world, strokes)
    if len(strokes) == 1 and len(strokes[0]) == 1 and not strokes[0][0][2]:
        # A tap must be fast, so it skips sorting and waiting.
        world = helper.world
        x, y, _ = strokes[0][0]
        x, y = min(x, world.width - 1), min(y, world.height - 1)
        for action in ("down", "up"):
            _send(helper, job, action, 0, [(0, x, y)])
        return Answer()
    return await _play(helper, job, strokes)


def need_injection(world: World, happened: Happened = Happened.NO) -> None:
    """Raise if the shell may not inject touches and keys."""
    if world.input_refused:
        message = f"java.lang.SecurityException: {REFUSED_INPUT}"
        raise HelperFailure(Code.INPUT_REFUSED, message, happened)


async def wake(world: World, job: "Job") -> None:
    """Switch the screen on if it is off. The lock screen stays."""
    if not world.awake and world.wake_up() and not world.awake:
        await job.wait(world.clock.sleep(WAKE_MS))
    if not world.awake:
        need_injection(world)
        world.key(WAKEUP, display=0)


def _touchable(world: World, strokes: Sequence[gestures.Stroke]) -> None:
    need_injection(world)
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
    await gestures.play(
        world,
        strokes,
        lambda ms: job.wait(world.clock.sleep(ms)),
        lambda action, changed, fingers: _send(helper, job, action, changed, fingers),
    )
    return Answer()


def _send(
    helper: "Helper", job: "Job", action: str, changed: int, fingers: Sequence[gestures.Finger]
) -> None:
    if helper.killed:
        return  # a dead process injects nothing
    world = helper.world
    need_injection(world, job.happened)
    taken = world.injection.inject(action, changed, fingers)
    if not taken and action == "down" and len(fingers) == 1:
        # Nothing was touched, so a second attempt repeats nothing.
        _cancel_stale_pointers(world, fingers[0])
        taken = world.injection.inject(action, changed, fingers)
        if not taken:
            _cancel_stale_pointers(world, fingers[0])
    if not taken and action == "down":
        raise HelperFailure(Code.FAILED, "No window took the touch.", job.happened)
    # Not earlier, because a phone that refuses the first touch has not been touched.
    job.happened = Happened.PARTLY


def _cancel_stale_pointers(world: World, at: gestures.Finger) -> None:
    """Cancel pointers that Android considers down although none of ours is: the pointer that it has
    just refused, or those of a killed program. A cancel must list exactly those pointers."""
    _, x, y = at
    for count in range(1, FINGERS + 1):
        if world.injection.inject("cancel", -1, [(number, x, y) for number in range(count)]):
            return


def check_scroll(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "direction", "share", "duration_ms")
    if arguments["direction"] not in DIRECTIONS:
        raise bad(f"`direction` is not one of {', '.join(DIRECTIONS)}.")
    share = arguments["share"]
    if not is_number(share) or not 0 < share <= 1:
        raise bad("`share` is not a number over 0 and up to 1.")
    _check_duration(arguments)


def _check_duration(arguments: dict[str, Any]) -> None:
    duration = arguments["duration_ms"]
    if not is_number(duration) or not 1 <= duration <= GESTURE_MS:
        raise bad(f"`duration_ms` is not 1 to {GESTURE_MS}.")


async def scroll(helper: "Helper", job: "Job") -> Answer:
    strokes = gestures.scroll_strokes(helper.world, **job.arguments)
    _touchable(helper.world, strokes)
    return await _play(helper, job, strokes)


def check_pinch(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "x", "y", "scale", "duration_ms")
    if not is_number(arguments["x"]) or not is_number(arguments["y"]):
        raise bad("The centre is not two numbers.")
    if not is_number(arguments["scale"]) or not arguments["scale"] > 0:
        raise bad("`scale` is not a number over 0.")
    _check_duration(arguments)


async def pinch(helper: "Helper", job: "Job") -> Answer:
    centre = [[(job.arguments["x"], job.arguments["y"], 0)]]
    _touchable(helper.world, centre)
    try:
        strokes, reached = gestures.pinch_strokes(helper.world, **job.arguments)
    except gestures.NoSpaceForPinch as problem:
        raise HelperFailure(Code.FAILED, str(problem)) from problem
    await _play(helper, job, strokes)
    return Answer({"scale": reached})


def check_press(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "button")
    if arguments["button"] not in BUTTONS:
        raise bad(f"`button` is not one of {', '.join(BUTTONS)}.")


def press_here(world: World, button: str) -> bool:
    """Perform a global action. If another display is known to have the focus, send it as a key to
    the phone's own display."""
    return world.press(button, 0 if world.automation.focused_displays else None)


async def press(helper: "Helper", job: "Job") -> Answer:
    button = job.arguments["button"]
    if not helper.world.awake:
        message = "The screen is off: a button would have no effect. Wake the phone first."
        raise HelperFailure(Code.FAILED, message)
    if not press_here(helper.world, button):
        raise HelperFailure(Code.FAILED, f"Android did not accept the button {button}.")
    return Answer()


def _require_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise bad("`strokes` is not a list of lists.")
    return cast(list[Any], value)
