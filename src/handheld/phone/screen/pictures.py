"""The pictures shown to agents, and the mapping of their points to the screen."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ...screen.model import Screen

MOST_PICTURES = 32


class ShownPicture(NamedTuple):
    """The dimensions of a picture. The picture itself is not stored."""

    id: str
    width: int
    height: int
    screen: tuple[int, int, int]
    """Width, height and rotation of the screen."""

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the screen's point for the middle of a pixel of the picture."""
        width, height, _ = self.screen
        return (
            min(width - 1, (x + 0.5) * width / self.width),
            min(height - 1, (y + 0.5) * height / self.height),
        )

    def shows(self, screen: Screen) -> bool:
        """Whether the screen still has the size and the rotation of the picture."""
        return self.screen == _measures(screen)


@dataclass(slots=True)
class PictureLog:
    count: int = 0
    _pictures: dict[str, ShownPicture] = field(default_factory=dict[str, ShownPicture])
    """By id, oldest first."""

    def add(self, width: int, height: int, screen: Screen) -> ShownPicture:
        self.count += 1
        shown = ShownPicture(f"p{self.count}", width, height, _measures(screen))
        self._pictures[shown.id] = shown
        if len(self._pictures) > MOST_PICTURES:
            del self._pictures[next(iter(self._pictures))]
        return shown

    def get(self, id: str) -> ShownPicture | None:
        return self._pictures.get(id)

    def forget(self) -> None:
        self._pictures.clear()


def _measures(screen: Screen) -> tuple[int, int, int]:
    return screen.width, screen.height, screen.rotation
