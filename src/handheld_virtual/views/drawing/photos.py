"""Generated photos."""

from collections.abc import Callable
from functools import lru_cache
from math import sin

from PIL import Image, ImageDraw, ImageFilter

from .theme import Color, mix

WIDTH, HEIGHT = 1200, 900


@lru_cache(maxsize=8)
def photo(name: str) -> Image.Image:
    """Return the photo. Raises KeyError for an unknown name."""
    return _SCENES[name]()


def _sky(*colors: Color) -> Image.Image:
    strip = Image.new("RGB", (1, len(colors)))
    for number, color in enumerate(colors):
        strip.putpixel((0, number), color)
    return strip.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)


def _glow(image: Image.Image, x: int, y: int, radius: int, color: Color) -> None:
    """Draw a disc with a soft halo."""
    for reach, strength in ((4, 70), (2, 110)):
        mask = Image.new("L", image.size)
        pen = ImageDraw.Draw(mask)
        r = radius * reach / 1.6
        pen.ellipse((x - r, y - r, x + r, y + r), strength)
        image.paste(color, mask=mask.filter(ImageFilter.GaussianBlur(radius / 1.5)))
    ImageDraw.Draw(image).ellipse((x - radius, y - radius, x + radius, y + radius), color)


def _ridge(image: Image.Image, height: Callable[[float], float], color: Color) -> None:
    """Fill the area below a line, with a soft edge. `height` gives the line's height for each x,
    both as fractions."""
    mask = Image.new("L", (WIDTH * 2, HEIGHT * 2))
    line = [(x, height(x / (WIDTH * 2)) * HEIGHT * 2) for x in range(0, WIDTH * 2 + 1, 4)]
    ImageDraw.Draw(mask).polygon([(0, HEIGHT * 2), *line, (WIDTH * 2, HEIGHT * 2)], 255)
    image.paste(color, mask=mask.resize(image.size, Image.Resampling.BOX))


def _mountains() -> Image.Image:
    image = _sky((74, 112, 176), (140, 170, 210), (246, 206, 176), (250, 224, 190))
    _glow(image, 820, 330, 52, (255, 244, 214))
    far, near = (150, 160, 196), (28, 52, 62)
    for number in range(5):
        base = 0.46 + number * 0.1

        def line(x: float, n: int = number, base: float = base) -> float:
            peak = 0.13 * abs(sin(x * (5 + n) + n * 2.1)) ** 1.6
            rough = 0.02 * sin(x * 37 + n * 5) + 0.008 * sin(x * 91 + n)
            return base - peak * (1.3 - n * 0.2) + rough * (1 - n * 0.15)

        _ridge(image, line, mix(far, near, number / 4))
    return image


def _city() -> Image.Image:
    image = _sky((10, 14, 40), (26, 32, 76), (88, 60, 110), (226, 126, 96))
    _glow(image, 250, 190, 44, (246, 240, 220))
    pen = ImageDraw.Draw(image)
    for layer, color in enumerate(((58, 48, 92), (34, 32, 66), (16, 18, 40))):
        x = -20
        number = layer * 17
        while x < WIDTH:
            number += 1
            wide = 56 + number * 37 % 61
            top = 330 + layer * 120 + number * 53 % (230 - layer * 30)
            pen.rectangle((x, top, x + wide, HEIGHT), color)
            for row, y in enumerate(range(top + 16, HEIGHT - 20, 26)):
                for column, left in enumerate(range(x + 10, x + wide - 14, 20)):
                    if (row * 7 + column * 11 + number * 5) % 4 == 0 and layer:
                        pen.rectangle((left, y, left + 9, y + 13), (250, 212, 128))
            x += wide + 6 + number % 5 * 4
    return image


def _dunes() -> Image.Image:
    image = _sky((96, 150, 204), (190, 212, 220), (252, 226, 186), (250, 206, 150))
    _glow(image, 330, 300, 60, (255, 250, 226))
    light, dark = (236, 184, 116), (150, 84, 52)
    for number in range(5):

        def line(x: float, n: int = number) -> float:
            return 0.5 + n * 0.11 + 0.07 * sin(x * (3.2 - n * 0.3) * 2 + n * 1.9)

        _ridge(image, line, mix(light, dark, number / 5))
    return image


_SCENES: dict[str, Callable[[], Image.Image]] = {
    "mountains": _mountains,
    "city": _city,
    "dunes": _dunes,
}
