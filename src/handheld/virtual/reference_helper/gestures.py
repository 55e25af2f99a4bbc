"""A gesture as the events that a touch screen sends, each at its time."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from heapq import merge
from math import floor
from typing import NamedTuple

from ..input.scale import scaling
from ..world import World

INTERVAL_MS = 10
"""Between two reports of a finger that moves, counted from the gesture's start."""
SURE = 2
"""Pixels beyond Android's bounds for scaling, so that no rounding decides."""
BAR_DP = 48
"""As thick are the bars at the top and the bottom, or beside a screen that lies."""
SHARES = (0, 1 / 6, 2 / 6, 5 / 6, 1)
"""Of a pinch's time: when the slop is passed, when the rest ends, when the last place is reached.
"""

ORDER = {"move": 0, "up": 1, "down": 2}
"""At one moment, as Android has it: whoever is there moves, some go, others come."""

Stroke = Sequence[Sequence[float]]
"""One finger: `[x, y, t_ms]`, times not falling."""
Finger = tuple[int, float, float]
"""One that is down: its pointer, and where it is."""


class Step(NamedTuple):
    t: float
    finger: int
    action: str
    x: float
    y: float
    given: bool
    """At a point that was asked for, not on the way between two."""


def steps(strokes: Sequence[Stroke], right: float, bottom: float) -> Iterator[Step]:
    """In order of time, made one by one. No finger goes beyond `right` and `bottom`."""
    return merge(
        *(_stroke(n, stroke, right, bottom) for n, stroke in enumerate(strokes)),
        key=lambda step: (step.t, ORDER[step.action], step.finger),
    )


def _stroke(finger: int, stroke: Stroke, right: float, bottom: float) -> Iterator[Step]:
    points = [(min(x, right), min(y, bottom), t) for x, y, t in stroke]
    x, y, t = points[0]
    yield Step(t, finger, "down", x, y, True)
    for to_x, to_y, end in points[1:]:
        if (to_x, to_y) != (x, y):
            tick = (floor(t / INTERVAL_MS) + 1) * INTERVAL_MS
            while tick < end:
                share = (tick - t) / (end - t)
                between = x + (to_x - x) * share, y + (to_y - y) * share
                yield Step(tick, finger, "move", *between, False)
                tick += INTERVAL_MS
            yield Step(end, finger, "move", to_x, to_y, True)
        x, y, t = to_x, to_y, end
    yield Step(t, finger, "up", x, y, True)


async def play(
    world: World,
    strokes: Sequence[Stroke],
    wait: Callable[[float], Awaitable[object]],
    send: Callable[[str, int, Sequence[Finger]], None],
) -> None:
    """Do it in the phone's time; `wait` lets milliseconds pass, `send` injects an event about one
    of the fingers. However it ends, no finger stays on the screen."""
    clock = world.clock
    start = clock.now()
    down: dict[int, Finger] = {}
    try:
        for t, finger, action, x, y, given in steps(strokes, world.width - 1, world.height - 1):
            early = start + t - clock.now()
            if early > 0:
                await wait(early)
            elif early < -INTERVAL_MS and not given:
                continue  # the phone was busy: it goes on from where the finger would be
            if action == "down":
                # Android numbers fingers so: the lowest number that no other one has.
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
    """Through the middle of the screen, against the direction: content goes with the finger."""
    x, y = world.width / 2, world.height / 2
    away_x = {"left": -1, "right": 1}.get(direction, 0) * world.width * share / 2
    away_y = {"up": -1, "down": 1}.get(direction, 0) * world.height * share / 2
    return [[(x + away_x, y + away_y, 0), (x - away_x, y - away_y, duration_ms)]]


class NoRoom(Exception):
    """Two fingers around that centre scale nothing. The message is a sentence."""


def pinch_strokes(
    world: World, x: float, y: float, scale: float, duration_ms: float
) -> tuple[Sequence[Stroke], float]:
    """Two fingers on either side of the centre, and the scale that they reach. They pass the slop
    and nearly rest, so that an app which looks once a frame begins there; then they scale."""
    span, slop = scaling(world)
    narrow, lost = span + SURE, slop + SURE
    beyond = 0 if scale > 1 else lost  # together, they pass the slop at their widest
    wanted = narrow * max(scale, 1 / scale)
    bar = BAR_DP * world.density / 160
    across = _room(x, world.width, bar if world.width > world.height else 0)
    upright = _room(y, world.height, bar)
    # Side by side where there is room enough: most views are as wide as the screen.
    vertical = across < wanted + beyond and upright > across
    room = upright if vertical else across
    wide = min(wanted, room - beyond)
    if wide < narrow or (wide == narrow and scale != 1):
        raise NoRoom(
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


def _room(centre: float, size: int, bar: float) -> float:
    """How far apart two fingers can be that are equally far from the centre."""
    return 2 * min(centre - bar, size - 1 - bar - centre)


def outside(strokes: Iterable[Stroke], width: int, height: int) -> tuple[float, float] | None:
    """The first point that is not on the screen."""
    for stroke in strokes:
        for x, y, _ in stroke:
            if not (0 <= x <= width and 0 <= y <= height):
                return x, y
    return None
