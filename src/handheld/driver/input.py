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
    """The target of scrolling a list."""

    wanted: NodeSignature
    beside: NodeSignature | None
    """Another node in the target's row."""
    key: str
    """The target's view if nothing else identifies it, else ""."""
    forward: bool
    pages: int
    """At most."""
    position: tuple[int, int] | None
    """Row and column, for a list that can jump to them."""


class Sought(NamedTuple):
    scrolls: int
    end: bool
    """The list reached its end."""
    jumped: bool


class InputDriver(Protocol):
    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None: ...

    async def scroll(self, direction: str, share: float) -> None:
        """Drag through the middle of the screen, over this share of its height or width."""
        ...

    async def drag(self, start: Spot, end: Spot, density: int) -> None:
        """Move one finger such that the content below follows it, without a fling when it is
        lifted. The content does not follow the first part of the way, `finger.lost_way`."""
        ...

    async def press(self, key: str) -> None:
        """Press a system button (back, home, recents, notifications, quick_settings), or a key by
        its name in `keys`, in the focused element. Raises InvalidParams."""
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
        """Lift the fingers of an interrupted touch, without the helper. The app gets
        ACTION_CANCEL, not a click."""
        ...


class PinchDriver(Protocol):
    async def pinch(self, x: float, y: float, scale: float, duration_ms: float) -> float:
        """Move two fingers on either side of the centre, within the screen; return the scale that
        an app measures."""
        ...


class NotActionable(Exception):
    """The node matches but does not support the action. Nothing was done."""


class InputRefused(ActionFailed):
    """The node did not accept the action, such as a list at its end. Nothing was done."""


class OutOfReach(InputRefused):
    """Touching the node by its position is not certain to hit it: another element overlaps it, or
    it is out of sight. Nothing was done."""
