"""Draws the screen from the views, at the size that was asked for.

Nothing is drawn large and then shrunk: shapes and letters are made at the target scale, and kept,
since a screen draws the same ones again and again.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from . import theme
from .fonts import LINE_HEIGHT, advance, face_for, roboto
from .icons import ICONS
from .text import visual
from .theme import Color
from .view import Box, View

if TYPE_CHECKING:
    from ..world import World
    from .window import Window

MOST_MASKS = 2000
MOST_MASK_PIXELS = 4_000_000
"""Larger things are not kept: 2,000 of them would not fit."""
SMOOTH = 4
"""Shapes are made so many times larger, which gives soft edges."""
FINE = 3
"""The same for letters."""
BASELINE = 0.927
"""Below the top of a line, in ems of Roboto."""
LONGEST_RUN = 400
"""Characters of one line; no screen is wider."""


class Masks:
    """Letters and shapes in grey, the longest unused given up first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], Image.Image] = OrderedDict()
        self._pixels = 0

    def get(self, key: tuple[object, ...], make: Callable[[], Image.Image]) -> Image.Image:
        mask = self._kept.get(key)
        if mask is not None:
            self._kept.move_to_end(key)
            return mask
        mask = make()
        self._kept[key] = mask
        self._pixels += mask.width * mask.height
        while len(self._kept) > MOST_MASKS or self._pixels > MOST_MASK_PIXELS:
            _, old = self._kept.popitem(last=False)
            self._pixels -= old.width * old.height
            if old is mask:
                break
        return mask


class Canvas:
    """A pen on a picture. Coordinates are the full-size screen's."""

    def __init__(
        self, width: int, height: int, scale_x: float, scale_y: float, night: bool = False
    ) -> None:
        self._night = night
        """Whether colours are those of the dark theme."""
        self.image = Image.new("RGB", (width, height))
        self._x, self._y = scale_x, scale_y
        self._whole: Box = (0, 0, width, height)
        self.clip = self._whole
        """What may be drawn on, in the picture's pixels."""
        self._fill = self.image.paste

    def scaled(self, box: Box) -> Box:
        left, top, right, bottom = box
        x, y = self._x, self._y
        return round(left * x), round(top * y), round(right * x), round(bottom * y)

    def clipped(self, box: Box) -> bool:
        """Draw only inside this from now on; False when nothing of it can be seen."""
        self.clip = _meet(self.scaled(box), self._whole)
        return self.clip[0] < self.clip[2] and self.clip[1] < self.clip[3]

    def box(self, box: Box, color: Color, radius: float = 0) -> None:
        target = self.scaled(box)
        width, height = target[2] - target[0], target[3] - target[1]
        reach = min(round(radius * self._x * 2) / 2, width / 2, height / 2)
        if reach < 1:
            left, top, right, bottom = _meet(target, self.clip)
            if left < right and top < bottom:
                if self._night:
                    color = theme.at_night(color)
                self._fill(color, (left, top, right, bottom))
            return
        mask = MASKS.get(("box", width, height, reach), lambda: _rounded(width, height, reach))
        self._stamp(mask, target[0], target[1], color)

    def outline(self, box: Box, color: Color, width: float, radius: float = 0) -> None:
        target = self.scaled(box)
        across, down = target[2] - target[0], target[3] - target[1]
        line = max(1.0, round(width * self._x * 2) / 2)
        reach = min(round(radius * self._x * 2) / 2, across / 2, down / 2)
        if across <= 0 or down <= 0:
            return
        mask = MASKS.get(
            ("outline", across, down, reach, line), lambda: _rounded(across, down, reach, line)
        )
        self._stamp(mask, target[0], target[1], color)

    def gradient(self, box: Box, top: Color, bottom: Color) -> None:
        left, up, right, down = _meet(self.scaled(box), self.clip)
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
        mask = MASKS.get(("icon", name, side), lambda: _icon(name, side))
        self._stamp(mask, target[0], target[1], color)

    def photo(self, name: str, box: Box, clip: Box) -> None:
        from .photos import photo

        self.picture(photo(name), box, clip)

    def picture(self, image: Image.Image, box: Box, clip: Box) -> None:
        left, top, right, bottom = self.scaled(box)
        seen = _meet(_meet((left, top, right, bottom), self.scaled(clip)), self.clip)
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
        mask = MASKS.get(("box", width, height, reach), lambda: _rounded(width, height, reach))
        seen = _meet((left, top, right, bottom), self.clip)
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
        line = line[:LONGEST_RUN]
        mask = MASKS.get(("text", line, weight, small), lambda: _write(line, weight, small))
        left, top = round(x * self._x), round(y * self._y)
        # Letters may lean out of their line a little, but not out of their view.
        reach = max(1, round(small / 4))
        kept = self.scaled(clip)
        room = (kept[0] - reach, kept[1] - reach, kept[2] + reach, kept[3] + reach)
        self._stamp(mask, left - _margin(small), top, color, _meet(room, self.clip))

    def _stamp(
        self, mask: Image.Image, left: int, top: int, color: Color, clip: Box | None = None
    ) -> None:
        kept = clip or self.clip
        right, bottom = left + mask.width, top + mask.height
        if left < kept[0] or top < kept[1] or right > kept[2] or bottom > kept[3]:
            inner = _meet((left, top, right, bottom), kept)
            if inner[0] >= inner[2] or inner[1] >= inner[3]:
                return
            mask = mask.crop((inner[0] - left, inner[1] - top, inner[2] - left, inner[3] - top))
            left, top = inner[0], inner[1]
        if self._night:
            color = theme.at_night(color)
        self._fill(color, (left, top, left + mask.width, top + mask.height), mask)


