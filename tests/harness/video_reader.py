"""Reads the videos of the virtual phone: MP4 with macroblocks that are whole samples, or skipped.

Written from the standards and not from the encoder, for tests that need no other program. Debian's
ffmpeg judges the same videos in `tests/judges`.
"""

import struct
from dataclasses import dataclass, field

from PIL import Image

from handheld_virtual.video.h264 import Encoder
from handheld_virtual.video.mp4 import Mp4Writer

Planes = tuple[bytearray, bytearray, bytearray]


@dataclass
class Video:
    width: int = 0
    height: int = 0
    times: list[float] = field(default_factory=list[float])
    """Of each picture, in seconds."""
    seconds: float = 0.0
    pictures: list[Image.Image] = field(default_factory=list[Image.Image])


def make_video(ms: float) -> bytes:
    """A video of one small black picture."""
    encoder = Encoder(16, 16)
    movie = Mp4Writer(encoder)
    unit = encoder.encode(Image.new("RGB", (16, 16)))
    assert unit is not None
    return movie.begin() + movie.add(unit, 0) + movie.end(ms)


def boxes(data: bytes) -> list[tuple[bytes, bytes]]:
    found: list[tuple[bytes, bytes]] = []
    while data:
        length, kind = struct.unpack_from(">I4s", data)
        assert 8 <= length <= len(data), (kind, length, len(data))
        found.append((kind, data[8:length]))
        data = data[length:]
    return found


def box(data: bytes, *path: bytes) -> bytes:
    for kind in path:
        data = next(content for name, content in boxes(data) if name == kind)
    return data


def rows(table: bytes, width: int, start: int = 4) -> list[tuple[int, ...]]:
    [count] = struct.unpack_from(">I", table, start)
    return [
        struct.unpack_from(f">{width}I", table, start + 4 + 4 * width * at) for at in range(count)
    ]


def read_video(data: bytes) -> Video:
    track = box(data, b"moov", b"trak")
    table = box(track, b"mdia", b"minf", b"stbl")
    entry = boxes(box(table, b"stsd")[8:])[0][1]
    configuration = box(entry[78:], b"avcC")
    size = struct.unpack_from(">H", configuration, 6)[0]
    decoder = Decoder(configuration[8 : 8 + size])
    head = box(track, b"tkhd")
    width, height = struct.unpack(">II", head[-8:])
    video = Video(width >> 16, height >> 16)
    assert (decoder.width, decoder.height) == (video.width, video.height)
    scale, length = struct.unpack_from(">II", box(data, b"moov", b"mvhd"), 12)
    video.seconds = length / scale
    at = 0
    for count, last in rows(box(table, b"stts"), 2):
        for _ in range(count):
            video.times.append(at / scale)
            at += last
    assert at == length
    offsets = [offset for (offset,) in rows(box(table, b"stco"), 1)]
    sizes = [size for (size,) in rows(box(table, b"stsz"), 1, 8)]
    assert rows(box(table, b"stsc"), 3) == [(1, 1, 1)]
    for offset, size in zip(offsets, sizes, strict=True):
        sample = data[offset : offset + size]
        assert struct.unpack_from(">I", sample)[0] == size - 4
        decoder.decode(sample[4:])
        video.pictures.append(decoder.picture())
    return video


class _Bits:
    def __init__(self, unit: bytes) -> None:
        self.data = unit.replace(b"\0\0\3", b"\0\0")
        self.at = 0
        self.end = len(self.data) * 8
        last = self.data[-1]
        self.end -= (last & -last).bit_length()

    def take(self, count: int) -> int:
        value = 0
        for _ in range(count):
            value = value << 1 | (self.data[self.at // 8] >> (7 - self.at % 8) & 1)
            self.at += 1
        return value

    def code(self) -> int:
        zeros = 0
        while not self.take(1):
            zeros += 1
        return (1 << zeros) - 1 + self.take(zeros)

    def bytes(self, count: int) -> bytes:
        while self.at % 8:
            assert self.take(1) == 0
        start = self.at // 8
        self.at += count * 8
        return self.data[start : start + count]


class Decoder:
    def __init__(self, sps: bytes) -> None:
        bits = _Bits(sps)
        assert bits.take(8) == 0x67
        assert bits.take(8) == 66
        bits.take(16)
        assert bits.code() == 0
        self._number_bits = bits.code() + 4
        assert (bits.code(), bits.code(), bits.take(1)) == (2, 1, 0)
        self._across, self._down = bits.code() + 1, bits.code() + 1
        assert bits.take(2) == 0b11
        crops = [bits.code() for _ in range(4)] if bits.take(1) else [0] * 4
        self.width = self._across * 16 - 2 * (crops[0] + crops[1])
        self.height = self._down * 16 - 2 * (crops[2] + crops[3])
        pixels = self._across * self._down * 256
        self._planes: Planes = (bytearray(pixels), bytearray(pixels // 4), bytearray(pixels // 4))
        self._number = 0

    def decode(self, unit: bytes) -> None:
        bits = _Bits(unit)
        whole = bits.take(8) & 31 == 5
        assert bits.code() == 0
        assert bits.code() == (7 if whole else 5)
        assert bits.code() == 0
        number = bits.take(self._number_bits)
        if whole:
            assert (number, bits.code(), bits.take(2)) == (0, 0, 0)
            self._number = 0
        else:
            self._number += 1
            assert number == self._number % (1 << self._number_bits)
            assert bits.take(3) == 0
        assert bits.code() == 0
        assert bits.code() == 1, "a filter would change the samples"
        at = 0
        while bits.at < bits.end:
            if not whole:
                at += bits.code()
                if bits.at >= bits.end:
                    break
            assert bits.code() == (25 if whole else 30)
            self._put(at, bits.bytes(384))
            at += 1
        assert at == self._across * self._down

    def _put(self, at: int, samples: bytes) -> None:
        row, column = divmod(at, self._across)
        start = 0
        for plane, side in zip(self._planes, (16, 8, 8), strict=True):
            stride = self._across * side
            for line in range(side):
                to = (row * side + line) * stride + column * side
                plane[to : to + side] = samples[start : start + side]
                start += side

    def picture(self) -> Image.Image:
        size = (self._across * 16, self._down * 16)
        small = (size[0] // 2, size[1] // 2)
        luma = Image.frombytes("L", size, bytes(self._planes[0]))
        blue, red = (Image.frombytes("L", small, bytes(plane)) for plane in self._planes[1:])
        full = [max(0, min(255, round((value - 16) * 255 / 219))) for value in range(256)]
        colours = [max(0, min(255, round(128 + (value - 128) * 255 / 224))) for value in range(256)]
        parts = [luma.point(full)]
        parts += [
            each.point(colours).resize(size, Image.Resampling.NEAREST) for each in (blue, red)
        ]
        return Image.merge("YCbCr", parts).convert("RGB").crop((0, 0, self.width, self.height))


def difference(one: Image.Image, other: Image.Image) -> float:
    """The mean difference of two pictures' brightness, of 255."""
    from PIL import ImageChops, ImageStat

    assert one.size == other.size, (one.size, other.size)
    return ImageStat.Stat(ImageChops.difference(one.convert("L"), other.convert("L"))).mean[0]
