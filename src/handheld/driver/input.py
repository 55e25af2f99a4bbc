"""Touching the screen: the protocol and its values."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..errors import ActionFailed
from .target import NodeSignature, Target

Point = tuple[float, float, float]
"""x, y in pixels and the time in milliseconds from the gesture's start."""


Spot = tuple[float, float]
"""x and y in pixels."""


class Seek(NamedTuple):
    """What a list is scrolled for."""

    wanted: NodeSignature
    beside: NodeSignature | None
    """Another node of its row."""
    key: str
    """Its view, where nothing else identifies it; else ""."""
    forward: bool
    pages: int
    """At most."""
    position: tuple[int, int] | None
    """Row and column, to jump to where the list can do that."""


class Sought(NamedTuple):
    scrolls: int
    end: bool
    """The list did not scroll any further."""
    jumped: bool


class InputDriver(Protocol):
    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None: ...

    async def scroll(self, direction: str, share: float) -> None:
        """Drag through the middle of the screen, over a share of its height or width."""
        ...

    async def drag(self, start: Spot, end: Spot, density: int) -> None:
        """Move one finger such that the content below follows it, and does not go on when it is
        lifted. `finger.lost_way` is the part of the way that the content does not follow."""
        ...

    async def press(self, key: str) -> None:
        """Press a button of the system (back, home, recents, notifications, quick_settings), or a
        key by its name in `keys`, in whatever has the focus. Raises InvalidParams."""
        ...

    async def act(self, target: Target, action: str) -> None:
        """Verify the target and act on it in one call. Raises TargetMissing, NotActionable,
        Refused."""
        ...

    async def seek(self, target: Target, seek: Seek) -> Sought:
        """Verify the target and scroll it, until the wanted node is visible in it or it ends.
        Raises TargetMissing, NotActionable, Refused."""
        ...


class LiftDriver(Protocol):
    async def lift(self) -> None:
        """Lift the fingers of a touch that was broken off, without the helper. The app is told that
        the touch is cancelled: it is no click."""
        ...


class PinchDriver(Protocol):
    async def pinch(self, x: float, y: float, scale: float, duration_ms: float) -> float:
        """Move two fingers on either side of the centre, kept on the screen; return the scale that
        an app measures."""
        ...


class NotActionable(Exception):
    """The node matches but does not support the action. Nothing was done."""


class Refused(ActionFailed):
    """The node did not accept the action: a list at its end does not scroll on. Nothing was
    done."""


class Unreachable(Refused):
    """By its place alone the node cannot be touched for certain: something else in its window is
    there, too, or it is out of sight. Nothing was done."""