MASKS = Masks()
"""Shared by all phones of the process; it holds nothing but letters and shapes."""


def render(world: "World", max_size: int | None = None) -> Image.Image:
    """The screen with neither side over `max_size`, never enlarged."""
    scale = min(1.0, (max_size or 1 << 30) / max(world.width, world.height))
    width = max(1, round(world.width * scale))
    height = max(1, round(world.height * scale))
    canvas = Canvas(width, height, width / world.width, height / world.height, world.display.night)
    if not world.awake:
        return canvas.image
    world.screen.paint_bars()
    windows = world.windows()
    dialog = sum(window.type == "APPLICATION" for window in windows) > 1
    dialog = dialog or any(world.system_dialogs.holds(window) for window in windows)
    dialog = dialog and not world.front.immersive  # what was captured has its shade already
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
    return canvas.image


def _draw(view: View, clip: Box, canvas: Canvas, dp: float) -> None:
    # Android lets a view draw on its parent's ground and no further; so does touch.
    if not canvas.clipped(clip):
        return
    view.draw(canvas, dp)
    if view.children:
        inner = _meet(view.place, clip)
        for child in view.children:
            if child.shown:
                place = child.place
                if (
                    place[0] < inner[2]
                    and place[1] < inner[3]
                    and place[2] > inner[0]
                    and place[3] > inner[1]
                ):
                    _draw(child, inner, canvas, dp)


def _meet(one: Box, other: Box) -> Box:
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )


def _rounded(width: int, height: int, radius: float, line: float = 0) -> Image.Image:
    """A filled box with round corners, or only its edge. Corners are drawn large and shrunk; the
    rest is plain."""
    mask = Image.new("L", (width, height), 0 if line else 255)
    edge = ImageDraw.Draw(mask)
    corner = max(1, int(max(radius, line) + 0.999))
    corner = min(corner, (width + 1) // 2, (height + 1) // 2)
    if line:
        thick = max(1, round(line))
        for rectangle in (
            (corner, 0, width - corner - 1, thick - 1),
            (corner, height - thick, width - corner - 1, height - 1),
            (0, corner, thick - 1, height - corner - 1),
            (width - thick, corner, width - 1, height - corner - 1),
        ):
            if rectangle[0] <= rectangle[2] and rectangle[1] <= rectangle[3]:
                edge.rectangle(rectangle, 255)
    large = Image.new("L", (corner * SMOOTH, corner * SMOOTH))
    reach = radius * SMOOTH
    shape = (0, 0, corner * SMOOTH * 4, corner * SMOOTH * 4)
    pen = ImageDraw.Draw(large)
    pen.rounded_rectangle(shape, reach, 255)
    if line:
        away = max(1, round(line)) * SMOOTH
        pen.rounded_rectangle((away, away, shape[2], shape[3]), max(0.0, reach - away), 0)
    piece = large.resize((corner, corner), Image.Resampling.BOX)
    flip = Image.Transpose
    mask.paste(piece, (0, 0))
    mask.paste(piece.transpose(flip.FLIP_LEFT_RIGHT), (width - corner, 0))
    mask.paste(piece.transpose(flip.FLIP_TOP_BOTTOM), (0, height - corner))
    mask.paste(piece.transpose(flip.ROTATE_180), (width - corner, height - corner))
    return mask


def _icon(name: str, side: int) -> Image.Image:
    large = side * SMOOTH
    unit = large / 24
    mask = Image.new("L", (large, large))
    pen = ImageDraw.Draw(mask)
    for kind, numbers in ICONS.get(name, ()):
        n = [number * unit for number in numbers]
        if kind == "poly":
            pen.polygon(n, 255)
        elif kind == "line":
            width = max(1, round(n[0]))
            pen.line(n[1:], 255, width, joint="curve")
            for x, y in ((n[1], n[2]), (n[-2], n[-1])):
                pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), 255)
        elif kind in ("disc", "erase"):
            x, y, r = n
            pen.ellipse((x - r, y - r, x + r, y + r), 255 if kind == "disc" else 0)
        elif kind == "ring":
            x, y, r, width = n
            pen.ellipse((x - r, y - r, x + r, y + r), None, 255, max(1, round(width)))
        elif kind == "rect":
            pen.rounded_rectangle(n[:4], n[4], 255)
    return mask.resize((side, side), Image.Resampling.BOX)


