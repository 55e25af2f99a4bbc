"""Touching the screen: the protocol and its values."""

from collections.abc import Sequence
from typing import Protocol

from ..errors import ActionFailed
from .target import Target

Point = tuple[float, float, float]
"""x, y in pixels and the time in milliseconds from the gesture's start."""


class InputDriver(Protocol):
    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None: ...

    async def scroll(self, direction: str, share: float, duration_ms: float) -> None:
        """Swipe through the middle of the screen, over a share of its height or width."""
        ...

    async def press(self, key: str) -> None:
        """Press a button of the system (back, home, recents, notifications, quick_settings), or a
        key by its name in `keys`, in whatever has the focus. Raises InvalidParams."""
        ...

    async def act(self, target: Target, action: str) -> None:
        """Verify the target and act on it in one call. Raises TargetMissing, NotActionable,
        Refused."""
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
