"""An action and the screen at rest after it, in one call where the driver can do that."""

from dataclasses import dataclass

from ..helper.protocol import Then
from ..screen.model import Screen


@dataclass(frozen=True, slots=True)
class Rested:
    """The screen after an action that was done."""

    changed: bool
    settled: bool
    """Whether nothing changed any more."""
    screen: Screen | None
    problem: str = ""
    """Why there is no screen, as a sentence."""


class Rest:
    """Asks for the screen at rest after an action, for `Driver.resting`, and holds it then."""

    def __init__(self, first_ms: int, quiet_ms: int, most_ms: int) -> None:
        self.then = Then(first_ms, quiet_ms, most_ms)
        self.rested: Rested | None = None
        """None where the action's call does not read the screen."""