def _margin(size: float) -> int:
    """Room around a line for letters that lean out of it."""
    return round(size / 4)


def _runs(line: str, weight: str) -> list[tuple[str | None, str]]:
    """Pieces of a line with the file of the font that has them; None: no font has."""
    runs: list[tuple[str | None, str]] = []
    for character in line:
        face = face_for(character, weight)
        path = None if face is None else face.file
        if runs and runs[-1][0] == path:
            runs[-1] = (path, runs[-1][1] + character)
        else:
            runs.append((path, character))
    return runs


def _font(path: str, size: float, own: bool) -> ImageFont.FreeTypeFont | None:
    """Scripts that Roboto lacks may want shaping, which costs ten times as much."""
    engine = ImageFont.Layout.BASIC if own else ImageFont.Layout.RAQM
    key = (path, size)
    font = _FONTS.get(key)
    if font is None:
        try:
            font = ImageFont.truetype(path, size, layout_engine=engine)
        except OSError:
            return None
        _FONTS[key] = font
        if len(_FONTS) > 48:
            _FONTS.popitem(last=False)
    return font


_FONTS: OrderedDict[tuple[str, float], ImageFont.FreeTypeFont] = OrderedDict()


def _write(line: str, weight: str, size: float) -> Image.Image:
    """A line of text in grey, its top at the top of the line. Made larger and shrunk: small hinted
    letters are whole pixels wide, far from what the layout counts with; and every word begins where
    the layout thinks it does, so that errors do not add up."""
    margin = _margin(size) * FINE
    size *= FINE
    height = max(1, round(size * LINE_HEIGHT) + margin)
    across = sum(advance(character, weight) for character in line) * size
    mask = Image.new("L", (min(8192, int(across) + 1 + 2 * margin), height))
    pen = ImageDraw.Draw(mask)
    own = roboto(weight).file
    x = float(margin)
    baseline = size * BASELINE
    for path, words in _runs(visual(line), weight):
        room = sum(advance(character, weight) for character in words) * size
        font = None if path is None else _font(path, size, path == own)
        if font is None:
            step = room / len(words)
            for left in (x + number * step for number in range(len(words))):
                edge = (left + step * 0.1, baseline - size * 0.7, left + step * 0.9, baseline)
                pen.rectangle(edge, None, 255, max(1, round(size / 16)))
        elif path == own:
            _write_words(mask, x, words, font, weight, size)
        else:
            _write_foreign(pen, x, baseline, words, font, room)
        x += room
    return mask.reduce(FINE)


def _write_words(
    mask: Image.Image, x: float, words: str, font: ImageFont.FreeTypeFont, weight: str, size: float
) -> None:
    """Word by word, each kept: lines differ, words come again."""
    space = advance(" ", weight) * size
    margin = round(size / 4)
    for word in words.split(" "):
        if word:
            across = sum(advance(character, weight) for character in word) * size

            def make(word: str = word, across: float = across) -> Image.Image:
                piece = Image.new("L", (int(across) + 2 * margin, mask.height))
                pen = ImageDraw.Draw(piece)
                pen.text((margin, size * BASELINE), word, 255, font, anchor="ls")
                return piece

            piece = MASKS.get(("word", word, weight, size), make)
            mask.paste(255, (round(x) - margin, 0), piece)
            x += across
        x += space


def _write_foreign(
    pen: ImageDraw.ImageDraw,
    x: float,
    baseline: float,
    words: str,
    font: ImageFont.FreeTypeFont,
    room: float,
) -> None:
    """In the middle of the room that the layout kept for it, smaller if need be."""
    try:
        length = font.getlength(words)
        if length > room > 0:
            font = font.font_variant(size=max(1.0, font.size * room / length))
            length = font.getlength(words)
        pen.text((x + (room - length) / 2, baseline), words, 255, font, anchor="ls")
    except (OSError, ValueError):
        # A font that cannot be used after all: its place stays empty.
        return
