"""Gestures as timed touch events."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from heapq import merge
from math import floor
from typing import NamedTuple

from ...input.scale import scaling
from ...world import World

INTERVAL_MS = 10
"""The interval between events of a moving finger, counted from the start of the gesture."""
SLOP_DP = 8
"""The distance that a finger moves before Android scrolls."""
NEARLY = 2
"""The distance in pixels that a finger moves while it nearly rests."""
SURE = 2
"""A margin in pixels around Android's bounds for scaling, against rounding errors."""
BAR_DP = 48
"""The thickness of the system bars: top and bottom, or at the sides in landscape."""
SHARES = (0, 1 / 6, 2 / 6, 5 / 6, 1)
"""Fractions of a pinch's duration: start, slop passed, rest over, final position reached, end."""

ORDER = {"move": 0, "up": 1, "down": 2}
"""The order of simultaneous events, as on Android: moves, then lifts, then new fingers."""

Stroke = Sequence[Sequence[float]]
"""The points of one finger, `[x, y, t_ms]` with times that do not decrease."""
Finger = tuple[int, float, float]
"""The pointer id and position of a finger that is down."""


class FingerStep(NamedTuple):
    t: float
    finger: int
    action: str
    x: float
    y: float
    given: bool
    """Whether it is a requested point, not an interpolated one."""


def steps(strokes: Sequence[Stroke], right: float, bottom: float) -> Iterator[FingerStep]:
    """Yield the steps of all fingers in chronological order, clamped to `right` and `bottom`."""
    return merge(
        *(_stroke(n, stroke, right, bottom) for n, stroke in enumerate(strokes)),
        key=lambda step: (step.t, ORDER[step.action], step.finger),
    )


def _stroke(finger: int, stroke: Stroke, right: float, bottom: float) -> Iterator[FingerStep]:
    points = [(min(x, right), min(y, bottom), t) for x, y, t in stroke]
    x, y, t = points[0]
    yield FingerStep(t, finger, "down", x, y, True)
    for to_x, to_y, end in points[1:]:
        if (to_x, to_y) != (x, y):
            tick = (floor(t / INTERVAL_MS) + 1) * INTERVAL_MS
            while tick < end:
                share = (tick - t) / (end - t)
                between = x + (to_x - x) * share, y + (to_y - y) * share
                yield FingerStep(tick, finger, "move", *between, False)
                tick += INTERVAL_MS
            yield FingerStep(end, finger, "move", to_x, to_y, True)
        x, y, t = to_x, to_y, end
    yield FingerStep(t, finger, "up", x, y, True)


async def play(
    world: World,
    strokes: Sequence[Stroke],
    wait: Callable[[float], Awaitable[object]],
    send: Callable[[str, int, Sequence[Finger]], None],
) -> None:
    """Play the strokes by the phone's clock: `wait` waits for milliseconds, `send` injects an event
    of one finger. No finger is left on the screen, even after an error."""
    clock = world.clock
    start = clock.now()
    down: dict[int, Finger] = {}
    try:
        for t, finger, action, x, y, given in steps(strokes, world.width - 1, world.height - 1):
            early = start + t - clock.now()
            if early > 0:
                await wait(early)
            elif early < -INTERVAL_MS and not given:
                continue  # the phone was busy: continue from the finger's present position
            if action == "down":
                # Android gives a new pointer the lowest free id.
                taken = {pointer for pointer, _, _ in down.values()}
                pointer = next(n for n in range(len(taken) + 1) if n not in taken)
            else:
                pointer = down[finger][0]
            now = {**down, finger: (pointer, x, y)}
            send(action, list(now).index(finger), list(now.values()))
            if action == "up":
                del now[finger]
            down = now
    finally:
        if down:
            send("cancel", -1, list(down.values()))


def scroll_strokes(
    world: World, direction: str, share: float, duration_ms: float
) -> Sequence[Stroke]:
    """Return a stroke through the middle of the screen, against the scroll direction. It passes the
    touch slop slowly and nearly rests at the end, so the content scrolls by exactly the share."""
    x, y = world.width / 2, world.height / 2
    across = direction in ("left", "right")
    size = world.width if across else world.height
    slop = SLOP_DP * world.density / 160
    way = min(size, size * share + slop + 1.5 * NEARLY)
    last = 110 + duration_ms
    marks = [
        (0, 0),
        (slop + NEARLY, 60),
        (slop + 2 * NEARLY, 110),
        (max(way - NEARLY, slop + 2 * NEARLY), last),
        (max(way, slop + 2 * NEARLY), last + 250),
    ]
    sign = 1 if direction in ("down", "right") else -1
    places = [(sign * (way / 2 - length), t) for length, t in marks]
    return [[(x + at, y, t) if across else (x, y + at, t) for at, t in places]]


class NoSpaceForPinch(Exception):
    """Two fingers around this centre have no space to scale. The message is a sentence."""


def pinch_strokes(
    world: World, x: float, y: float, scale: float, duration_ms: float
) -> tuple[Sequence[Stroke], float]:
    """Return the strokes of two fingers around the centre, and the scale that they reach. They
    first pass the slop and nearly rest, so an app that reads input once per frame starts scaling
    there."""
    span, slop = scaling(world)
    narrow, lost = span + SURE, slop + SURE
    beyond = 0 if scale > 1 else lost  # a pinch in passes the slop at its widest
    wanted = narrow * max(scale, 1 / scale)
    bar = BAR_DP * world.density / 160
    across = _greatest_span(x, world.width, bar if world.width > world.height else 0)
    upright = _greatest_span(y, world.height, bar)
    # Horizontal if there is enough space, because most views are as wide as the screen.
    vertical = across < wanted + beyond and upright > across
    room = upright if vertical else across
    wide = min(wanted, room - beyond)
    if wide < narrow or (wide == narrow and scale != 1):
        raise NoSpaceForPinch(
            f"The centre {x:g}, {y:g} is too near the edge: two fingers around it can be "
            f"{int(max(0, room))} pixels apart, and apps scale beyond {int(narrow + beyond)}."
        )
    if scale > 1:
        first, begin, end = narrow - lost, narrow, wide
    else:
        first, begin, end = wide + lost, wide, narrow
    slowly = begin + max(-1, min(end - begin, 1))
    spans = zip((first, begin, slowly, end, end), SHARES, strict=True)
    fingers: tuple[list[Sequence[float]], ...] = ([], [])
    for apart, share in spans:
        for finger, side in zip(fingers, (-0.5, 0.5), strict=True):
            away = side * apart
            place = (x, y + away) if vertical else (x + away, y)
            finger.append((*place, share * duration_ms))
    return fingers, end / begin


def _greatest_span(centre: float, size: int, bar: float) -> float:
    """Return the greatest distance between two fingers at equal distances from the centre."""
    return 2 * min(centre - bar, size - 1 - bar - centre)


def outside(strokes: Iterable[Stroke], width: int, height: int) -> tuple[float, float] | None:
    """Return the first point that is not on the screen."""
    for stroke in strokes:
        for x, y, _ in stroke:
            if not (0 <= x <= width and 0 <= y <= height):
                return x, y
    return None
