"""The interface that views draw with."""

from typing import TYPE_CHECKING, Protocol

from .theme import Color

if TYPE_CHECKING:
    from PIL import Image

    from ..window import Window

Box = tuple[int, int, int, int]
"""Left, top, right and bottom."""


class Pen(Protocol):
    """A pen that draws in pixels of the full-size screen."""

    def box(self, box: Box, color: Color, radius: float = 0) -> None: ...

    def outline(self, box: Box, color: Color, width: float, radius: float = 0) -> None: ...

    def gradient(self, box: Box, top: Color, bottom: Color) -> None: ...

    def icon(self, name: str, box: Box, color: Color) -> None: ...

    def photo(self, name: str, box: Box, clip: Box) -> None:
        """Draw a photo of `photos`, stretched to the box and clipped."""
        ...

    def picture(self, image: "Image.Image", box: Box, clip: Box) -> None:
        """Draw any image, stretched to the box and clipped."""
        ...

    def window(self, window: "Window", box: Box, radius: float) -> None:
        """Draw a window scaled down into the box."""
        ...

    def text(
        self, x: float, y: float, line: str, size: float, weight: str, color: Color, clip: Box
    ) -> None: ...
