"""A screenshot with a dashed red box and a label for every element that the text lists.

Sizes are in units of `k`, the picture's width over 360. Dashes and letters are drawn once per
size as masks and then pasted: drawing five hundred boxes dash by dash would take a second.
`labels.py` places the labels.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .model import Bounds, Flag, Node, Screen
from .picture_labels import Box, Labelled, Labels, place
from .text import is_kept

if TYPE_CHECKING:
    # Pillow is imported where it is used: most calls never need it, and it is slow to load.
    from PIL import Image

QUALITY = 80
MOST_MARKS = 600
"""The maximum of boxes: more than fit side by side, and few enough to draw quickly."""
_RED = (255, 0, 0)
_WHITE = (255, 255, 255)
_PILL_ALPHA = 180
_STROKE, _DASH, _GAP, _TEXT, _PADDING = 2, 6, 3, 10, 2
_LETTER, _LINE, _ICON = 8, 20, 24
"""Typical width of a letter and heights of a line and an icon, in dp."""


class Annotated(NamedTuple):
    data: bytes
    """A JPEG."""
    marked: int
    visible: int
    """The number of elements to mark."""


def annotate(data: bytes, screen: Screen, labels: Sequence[Sequence[str]]) -> Annotated:
    """Return the picture in `data` with boxes for the listed, visible nodes of `screen`, the first
    600 of them.

    Raises ValueError if `data` is not a picture.
    """
    image = _open(data)
    marks, visible = find_marks(screen, labels, image.size)
    return Annotated(_draw(image, marks), len(marks), visible)


def draw_marks(data: bytes, find: "Callable[[tuple[int, int]], Sequence[Mark]]") -> bytes:
    """Return the picture in `data` as a JPEG with the marks that `find` gives for its size. Raises
    ValueError if `data` is not a picture."""
    image = _open(data)
    return _draw(image, find(image.size))


def _open(data: bytes) -> "Image.Image":
    from PIL import Image

    try:
        with Image.open(BytesIO(data), formats=("JPEG", "PNG")) as opened:
            return opened.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as problem:
        raise ValueError("The screenshot is not a JPEG or PNG picture.") from problem


def _draw(image: "Image.Image", marks: "Sequence[Mark]") -> bytes:
    pen, places = place_labels(marks, image.size)
    # Labels are drawn over all boxes, which keeps them readable.
    for mark in marks:
        pen.frame(image, mark.box)
    for mark, (left, top, _, _) in zip(marks, places, strict=True):
        pen.write(image, left, top, mark.label)
    out = BytesIO()
    # Without chroma subsampling, which would blur thin red lines and small letters.
    image.save(out, "JPEG", quality=QUALITY, subsampling=0)
    return out.getvalue()


class Mark(NamedTuple):
    """An element in the picture."""

    box: Box
    label: str
    content: Box | None
    """The probable place of its text or icon."""
    inside: bool = False
    """The label fits better inside the box."""


def find_marks(
    screen: Screen, labels: Sequence[Sequence[str]], size: tuple[int, int]
) -> tuple[list[Mark], int]:
    """Return the elements to mark in a picture of that size, and their number without the limit."""
    scale = size[0] / max(1, screen.width), size[1] / max(1, screen.height)
    dp = min(size) / 360
    marks: list[Mark] = []
    visible = 0
    for window, hexes in zip(screen.windows, labels, strict=True):
        nodes = window.nodes
        for number, (node, label) in enumerate(zip(nodes, hexes, strict=True), 1):
            if node.flags & Flag.VISIBLE.value and is_kept(node):
                box = scale_box(node.bounds, scale, size)
                if box is None:
                    continue
                visible += 1
                if visible <= MOST_MARKS:
                    is_leaf = number == len(nodes) or nodes[number].depth <= node.depth
                    marks.append(Mark(box, label, find_content(box, node, is_leaf, dp)))
    return marks, visible


def place_labels(marks: Sequence[Mark], size: tuple[int, int]) -> "tuple[_Pen, list[Box]]":
    """Return the pen for the size of the labels, and the place of each."""
    pen = _pen(size[0])
    placed = pen.place(marks, size)
    if placed.hiding and size[0] > size[1]:
        # Labels of a landscape picture are large for its height: try the size for portrait.
        upright = _pen(size[1])
        again = upright.place(marks, size)
        if again.hiding < placed.hiding:
            pen, placed = upright, again
    return pen, placed.boxes


def scale_box(bounds: Bounds, scale: tuple[float, float], size: tuple[int, int]) -> Box | None:
    """Return the box in the picture's pixels, clamped to it; None if it is empty."""
    left = min(max(bounds.left * scale[0], 0), size[0])
    top = min(max(bounds.top * scale[1], 0), size[1])
    right = min(max(bounds.right * scale[0], 0), size[0])
    bottom = min(max(bounds.bottom * scale[1], 0), size[1])
    if right <= left or bottom <= top:
        return None
    return round(left), round(top), round(right), round(bottom)


