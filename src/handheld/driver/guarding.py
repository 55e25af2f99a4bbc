"""Guards over actions that have several parts or last: a guard may stop the rest of one."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from ..errors import InvalidParams
from .input import Point

Result = TypeVar("Result")

BURST_MS = 150.0
"""Fingers that go down within this time belong together, such as two fingers or the taps of a
double tap: no app comes to the front between them."""
LASTING_MS = 500.0
"""A touch at least this long is watched."""

Stroke = Sequence[Point]


class Guard(Protocol):
    """Decides whether an action may continue, and which apps a reply may mention."""

    @property
    def judges_parts(self) -> bool:
        """Whether each part of a touch is judged separately."""
        ...

    def hides(self, package: str) -> bool:
        """Whether replies may not mention this app."""
        ...

    def admits(self, package: str) -> bool:
        """Whether actions may concern this app."""
        ...

    async def before(self, *, waited: bool = False) -> None:
        """Called before each part. `waited`: the action began with a pause that its arguments
        requested, so the first part is judged, too. Raises ToolError if it must not be done."""
        ...

    async def check_picture(self, far: str) -> None:
        """Raises ToolError if pictures of the screen must not be shown now; `far` is a sentence
        about those already taken."""
        ...

    async def watch_pictures(self, far: str) -> None:
        """Repeat `check_picture` until it raises."""
        ...

    async def during(self, perform: Callable[[], Awaitable[Result]]) -> Result:
        """Perform a long part. Raises ToolError if it was stopped."""
        ...


def split_bursts(strokes: Sequence[Stroke]) -> list[tuple[float, list[list[Point]]]]:
    """Split strokes into bursts, each with the pause before it in ms; the times of each burst begin
    at 0. Raises InvalidParams if a finger goes down late while others are down: the guard could not
    decide before it."""
    bursts: list[tuple[float, list[list[Point]]]] = []
    begun = ended = 0.0
    for stroke in sorted(filter(None, strokes), key=lambda each: each[0][2]):
        at, until = stroke[0][2], stroke[-1][2]
        if bursts and at - begun <= BURST_MS:
            ended = max(ended, until)
        elif bursts and at < ended:
            raise InvalidParams(
                f"A finger goes down at {at:g} ms while others are down. On this phone rules depend"
                " on the app in front, so the fingers of a gesture must go down together, or one"
                " after the other. Nothing was done."
            )
        else:
            bursts.append((at - ended, []))
            begun, ended = at, until
        bursts[-1][1].append([(x, y, time - begun) for x, y, time in stroke])
    return bursts


def one_burst(strokes: Sequence[Stroke]) -> list[tuple[float, list[list[Point]]]]:
    """Return all strokes as one, with the pause before the first in ms; the times begin at 0."""
    made = [stroke for stroke in strokes if stroke]
    if not made:
        return []
    begun = min(stroke[0][2] for stroke in made)
    return [(begun, [[(x, y, time - begun) for x, y, time in stroke] for stroke in made])]
