"""A screenshot with a dashed red box and a label for every element that the text lists.

Sizes are in units of `k`, the picture's width over 360. Dashes and letters are drawn once per
size as masks and stamped from there: five hundred boxes of single dashes would take a second.
"""

from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from .model import Bounds, Flag, Screen
from .text import is_kept

if TYPE_CHECKING:
    # Pillow is imported where it is used: most calls never need it, and it is slow to load.
    from PIL import Image

QUALITY = 80
_RED = (255, 0, 0)
_WHITE = (255, 255, 255)
_PILL_ALPHA = 180
_STROKE, _DASH, _GAP, _TEXT, _PADDING = 2, 6, 3, 10, 2


def annotate(data: bytes, screen: Screen, labels: Sequence[Sequence[str]]) -> bytes:
    """JPEG of the picture in `data`, marked with the kept and visible nodes of `screen`.

    Raises ValueError when `data` is not a picture.
    """
    from PIL import Image

    try:
        with Image.open(BytesIO(data), formats=("JPEG", "PNG")) as opened:
            image = opened.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as problem:
        raise ValueError("The screenshot is not a JPEG or PNG picture.") from problem
    pen = _pen(image.width)
    scale = image.width / max(1, screen.width), image.height / max(1, screen.height)
    for window, hexes in zip(screen.windows, labels, strict=True):
        for node, label in zip(window.nodes, hexes, strict=True):
            if node.flags & Flag.VISIBLE.value and is_kept(node):
                box = _scaled(node.bounds, scale, image.size)
                if box is not None:
                    pen.mark(image, box, label)
    out = BytesIO()
    # Colour at full resolution: at half of it, thin red lines and small letters turn to mud.
    image.save(out, "JPEG", quality=QUALITY, subsampling=0)
    return out.getvalue()


def _scaled(
    bounds: Bounds, scale: tuple[float, float], size: tuple[int, int]
) -> tuple[int, int, int, int] | None:
    """The box in the picture's pixels, clamped to it; None when nothing is left of it."""
    left = min(max(bounds.left * scale[0], 0), size[0])
    top = min(max(bounds.top * scale[1], 0), size[1])
    right = min(max(bounds.right * scale[0], 0), size[0])
    bottom = min(max(bounds.bottom * scale[1], 0), size[1])
    if right <= left or bottom <= top:
        return None
    return round(left), round(top), round(right), round(bottom)


@lru_cache(maxsize=4)
def _pen(width: int) -> "_Pen":
    return _Pen(width / 360)


class _Pen:
    """Everything drawn at one size, kept as masks."""

    def __init__(self, k: float) -> None:
        import font_roboto
        from PIL import ImageFont

        self._stroke = max(1, round(_STROKE * k))
        self._dash, self._gap = _DASH * k, _GAP * k
        self._padding = _PADDING * k
        self._text = max(1.0, _TEXT * k)
        self._height = max(1, round(_TEXT * k + 2 * self._padding))
        self._font = ImageFont.truetype(
            Path(font_roboto.font_directory, "Roboto-Bold.ttf"), self._text
        )
        self._letters: dict[str, tuple[Image.Image, float]] = {}
        self._pills: dict[int, Image.Image] = {}
        self._lines: dict[tuple[int, bool], Image.Image] = {}

    def mark(self, image: "Image.Image", box: tuple[int, int, int, int], label: str) -> None:
        left, top, right, bottom = box
        half = self._stroke // 2
        across = self._line(right - left + self._stroke, upright=False)
        down = self._line(bottom - top + self._stroke, upright=True)
        image.paste(_RED, _at(left - half, top - half, across), across)
        image.paste(_RED, _at(left - half, bottom - half, across), across)
        image.paste(_RED, _at(left - half, top - half, down), down)
        image.paste(_RED, _at(right - half, top - half, down), down)
        self._write(image, left, max(0, top - self._height), label)

    def _write(self, image: "Image.Image", left: int, top: int, label: str) -> None:
        # Letters are stamped in pairs: 256 masks serve every label with four stamps each.
        stamps = [self._stamp(label[i : i + 2]) for i in range(0, len(label), 2)]
        wide = round(sum(advance for _, advance in stamps) + 2 * self._padding)
        pill = self._pill(wide)
        image.paste(_RED, _at(left, top, pill), pill)
        x = left + self._padding
        for mask, advance in stamps:
            image.paste(_WHITE, _at(round(x), top, mask), mask)
            x += advance

    def _line(self, length: int, upright: bool) -> "Image.Image":
        line = self._lines.get((length, upright))
        if line is None:
            from PIL import Image, ImageDraw

            size = (self._stroke, length) if upright else (length, self._stroke)
            line = Image.new("L", size)
            draw = ImageDraw.Draw(line)
            start = 0.0
            while start < length:
                first, last = round(start), max(round(start), round(start + self._dash) - 1)
                span = (0, first, self._stroke, last) if upright else (first, 0, last, self._stroke)
                draw.rectangle(span, fill=255)
                start += self._dash + self._gap
            self._lines[length, upright] = line
        return line

    def _pill(self, width: int) -> "Image.Image":
        pill = self._pills.get(width)
        if pill is None:
            from PIL import Image, ImageDraw

            pill = Image.new("L", (width, self._height))
            ImageDraw.Draw(pill).rounded_rectangle(
                (0, 0, width - 1, self._height - 1), self._padding, fill=_PILL_ALPHA
            )
            self._pills[width] = pill
        return pill

    def _stamp(self, letters: str) -> "tuple[Image.Image, float]":
        stamp = self._letters.get(letters)
        if stamp is None:
            from PIL import Image, ImageDraw

            advance = self._font.getlength(letters)
            mask = Image.new("L", (int(advance) + 2, self._height))
            baseline = self._height - self._padding
            ImageDraw.Draw(mask).text((0, baseline), letters, 255, self._font, anchor="ls")
            stamp = self._letters[letters] = mask, advance
        return stamp


def _at(left: int, top: int, mask: "Image.Image") -> tuple[int, int, int, int]:
    return left, top, left + mask.width, top + mask.height
