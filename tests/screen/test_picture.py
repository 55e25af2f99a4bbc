"""Annotated screenshots: sizes, colors and positions of boxes and labels."""

from io import BytesIO

import pytest
from hypothesis import given
from PIL import Image

from handheld.screen.ids import assign
from handheld.screen.model import Flag, Screen
from handheld.screen.picture import _Pen, annotate  # pyright: ignore[reportPrivateUsage]

from .trees import hostile_screens, node, screen, window

SIZE = (315, 700)


def blank(format: str = "PNG") -> bytes:
    out = BytesIO()
    Image.new("RGB", SIZE, (0, 0, 255)).save(out, format)
    return out.getvalue()


def drawn(shown: Screen, data: bytes) -> Image.Image:
    marked = annotate(data, shown, assign(shown).labels)
    image = Image.open(BytesIO(marked.data))
    assert (image.format, image.size, image.mode) == ("JPEG", SIZE, "RGB")
    return image


def reddish(image: Image.Image, box: tuple[int, int, int, int]) -> bool:
    part = image.crop(box).convert("RGB")
    pixels = part.tobytes()
    return any(r > 150 and b < 120 for r, b in zip(pixels[::3], pixels[2::3], strict=True))


def single(bounds: tuple[int, int, int, int], flags: int = Flag.VISIBLE) -> Screen:
    return screen(window(node(text="t", bounds=bounds, flags=flags)))


@pytest.mark.parametrize("format", ["PNG", "JPEG"])
def test_a_visible_element_gets_a_box_and_a_label_above_it(format: str) -> None:
    image = drawn(single((240, 960, 720, 1440)), blank(format))
    left, top, right, bottom = 70, 280, 210, 420
    assert reddish(image, (left - 2, 300, left + 2, 400))
    assert reddish(image, (right - 2, 300, right + 2, 400))
    assert reddish(image, (90, top - 2, 190, top + 2))
    assert reddish(image, (90, bottom - 2, 190, bottom + 2))
    assert reddish(image, (left + 3, top - 11, left + 30, top - 3))
    assert not reddish(image, (left + 4, top + 4, right - 4, bottom - 4))
    assert not reddish(image, (0, 0, 315, top - 16))


def test_a_box_looks_the_same_whatever_was_drawn_before() -> None:
    used = _Pen(1)
    for length in (300, 2, 40):
        for box in ((9, 9, 9 + length, 11), (9, 9, 11, 9 + length)):
            one, other = (Image.new("RGB", SIZE) for _ in range(2))
            _Pen(1).frame(one, box)
            used.frame(other, box)
            assert one.tobytes() == other.tobytes()


def test_a_label_at_the_top_edge_moves_into_the_picture() -> None:
    image = drawn(single((240, 0, 720, 1440)), blank())
    assert reddish(image, (74, 3, 100, 10))


@pytest.mark.parametrize(
    ("bounds", "flags"),
    [
        ((240, 960, 720, 1440), 0),
        ((240, 960, 240, 1440), Flag.VISIBLE),
        ((720, 960, 240, 1440), Flag.VISIBLE),
        ((1080, 960, 2000, 1440), Flag.VISIBLE),
        ((-500, 960, 0, 1440), Flag.VISIBLE),
    ],
)
def test_an_invisible_element_is_not_drawn(bounds: tuple[int, int, int, int], flags: Flag) -> None:
    image = drawn(single(bounds, flags), blank())
    assert not reddish(image, (0, 0, *SIZE))


def test_a_structural_node_is_not_drawn() -> None:
    assert not reddish(drawn(screen(window(node())), blank()), (0, 0, *SIZE))


@pytest.mark.parametrize("data", [b"", b"\xff\xd8\xff\xe0nonsense", blank()[:60]])
def test_invalid_image_data_is_rejected_with_a_message(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^The screenshot is not a JPEG or PNG picture\.$"):
        annotate(data, single((0, 0, 9, 9)), [["1"]])


@pytest.mark.matrix
@given(hostile_screens())
def test_any_screen_can_be_annotated(shown: Screen) -> None:
    drawn(shown, blank())
