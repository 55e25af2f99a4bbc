"""Renders the screen from the views, at the requested size.

The screen is not rendered in full and then scaled down: shapes and letters are made at the target
scale.
"""

from typing import TYPE_CHECKING

from PIL import Image

from ..view import View
from . import masks, theme
from .pen import Box
from .theme import Color

if TYPE_CHECKING:
    from ...world import World
    from ..window import Window


class Canvas:
    """A pen that draws on an image. Coordinates are those of the full-size screen."""

    def __init__(
        self, width: int, height: int, scale_x: float, scale_y: float, night: bool = False
    ) -> None:
        self._night = night
        """Whether it uses the colours of the dark theme."""
        self.image = Image.new("RGB", (width, height))
        self._x, self._y = scale_x, scale_y
        self._whole: Box = (0, 0, width, height)
        self.clip = self._whole
        """The clip, in pixels of the image."""
        self._fill = self.image.paste

    def scaled(self, box: Box) -> Box:
        left, top, right, bottom = box
        x, y = self._x, self._y
        return round(left * x), round(top * y), round(right * x), round(bottom * y)

    def clipped(self, box: Box) -> bool:
        """Restrict drawing to the box; return False if no part of it is visible."""
        self.clip = _intersect(self.scaled(box), self._whole)
        return self.clip[0] < self.clip[2] and self.clip[1] < self.clip[3]

    def box(self, box: Box, color: Color, radius: float = 0) -> None:
        target = self.scaled(box)
        width, height = target[2] - target[0], target[3] - target[1]
        reach = min(round(radius * self._x * 2) / 2, width / 2, height / 2)
        if reach < 1:
            left, top, right, bottom = _intersect(target, self.clip)
            if left < right and top < bottom:
                if self._night:
                    color = theme.at_night(color)
                self._fill(color, (left, top, right, bottom))
            return
        mask = masks.rounded(width, height, reach)
        self._stamp(mask, target[0], target[1], color)

    def outline(self, box: Box, color: Color, width: float, radius: float = 0) -> None:
        target = self.scaled(box)
        across, down = target[2] - target[0], target[3] - target[1]
        line = max(1.0, round(width * self._x * 2) / 2)
        reach = min(round(radius * self._x * 2) / 2, across / 2, down / 2)
        if across <= 0 or down <= 0:
            return
        mask = masks.rounded(across, down, reach, line)
        self._stamp(mask, target[0], target[1], color)

    def gradient(self, box: Box, top: Color, bottom: Color) -> None:
        left, up, right, down = _intersect(self.scaled(box), self.clip)
        if left >= right or up >= down:
            return
        if self._night:
            top, bottom = theme.at_night(top), theme.at_night(bottom)
        strip = Image.new("RGB", (1, 2))
        strip.putpixel((0, 0), top)
        strip.putpixel((0, 1), bottom)
        middle = strip.resize((1, 64), Image.Resampling.BILINEAR)
        self.image.paste(
            middle.resize((right - left, down - up), Image.Resampling.BILINEAR), (left, up)
        )

    def icon(self, name: str, box: Box, color: Color) -> None:
        target = self.scaled(box)
        side = max(1, min(target[2] - target[0], 2048))
        mask = masks.icon(name, side)
        self._stamp(mask, target[0], target[1], color)

    def photo(self, name: str, box: Box, clip: Box) -> None:
        from .photos import photo

        self.picture(photo(name), box, clip)

    def picture(self, image: Image.Image, box: Box, clip: Box) -> None:
        left, top, right, bottom = self.scaled(box)
        seen = _intersect(_intersect((left, top, right, bottom), self.scaled(clip)), self.clip)
        if seen[0] >= seen[2] or seen[1] >= seen[3]:
            return
        x, y = image.width / (right - left), image.height / (bottom - top)
        part = (
            (seen[0] - left) * x,
            (seen[1] - top) * y,
            (seen[2] - left) * x,
            (seen[3] - top) * y,
        )
        size = (seen[2] - seen[0], seen[3] - seen[1])
        self.image.paste(image.resize(size, Image.Resampling.BILINEAR, part), seen[:2])

    def window(self, window: "Window", box: Box, radius: float) -> None:
        left, top, right, bottom = self.scaled(box)
        width, height = right - left, bottom - top
        wide, high = window.box[2] - window.box[0], window.box[3] - window.box[1]
        if width < 1 or height < 1 or not wide or not high:
            return
        small = Canvas(width, height, width / wide, height / high, self._night)
        window.layout()
        _draw(window.root, window.box, small, window.dp)
        reach = min(radius * self._x, width / 2, height / 2)
        mask = masks.rounded(width, height, reach)
        seen = _intersect((left, top, right, bottom), self.clip)
        if seen[0] < seen[2] and seen[1] < seen[3]:
            part = (seen[0] - left, seen[1] - top, seen[2] - left, seen[3] - top)
            self.image.paste(small.image.crop(part), seen[:2], mask.crop(part))

    def text(
        self, x: float, y: float, line: str, size: float, weight: str, color: Color, clip: Box
    ) -> None:
        if not line:
            return
        small = round(size * self._y * 4) / 4
        if small < 1:
            return
        mask = masks.written(line, weight, small)
        left, top = round(x * self._x), round(y * self._y)
        # Letters may extend a little beyond their line, but not beyond their view.
        reach = max(1, round(small / 4))
        kept = self.scaled(clip)
        room = (kept[0] - reach, kept[1] - reach, kept[2] + reach, kept[3] + reach)
        self._stamp(mask, left - masks.margin(small), top, color, _intersect(room, self.clip))

    def _stamp(
        self, mask: Image.Image, left: int, top: int, color: Color, clip: Box | None = None
    ) -> None:
        kept = clip or self.clip
        right, bottom = left + mask.width, top + mask.height
        if left < kept[0] or top < kept[1] or right > kept[2] or bottom > kept[3]:
            inner = _intersect((left, top, right, bottom), kept)
            if inner[0] >= inner[2] or inner[1] >= inner[3]:
                return
            mask = mask.crop((inner[0] - left, inner[1] - top, inner[2] - left, inner[3] - top))
            left, top = inner[0], inner[1]
        if self._night:
            color = theme.at_night(color)
        self._fill(color, (left, top, left + mask.width, top + mask.height), mask)


