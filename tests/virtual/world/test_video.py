"""The virtual phone's video encoder."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from handheld_virtual.video.h264 import Bits, Encoder
from handheld_virtual.video.mp4 import Mp4Writer
from harness.video_reader import difference, read_video


def encode(pictures: list[Image.Image], ms: float = 100) -> bytes:
    encoder = Encoder(*pictures[0].size)
    writer = Mp4Writer(encoder)
    data = writer.begin()
    for number, picture in enumerate(pictures):
        unit = encoder.encode(picture)
        if unit is not None:
            data += writer.add(unit, number * ms)
    return data + writer.end(len(pictures) * ms)


def grey(size: tuple[int, int], value: int) -> Image.Image:
    return Image.new("RGB", size, (value, value, value))


def test_what_is_decoded_is_what_was_encoded() -> None:
    first = grey((64, 48), 40)
    second = first.copy()
    second.paste((250, 250, 250), (17, 3, 40, 20))
    third = second.copy()
    third.paste((0, 0, 0), (60, 44, 64, 48))
    video = read_video(encode([first, second, third]))
    assert (video.width, video.height) == (64, 48)
    assert video.times == [0.0, 0.1, 0.2]
    assert video.seconds == pytest.approx(0.3)
    for shown, wanted in zip(video.pictures, (first, second, third), strict=True):
        assert difference(shown, wanted) < 1


def test_what_did_not_change_takes_no_room() -> None:
    first = grey((640, 640), 90)
    second = first.copy()
    second.putpixel((333, 333), (255, 0, 0))
    encoder = Encoder(640, 640)
    assert len(encoder.encode(first) or b"") > 640 * 640 * 1.5
    assert len(encoder.encode(second) or b"") < 500
    assert encoder.encode(second) is None


@pytest.mark.slow
@pytest.mark.parametrize("size", [(2, 2), (16, 16), (18, 30), (34, 62), (576, 1280)])
def test_every_even_size_has_its_size(size: tuple[int, int]) -> None:
    video = read_video(encode([grey(size, 200)]))
    assert (video.width, video.height) == size
    assert difference(video.pictures[0], grey(size, 200)) < 1.5


@pytest.mark.parametrize("size", [(0, 2), (3, 4), (4, 5)])
def test_an_odd_size_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="cannot be encoded"):
        Encoder(*size)


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_any_changes_are_decoded_as_they_are(seed: int, count: int) -> None:
    draw = random.Random(seed)
    pictures = [grey((48, 32), draw.randrange(256))]
    for _ in range(count):
        picture = pictures[-1].copy()
        left, top = draw.randrange(48), draw.randrange(32)
        value = draw.randrange(256)
        picture.paste((value, value, value), (left, top, left + draw.randrange(48), top + 9))
        pictures.append(picture)
    video = read_video(encode(pictures))
    at = -1
    for number, picture in enumerate(pictures):
        at += round(number * 0.1, 3) in [round(time, 3) for time in video.times]
        assert difference(video.pictures[at], picture) < 1.5


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(9, 12)), max_size=30))
def test_numbers_are_written_bit_by_bit(numbers: list[tuple[int, int]]) -> None:
    bits, text = Bits(), ""
    for value, width in numbers:
        bits.put(value, width)
        text += f"{value:0{width}b}"
    text += "1"
    text += "0" * (-len(text) % 8)
    assert bits.end() == bytes(int(text[at : at + 8], 2) for at in range(0, len(text), 8))