def find_content(box: Box, node: Node, is_leaf: bool, dp: float) -> Box | None:
    """Estimate the content's position: text starts at the left, vertically centered, or below an
    icon if there is room for one; an icon without text is centered."""
    left, top, right, bottom = box
    wide, high = right - left, bottom - top
    icon = round(_ICON * dp)
    if node.text:
        long = len(node.text) * _LETTER * dp
        lines = min(high, round(_LINE * dp * (1 + long // max(1, wide))))
        middle = (top + bottom - lines) // 2
        if (node.class_name or "").endswith("Button"):
            return left, middle, right, middle + lines
        if high >= lines + icon:
            return left, middle, right, bottom
        # Text that is not ASCII may be right to left, and have wide letters.
        right = min(right, left + round(long)) if node.text.isascii() else right
        return left, middle, right, middle + lines
    if not is_leaf:
        return None
    wide, high = min(wide, icon), min(high, icon)
    left, top = (left + right - wide) // 2, (top + bottom - high) // 2
    return left, top, left + wide, top + high


@lru_cache(maxsize=4)
def _pen(width: int) -> "_Pen":
    return _Pen(width / 360)


class _Pen:
    """Draws at one size, with cached masks."""

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
        self._lines: dict[bool, Image.Image] = {}
        """The longest one so far, across and upright."""

    def frame(self, image: "Image.Image", box: Box) -> None:
        left, top, right, bottom = box
        half = self._stroke // 2
        across = self._line(right - left + self._stroke, upright=False)
        down = self._line(bottom - top + self._stroke, upright=True)
        image.paste(_RED, _at(left - half, top - half, across), across)
        image.paste(_RED, _at(left - half, bottom - half, across), across)
        image.paste(_RED, _at(left - half, top - half, down), down)
        image.paste(_RED, _at(right - half, top - half, down), down)

    def place(self, marks: Sequence[Mark], size: tuple[int, int]) -> Labels:
        items = [
            Labelled(mark.box, self._measure(mark.label), mark.content, mark.inside)
            for mark in marks
        ]
        return place(items, self._height, size)

    def _measure(self, label: str) -> int:
        """Return the width of a label."""
        return round(sum(advance for _, advance in self._stamps(label)) + 2 * self._padding)

    def _stamps(self, label: str) -> "list[tuple[Image.Image, float]]":
        # Letters are pasted in pairs: 256 masks serve every label with four stamps each.
        return [self._stamp(label[i : i + 2]) for i in range(0, len(label), 2)]

    def write(self, image: "Image.Image", left: int, top: int, label: str) -> None:
        stamps = self._stamps(label)
        pill = self._pill(self._measure(label))
        image.paste(_RED, _at(left, top, pill), pill)
        x = left + self._padding
        for mask, advance in stamps:
            image.paste(_WHITE, _at(round(x), top, mask), mask)
            x += advance

    def _line(self, length: int, upright: bool) -> "Image.Image":
        line = self._lines.get(upright)
        if line is None or line.size[upright] < length:
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
            self._lines[upright] = line
        return line.crop((0, 0, self._stroke, length) if upright else (0, 0, length, self._stroke))

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
