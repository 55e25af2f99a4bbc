"""Reading the screen, also at rest after an action: the protocol and its values."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..errors import ActionFailed
from ..helper.protocol import Then
from ..screen.model import Screen


class Screenshot(NamedTuple):
    """A screenshot."""

    data: bytes
    width: int
    height: int
    format: str
    secure: tuple[str, ...] = ()
    """Titles of secure windows, which are black in the picture."""


class ScreenDriver(Protocol):
    async def read_screen(self) -> Screen: ...

    async def capture(self, max_size: int | None, format: str, quality: int) -> Screenshot: ...

    async def changed(self, after: int, within_ms: int) -> int:
        """Wait until the screen's sequence number exceeds `after`, at most `within_ms`; return the
        number."""
        ...


class NoticeDriver(Protocol):
    async def need_notices(self) -> None:
        """Raises ActionFailed if screens are read without notices."""
        ...


class Restless(ActionFailed):
    """The elements cannot be read now, such as while the screen moves; a screenshot is possible."""

    def __init__(self, message: str, bare: Screen) -> None:
        super().__init__(message)
        self.bare = bare
        """The known properties of the screen, without windows."""


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
