"""Grey masks of letters and shapes, made at their drawn size and cached, because a screen draws
them repeatedly."""

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from unicodedata import combining

from PIL import Image, ImageDraw, ImageFont, features

from ..text.fonts import LINE_HEIGHT, Face, advance, face_for, is_wide, roboto
from ..text.lines import runs_back, visual
from .icons import ICONS

MOST_MASKS = 2000
MOST_MASK_PIXELS = 4_000_000
"""Larger masks are not cached, because 2,000 of them would not fit."""
SMOOTH = 4
"""The supersampling factor of shapes, for soft edges."""
FINE = 3
"""The supersampling factor of letters."""
BASELINE = 0.927
"""The distance of the baseline from the top of a line, in ems of Roboto."""
LONGEST_RUN = 400
"""The limit of characters in a line; no screen is wider."""


class MaskCache:
    """A cache that evicts the least recently used masks."""

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


_KEPT = MaskCache()
"""The cache for all phones of the process. It contains only letters and shapes."""
_SIGNS = MaskCache()
"""A separate cache for ideographs and emoji, which would evict all words."""


def rounded(width: int, height: int, radius: float, line: float = 0) -> Image.Image:
    """Return a box with round corners: its outline if `line` is a width, otherwise filled."""
    key = ("box", width, height, radius, line)
    return _KEPT.get(key, lambda: _rounded(width, height, radius, line))


def icon(name: str, side: int) -> Image.Image:
    return _KEPT.get(("icon", name, side), lambda: _icon(name, side))


def written(line: str, weight: str, size: float) -> Image.Image:
    """Return a line of text. Its letters begin `margin(size)` from the left edge."""
    line = line[:LONGEST_RUN]
    return _KEPT.get(("text", line, weight, size), lambda: _write(line, weight, size))


def _rounded(width: int, height: int, radius: float, line: float = 0) -> Image.Image:
    """Draw a filled box with round corners, or its outline. Only the corners are supersampled."""
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


def margin(size: float) -> int:
    """The margin around a line, for letters that extend beyond it."""
    return round(size / 4)


def _runs(line: str, weight: str) -> list[tuple[Face | None, bool, str]]:
    """Split a line into runs with their fonts (None if no font has the characters), and whether
    each character stands by itself. A right-to-left word is a separate run: shaping would reverse
    its neighbours again."""
    own = roboto(weight)
    kinds: list[tuple[Face | None, bool, bool]] = []
    pieces: list[str] = []
    for character in line:
        face = face_for(character, weight)
        alone = face is not own and is_wide(character)
        back = kinds[-1][2] if kinds and combining(character) else runs_back(character)
        if kinds and kinds[-1] == (face, alone, back):
            pieces[-1] += character
        else:
            kinds.append((face, alone, back))
            pieces.append(character)
    return [(face, alone, piece) for (face, alone, _), piece in zip(kinds, pieces, strict=True)]


def _font(face: Face, size: float, shaped: bool = False) -> ImageFont.FreeTypeFont | None:
    """Return the font. Shaping, which only scripts outside Roboto may need, costs ten times as
    much."""
    engine = ImageFont.Layout.RAQM if shaped and _can_shape() else ImageFont.Layout.BASIC
    key = (face.file, size, engine)
    font = _FONTS.get(key)
    if font is None:
        try:
            font = ImageFont.truetype(face.file, size, face.index, layout_engine=engine)
        except OSError:
            return None
        _FONTS[key] = font
        if len(_FONTS) > 48:
            _FONTS.popitem(last=False)
    return font


@lru_cache(maxsize=1)
def _can_shape() -> bool:
    """Whether Pillow can shape text: it bundles Raqm, but uses the system's FriBidi."""
    return bool(features.check("raqm"))


_FONTS: OrderedDict[tuple[str, float, int], ImageFont.FreeTypeFont] = OrderedDict()


def _write(line: str, weight: str, size: float) -> Image.Image:
    """Draw a line of text in grey. It is supersampled: small hinted letters are whole pixels wide,
    unlike the widths used by the layout. Every word begins at its place in the layout, because
    errors would add up."""
    lean = margin(size) * FINE
    size *= FINE
    height = max(1, round(size * LINE_HEIGHT) + lean)
    across = sum(advance(character, weight) for character in line) * size
    mask = Image.new("L", (min(8192, int(across) + 1 + 2 * lean), height))
    pen = ImageDraw.Draw(mask)
    own = roboto(weight)
    x = float(lean)
    baseline = size * BASELINE
    for face, alone, words in _runs(visual(line), weight):
        room = sum(advance(character, weight) for character in words) * size
        font = None if face is None else _font(face, size, face is not own and not alone)
        if face is None or font is None:
            step = room / len(words)
            for left in (x + number * step for number in range(len(words))):
                edge = (left + step * 0.1, baseline - size * 0.7, left + step * 0.9, baseline)
                pen.rectangle(edge, None, 255, max(1, round(size / 16)))
        elif face is own:
            _write_words(mask, x, words, font, weight, size)
        elif alone:
            _write_signs(mask, x, words, face, font, size)
        else:
            _write_foreign(pen, x, baseline, words, font, room)
        x += room
    return mask.reduce(FINE)


def _write_words(
    mask: Image.Image, x: float, words: str, font: ImageFont.FreeTypeFont, weight: str, size: float
) -> None:
    """Draw and cache each word, because words repeat more often than lines."""
    space = advance(" ", weight) * size
    lean = margin(size)
    for word in words.split(" "):
        if word:
            across = sum(advance(character, weight) for character in word) * size

            def make(word: str = word, across: float = across) -> Image.Image:
                piece = Image.new("L", (int(across) + 2 * lean, mask.height))
                pen = ImageDraw.Draw(piece)
                pen.text((lean, size * BASELINE), word, 255, font, anchor="ls")
                return piece

            piece = _KEPT.get(("word", word, weight, size), make)
            mask.paste(255, (round(x) - lean, 0), piece)
            x += across
        x += space


def _write_signs(
    mask: Image.Image, x: float, signs: str, face: Face, font: ImageFont.FreeTypeFont, size: float
) -> None:
    """Draw and cache each character in its square, because characters repeat more often than
    texts."""
    side = round(size)
    for number, sign in enumerate(signs):

        def make(sign: str = sign) -> Image.Image:
            piece = Image.new("L", (side, mask.height))
            length = font.getlength(sign)
            fits = font if length <= size else _font(face, size * size / length) or font
            place = (side / 2, size * BASELINE)
            ImageDraw.Draw(piece).text(place, sign, 255, fits, anchor="ms")
            return piece

        piece = _SIGNS.get((sign, face.file, size), make)
        mask.paste(255, (round(x + number * size), 0), piece)


def _write_foreign(
    pen: ImageDraw.ImageDraw,
    x: float,
    baseline: float,
    words: str,
    font: ImageFont.FreeTypeFont,
    room: float,
) -> None:
    """Draw words in the middle of the space that the layout reserved, smaller if necessary."""
    if not _can_shape() and runs_back(words[0]):
        words = words[::-1]
    try:
        length = font.getlength(words)
        if length > room > 0:
            font = font.font_variant(size=max(1.0, font.size * room / length))
            length = font.getlength(words)
        pen.text((x + (room - length) / 2, baseline), words, 255, font, anchor="ls")
    except (OSError, ValueError):
        # The font cannot be used, so the space stays empty.
        return
