"""What an MP4 file says of itself."""

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from handheld.phone.video.movie import BadMovie, Movie, read_movie
from handheld_virtual.video.h264 import Encoder
from handheld_virtual.video.mp4 import Mp4Writer


def box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", 8 + len(content)) + kind + content


def small_video(count: int = 3) -> bytes:
    encoder = Encoder(16, 16)
    writer = Mp4Writer(encoder)
    data = writer.begin()
    for number in range(count):
        unit = encoder.encode(Image.new("RGB", (16, 16), (number * 50, 0, 0)))
        assert unit is not None
        data += writer.add(unit, number * 500)
    return data + writer.end(count * 500)


VIDEO = small_video()
HEAD = box(b"ftyp", b"isom")


def read(data: bytes) -> Movie:
    return read_movie(io.BytesIO(data))


def test_length_and_pictures_are_read() -> None:
    assert read(VIDEO) == (1.5, 3)
    assert read(small_video(1)) == (0.5, 1)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is not an MP4 file"),
        (b"GIF89a, which is no video", "a box is longer than the file"),
        (box(b"free", b"x"), "it is not an MP4 file"),
        (HEAD, "it has no index"),
        (HEAD + box(b"mdat", b"x" * 99), "it has no index"),
        (VIDEO[:-1], "a box is longer than the file"),
        (HEAD + b"\0\0\0", "it ends within a box"),
        (HEAD + struct.pack(">I4s", 1, b"mdat"), "it ends within a box"),
        (HEAD + struct.pack(">I4s", 4, b"mdat"), "a box is longer than the file"),
        (HEAD + box(b"moov", box(b"mvhd", bytes(8))), "its index is truncated"),
        (HEAD + box(b"moov", box(b"mvhd")), "its index is truncated"),
        (HEAD + box(b"moov", box(b"mvhd", bytes(100))), "its index has no time scale"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(BadMovie) as problem:
        read(data)
    assert str(problem.value) == why


def test_large_boxes_and_long_times_have_other_forms() -> None:
    long = box(b"mvhd", b"\1", bytes(19), struct.pack(">IQ", 1000, 12_345), bytes(80))
    sizes = box(b"stsz", struct.pack(">III", 0, 0, 7), bytes(28))
    table = box(b"trak", box(b"mdia", box(b"minf", box(b"stbl", sizes))))
    media = struct.pack(">I4sQ", 1, b"mdat", 16 + 5) + b"xxxxx"
    rest = struct.pack(">I4s", 0, b"moov") + long + table  # to the end of the file
    assert read(HEAD + media + rest) == (12.345, 7)


@given(st.binary(max_size=300))
def test_anything_is_read_or_refused(data: bytes) -> None:
    try:
        movie = read(data)
    except BadMovie:
        return
    assert movie.seconds >= 0


@given(st.integers(0, len(VIDEO) - 1), st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused(at: int, value: int) -> None:
    changed = bytearray(VIDEO)
    changed[at] = value
    try:
        movie = read(bytes(changed))
    except BadMovie:
        return
    assert movie.seconds >= 0
