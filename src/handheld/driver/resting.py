"""An action and the screen at rest after it, in one call if the driver supports that."""

from dataclasses import dataclass

from ..helper.protocol import Then
from ..screen.model import Screen


@dataclass(frozen=True, slots=True)
class Rested:
    """The screen after a completed action."""

    changed: bool
    settled: bool
    """Whether the screen had stopped changing."""
    screen: Screen | None
    problem: str = ""
    """A sentence that says why there is no screen."""


class Rest:
    """Requests the screen at rest after an action, for `Driver.resting`, and then holds it."""

    def __init__(self, first_ms: int, quiet_ms: int, most_ms: int) -> None:
        self.then = Then(first_ms, quiet_ms, most_ms)
        self.rested: Rested | None = None
        """None if the action's call does not read the screen."""