def render(world: "World", max_size: int | None = None) -> Image.Image:
    """Return an image of the screen, scaled down if a side is longer than `max_size`."""
    scale = min(1.0, (max_size or 1 << 30) / max(world.width, world.height))
    width = max(1, round(world.width * scale))
    height = max(1, round(world.height * scale))
    canvas = Canvas(width, height, width / world.width, height / world.height, world.display.night)
    if not world.awake:
        return canvas.image
    world.screen.paint_bars()
    windows = world.windows()
    dialog = sum(window.type == "APPLICATION" and window.anchor is None for window in windows) > 1
    dialog = dialog or any(world.system_dialogs.holds(window) for window in windows)
    dialog = dialog and not world.front.immersive  # a captured picture already contains its scrim
    for window in reversed(windows):
        window.layout()
        if not canvas.clipped(window.box):
            continue
        if world.screen.is_secure(window):
            canvas.box(window.box, theme.BLACK)
            continue
        _draw(window.root, window.box, canvas, window.dp)
        if dialog and window is windows[-1]:
            dark = Image.new("RGB", (width, height), theme.BLACK)
            canvas.image.paste(Image.blend(canvas.image, dark, 0.4))
    toast = world.toasts.window
    if toast is not None:
        toast.layout()
        _draw(toast.root, toast.box, canvas, toast.dp)
    return canvas.image


def _draw(view: View, clip: Box, canvas: Canvas, dp: float) -> None:
    # As on Android, drawing and touch of a view are clipped to its parent's bounds.
    if not canvas.clipped(clip):
        return
    view.draw(canvas, dp)
    if view.children:
        inner = _intersect(view.place, clip)
        for child in view.drawn:
            if child.shown:
                place = child.place
                if (
                    place[0] < inner[2]
                    and place[1] < inner[3]
                    and place[2] > inner[0]
                    and place[3] > inner[1]
                ):
                    _draw(child, inner, canvas, dp)


def _intersect(a: Box, b: Box) -> Box:
    return (
        max(a[0], b[0]),
        max(a[1], b[1]),
        min(a[2], b[2]),
        min(a[3], b[3]),
    )
