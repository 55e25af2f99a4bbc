"""A gesture as the events that a touch screen sends, each at its time."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from heapq import merge
from math import floor
from typing import NamedTuple

from ..world import World

INTERVAL_MS = 10
"""Between two reports of a finger that moves, counted from the gesture's start."""
REACH = 100
"""Pixels from a pinch's centre to each of its fingers, where the scale is 1."""

ORDER = {"move": 0, "up": 1, "down": 2}
"""At one moment, as Android has it: whoever is there moves, some go, others come."""

Stroke = Sequence[Sequence[float]]
"""One finger: `[x, y, t_ms]`, times not falling."""


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
    touch: Callable[[str, int, float, float], None],
) -> None:
    """Do it in the phone's time; `wait` lets milliseconds pass, `touch` moves a pointer.
    However it ends, no finger stays on the screen."""
    clock = world.clock
    start = clock.now()
    down: dict[int, tuple[int, float, float]] = {}  # finger: its pointer, and where it is
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
            touch(action, pointer, x, y)
            if action == "up":
                del down[finger]
            else:
                down[finger] = pointer, x, y
    finally:
        for pointer, x, y in down.values():
            touch("cancel", pointer, x, y)


def scroll_strokes(
    world: World, direction: str, share: float, duration_ms: float
) -> Sequence[Stroke]:
    """Through the middle of the screen, against the direction: content goes with the finger."""
    x, y = world.width / 2, world.height / 2
    away_x = {"left": -1, "right": 1}.get(direction, 0) * world.width * share / 2
    away_y = {"up": -1, "down": 1}.get(direction, 0) * world.height * share / 2
    return [[(x + away_x, y + away_y, 0), (x - away_x, y - away_y, duration_ms)]]


def pinch_strokes(
    world: World, x: float, y: float, scale: float, duration_ms: float
) -> Sequence[Stroke]:
    """Two fingers beside the centre that go apart or together, as far as the screen goes."""
    right = world.width - 1
    fingers: list[Stroke] = []
    for side in (-REACH, REACH):
        begin, end = (max(0, min(x + side * part, right)) for part in (1, scale))
        fingers.append([(begin, y, 0), (end, y, duration_ms)])
    return fingers


def reached_scale(fingers: Sequence[Stroke]) -> float:
    """How much farther apart two fingers are at their end than at their beginning."""
    (left, *_, left_end), (right, *_, right_end) = fingers
    return (right_end[0] - left_end[0]) / (right[0] - left[0])


def outside(strokes: Iterable[Stroke], width: int, height: int) -> tuple[float, float] | None:
    """The first point that is not on the screen."""
    for stroke in strokes:
        for x, y, _ in stroke:
            if not (0 <= x <= width and 0 <= y <= height):
                return x, y
    return None
