"""Previews of text files and pictures."""

from io import BytesIO
from typing import TYPE_CHECKING, Unpack

from ...packages.app import Activity
from ...views.drawing import theme
from ...views.drawing.pen import Box, Pen
from ...views.layout import Column, Scroll
from ...views.options import Options
from ...views.view import MATCH, View
from ...views.widgets.basic import Text
from ...views.widgets.parts import Empty, Toolbar

if TYPE_CHECKING:
    from PIL import Image

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
MOST_BYTES = 32 * 1024
"""The limit of a text in bytes; a note says that the rest is not shown."""
LARGEST_FILE = 32 * 1024 * 1024
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 1080
"""The maximum side of a kept picture, in pixels."""


class Unreadable(Exception):
    """The file cannot be previewed. The user sees the message."""


class TextPreview(Activity):
    """The preview of the file at `path`."""

    name = ".files.TextPreviewActivity"

    @property
    def path(self) -> str:
        return self.extras.get("path", "")

    def content(self) -> View:
        bar = Toolbar(self.path.rpartition("/")[2], on_back=self.finish)
        try:
            words, rest = read_text(self.world.files.read(self.path))
        except (OSError, Unreadable) as fault:
            return Column(bar, Empty("file", _reason(fault)), background=theme.SURFACE)
        text = Text(words, size=14, id="text", width=MATCH, most_lines=2000)
        more = Text(
            f"{rest:,} more bytes are not shown",
            size=12,
            color=theme.ON_SURFACE_DIM,
            id="rest",
            shown=rest > 0,
        )
        return Column(
            bar,
            Scroll(
                Column(text, more, gap=16, padding=(20, 8, 20, 24), width=MATCH),
                width=MATCH,
                height=0,
                weight=1,
                id="scroll",
            ),
            background=theme.SURFACE,
        )


class PreviewImage(View):
    """A picture scaled to fit."""

    kind = "android.widget.ImageView"
    __slots__ = ("image",)

    def __init__(self, image: "Image.Image", **options: Unpack[Options]) -> None:
        self.image = image
        super().__init__(**options)

    def box(self) -> Box:
        left, top, right, bottom = self.place
        width, height = self.image.size
        scale = min((right - left) / width, (bottom - top) / height)
        across, down = max(1, round(width * scale)), max(1, round(height * scale))
        x, y = (left + right - across) // 2, (top + bottom - down) // 2
        return x, y, x + across, y + down

    def draw(self, pen: Pen, dp: float) -> None:
        pen.picture(self.image, self.box(), self.place)


class ImagePreview(Activity):
    """The preview of the picture at `path`."""

    name = ".files.ImagePreviewActivity"

    def content(self) -> View:
        path = self.extras.get("path", "")
        name = path.rpartition("/")[2]
        bar = Toolbar(name, on_back=self.finish)
        try:
            image, size = read_image(self.world.files.read(path))
        except (OSError, Unreadable) as fault:
            return Column(bar, Empty("picture", _reason(fault)), background=theme.SURFACE)
        return Column(
            bar,
            PreviewImage(image, id="image", description=name, width=MATCH, height=0, weight=1),
            Text(
                f"{size[0]} × {size[1]}",
                size=14,
                align="center",
                width=MATCH,
                padding=16,
                color=theme.ON_SURFACE_DIM,
                id="dimensions",
            ),
            background=theme.SURFACE,
        )


def read_text(content: bytes) -> tuple[str, int]:
    """Return the beginning of a text, and the number of remaining bytes. Raises Unreadable if it is
    not text."""
    end = min(len(content), MOST_BYTES)
    for spare in range(4 if end < len(content) else 1):  # the end may split a character
        try:
            words = content[: end - spare].decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        if "\0" not in words:
            return words.replace("\r\n", "\n"), len(content) - end + spare
        break
    raise Unreadable("No app can open this file")


def read_image(content: bytes) -> tuple["Image.Image", tuple[int, int]]:
    """Return a picture scaled down, and its original size."""
    from PIL import Image, ImageOps

    if len(content) > LARGEST_FILE:
        raise Unreadable("This picture is too large")
    try:
        with Image.open(BytesIO(content)) as image:
            size = image.size
            if size[0] * size[1] > MOST_PIXELS:
                raise Unreadable("This picture is too large")
            image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            small = ImageOps.exif_transpose(image.convert("RGB"))
            small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            return small, size
    except Unreadable:
        raise
    except Exception:  # decoders raise various errors for a broken picture
        raise Unreadable("This picture can’t be shown") from None


def _reason(fault: Exception) -> str:
    if isinstance(fault, OSError):
        return f"This file can’t be opened: {fault.strerror}"
    return str(fault)
