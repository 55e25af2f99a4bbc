"""Actions of several parts, or that last: the rest of one may be stopped."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from ..errors import InvalidParams
from .input import Point

Result = TypeVar("Result")

BURST_MS = 150.0
"""Fingers that go down within this time belong together: two fingers, or the taps of a double tap.
No app comes to the front between them."""
LASTING_MS = 500.0
"""A touch of this length is watched."""

Stroke = Sequence[Point]


class Guard(Protocol):
    """Knows whether an action may go on, and what may be told."""

    @property
    def judges_parts(self) -> bool:
        """Whether each part of a touch is judged; else the whole of it is done as one."""
        ...

    def hides(self, package: str) -> bool:
        """Whether nothing of this app may be told."""
        ...

    def admits(self, package: str) -> bool:
        """Whether what is done may be about this app."""
        ...

    async def before(self, *, waited: bool = False) -> None:
        """Called before each part. `waited`: time has passed that the arguments asked for, so that
        the first part is judged, too. Raises ToolError if it must not be done."""
        ...

    async def check_picture(self, far: str) -> None:
        """Raises ToolError if pictures of the screen must not be shown now; `far` is a sentence on
        what became of those that were."""
        ...

    async def watch_pictures(self, far: str) -> None:
        """As `check_picture`, again and again, until it raises."""
        ...

    async def during(self, perform: Callable[[], Awaitable[Result]]) -> Result:
        """Do a part that lasts. Raises ToolError if it was stopped."""
        ...


def split_bursts(strokes: Sequence[Stroke]) -> list[tuple[float, list[list[Point]]]]:
    """Return the strokes that belong together, each with the pause before it in ms; the times of
    each begin at 0. Raises InvalidParams if a finger goes down late while others are down: nothing
    could be decided before it."""
    bursts: list[tuple[float, list[list[Point]]]] = []
    begun = ended = 0.0
    for stroke in sorted(filter(None, strokes), key=lambda each: each[0][2]):
        at, until = stroke[0][2], stroke[-1][2]
        if bursts and at - begun <= BURST_MS:
            ended = max(ended, until)
        elif bursts and at < ended:
            raise InvalidParams(
                f"A finger goes down at {at:g} ms while others are down. On this phone rules depend"
                " on the app in front, so the fingers of a gesture go down together, or one after"
                " the other. Nothing was done."
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
