"""Makes an animated GIF or WebP from pictures, for pages that cannot show videos."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...screen.picture import QUALITY
from .frames import VideoFrame

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

FORMATS = {".gif": "GIF", ".webp": "WEBP"}
LEAST_SECONDS = 0.05
_LAST_SECONDS = 1.5
"""The display time of the last picture."""
_BLOCK = 16
"""The side, in pixels, of the squares that are compared."""
_TRUE = [0] + [255] * 255
_NOISE = 6
"""Smaller differences, of 255, are JPEG noise."""


def write_moving_picture(
    target: Path, frames: Sequence[VideoFrame], ended: float, max_size: int
) -> tuple[float, int]:
    """Write the animation in the format of the file name; return its duration in seconds and its
    size in bytes. Blocks. Raises OSError, and ValueError for unreadable pictures."""
    pictures = _read(frames, max_size)
    ends = [*(frame.at for frame in frames[1:]), max(ended, frames[-1].at + _LAST_SECONDS)]
    lasts = [max(LEAST_SECONDS, end - frame.at) for frame, end in zip(frames, ends, strict=True)]
    format = FORMATS[target.suffix.lower()]
    shown: dict[str, object] = {"loop": 0, "duration": [round(each * 1000) for each in lasts]}
    if format == "GIF":
        pictures = _with_one_palette(pictures)
        shown |= {"optimize": True, "disposal": 1}
    else:
        shown |= {"quality": 80, "method": 4}
    first, *others = pictures
    with target.open("wb") as file:
        first.save(file, format, save_all=True, append_images=others, **shown)
    return sum(lasts), target.stat().st_size


def shrink(data: bytes, max_size: int) -> bytes:
    """Return a JPEG with neither side over `max_size`. Blocks. Raises ValueError."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as opened:
            if max(opened.size) <= max_size:
                return data
            picture = opened.convert("RGB")
    except (OSError, SyntaxError) as problem:
        raise ValueError(str(problem)) from None
    picture.thumbnail((max_size, max_size), Image.Resampling.BILINEAR)
    target = io.BytesIO()
    picture.save(target, "JPEG", quality=QUALITY)
    return target.getvalue()


def _read(frames: Sequence[VideoFrame], max_size: int) -> "list[Picture]":
    """Read the pictures, scaled to the first one's size. Parts that differ only by noise are copied
    from the previous picture: unchanged parts then take no space."""
    from PIL import Image, ImageChops

    pictures: list[Picture] = []
    for frame in frames:
        try:
            with Image.open(io.BytesIO(frame.data), formats=["JPEG"]) as opened:
                picture = opened.convert("RGB")
        except (OSError, SyntaxError) as problem:
            raise ValueError(str(problem)) from None
        picture.thumbnail((max_size, max_size), Image.Resampling.BILINEAR)
        if not pictures:
            pictures.append(picture)
            continue
        before = pictures[-1]
        if picture.size != before.size:
            picture = _fit(picture, before.size)
        red, green, blue = ImageChops.difference(picture, before).split()
        differs = ImageChops.lighter(ImageChops.lighter(red, green), blue)
        pictures.append(Image.composite(picture, before, _find_parts(differs)))
    return pictures


def _find_parts(differs: "Picture") -> "Picture":
    """Return a mask of the parts in which a pixel differs by more than noise, or many by a
    little."""
    from PIL import ImageChops

    some = differs.point([0] * _NOISE + [255] * (256 - _NOISE)).reduce(_BLOCK)
    many = differs.point([min(255, value * 32) for value in range(256)]).reduce(_BLOCK)
    parts = ImageChops.lighter(some.point(_TRUE), many.point([0] * 16 + [255] * 240))
    whole = parts.resize((parts.width * _BLOCK, parts.height * _BLOCK), 0)
    return whole.crop((0, 0, *differs.size))


def _fit(picture: "Picture", size: tuple[int, int]) -> "Picture":
    """Centre a picture of a rotated screen on a black one."""
    from PIL import Image

    small = picture.copy()
    small.thumbnail(size, Image.Resampling.BILINEAR)
    whole = Image.new("RGB", size)
    whole.paste(small, ((size[0] - small.width) // 2, (size[1] - small.height) // 2))
    return whole


def _with_one_palette(pictures: "list[Picture]") -> "list[Picture]":
    """Give all pictures one palette: then a frame contains only the changed pixels."""
    from PIL import Image

    few = pictures[:: max(1, len(pictures) // 8)]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, height * len(few)))
    for number, picture in enumerate(few):
        sheet.paste(picture, (0, number * height))
    palette = sheet.quantize(255, Image.Quantize.FASTOCTREE)
    return [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
