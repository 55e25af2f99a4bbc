"""A small H.264 encoder for pictures with few changes.

It uses the Constrained Baseline profile with two kinds of macroblocks: changed ones are written as
samples (I_PCM), all others are skipped (P_Skip), which copies them from the previous picture. This
is lossless except for the lower resolution of colours, and needs no transform or prediction.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

BLOCK = 16
"""The side of a macroblock in pixels."""
_SAMPLES = BLOCK * BLOCK * 3 // 2
_FRAME_NUMBER_BITS = 16
_SPS, _PPS, _IDR, _SLICE = 0x67, 0x68, 0x65, 0x41
"""The first bytes of NAL units: how much others depend on the unit, and its type."""
_PCM_IN_I, _PCM_IN_P = 25, 30
_LEVELS = ((99, 10), (396, 20), (1620, 30), (3600, 31), (8192, 40), (36864, 51))
"""The maximum number of macroblocks in a picture for each level, with ten times the level."""
_ZEROS = re.compile(rb"\x00\x00(?=[\x00-\x03])")

# Video range: luma is 16 for black to 235 for white; chroma is 128 for grey and 16 to 240 for the
# strongest colours. No sample is 0, so none looks like the beginning of a unit.
_LUMA = [16 + round(value * 219 / 255) for value in range(256)]
_CHROMA = [128 + round((value - 128) * 224 / 255) for value in range(256)]


class Bits:
    """Writes numbers of given bit lengths."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._value = 0
        self._count = 0

    def put(self, value: int, bits: int) -> None:
        self._value = self._value << bits | value
        self._count += bits
        while self._count >= 8:
            self._count -= 8
            self._data.append(self._value >> self._count)
            self._value &= (1 << self._count) - 1

    def code(self, *values: int) -> None:
        """Write values in the Exp-Golomb code."""
        for value in values:
            length = (value + 1).bit_length()
            self.put(value + 1, 2 * length - 1)

    def add(self, data: bytes) -> None:
        """Write whole bytes, after zero bits up to a byte boundary."""
        if self._count:
            self.put(0, 8 - self._count)
        self._data += data

    def end(self) -> bytes:
        self.put(1, 1)
        self.add(b"")
        return bytes(self._data)


class Encoder:
    """Encodes pictures of one size, with even width and height."""

    def __init__(self, width: int, height: int) -> None:
        if width < 2 or height < 2 or width % 2 or height % 2:
            raise ValueError(f"{width}x{height} cannot be encoded.")
        self.width, self.height = width, height
        self._across, self._down = -(-width // BLOCK), -(-height // BLOCK)
        self._blocks: list[bytes] = []
        """The samples of the last picture's macroblocks."""
        self._number = 0
        self.level = next(
            (level for most, level in _LEVELS if self._across * self._down <= most), 52
        )
        self.sps = _unit(_SPS, self._write_sps())
        self.pps = _unit(_PPS, self._write_pps())

    def encode(self, picture: "Image.Image") -> bytes | None:
        """Return a picture as one unit; None if nothing changed. The first picture is independent,
        each other one depends on the picture before it."""
        blocks = self._split(picture)
        if not self._blocks:
            self._blocks = blocks
            return _unit(_IDR, self._write_whole(blocks))
        changed = [
            number
            for number, (before, after) in enumerate(zip(self._blocks, blocks, strict=True))
            if before is not after and before != after
        ]
        self._blocks = blocks
        if not changed:
            return None
        self._number += 1
        return _unit(_SLICE, self._write_changes(blocks, changed))

    def _split(self, picture: "Image.Image") -> list[bytes]:
        """Return the samples of each macroblock."""
        from PIL import Image

        wide, high = self._across * BLOCK, self._down * BLOCK
        if picture.size != (wide, high):
            padded = Image.new("RGB", (wide, high))
            padded.paste(picture)
            picture = padded
        luma, blue, red = picture.convert("YCbCr").split()
        y = luma.point(_LUMA).tobytes()
        u, v = (each.reduce(2).point(_CHROMA).tobytes() for each in (blue, red))
        half = wide // 2
        blocks: list[bytes] = []
        for row in range(self._down):
            for column in range(self._across):
                start = row * BLOCK * wide + column * BLOCK
                small = row * BLOCK // 2 * half + column * BLOCK // 2
                parts = [y[at : at + 16] for at in range(start, start + BLOCK * wide, wide)]
                ends = range(small, small + BLOCK // 2 * half, half)
                parts += [u[at : at + 8] for at in ends]
                parts += [v[at : at + 8] for at in ends]
                blocks.append(b"".join(parts))
        return blocks

    def _write_whole(self, blocks: list[bytes]) -> bytes:
        bits = Bits()
        bits.code(0, 7, 0)  # first macroblock, slice type I, PPS id
        bits.put(0, _FRAME_NUMBER_BITS)
        bits.code(0)  # IDR picture id
        bits.put(0, 2)  # earlier pictures are discarded, this one is a short-term reference
        self._write_end_of_header(bits)
        for block in blocks:
            bits.code(_PCM_IN_I)
            bits.add(block)
        return bits.end()

    def _write_changes(self, blocks: list[bytes], changed: list[int]) -> bytes:
        bits = Bits()
        bits.code(0, 5, 0)
        bits.put(self._number % (1 << _FRAME_NUMBER_BITS), _FRAME_NUMBER_BITS)
        bits.put(0, 3)  # the default number and order of references, without marking
        self._write_end_of_header(bits)
        done = 0
        for number in changed:
            bits.code(number - done, _PCM_IN_P)
            bits.add(blocks[number])
            done = number + 1
        if done < len(blocks):
            bits.code(len(blocks) - done)
        return bits.end()

    def _write_end_of_header(self, bits: Bits) -> None:
        bits.code(0, 1)  # the PPS's quality, and no deblocking filter, which would blur the samples

    def _write_sps(self) -> bytes:
        bits = Bits()
        for byte in (66, 0xC0, self.level):
            bits.put(byte, 8)
        bits.code(0, _FRAME_NUMBER_BITS - 4, 2, 1)  # in display order, with one reference
        bits.put(0, 1)
        bits.code(self._across - 1, self._down - 1)
        bits.put(0b11, 2)
        right, bottom = self._across * BLOCK - self.width, self._down * BLOCK - self.height
        bits.put(int(bool(right or bottom)), 1)
        if right or bottom:
            bits.code(0, right // 2, 0, bottom // 2)
        bits.put(1, 1)
        bits.put(0b001, 3)  # no aspect ratio, no overscan, but a signal type
        bits.put(0b101_0_1, 5)  # unspecified format, not full range, with a colour description
        for byte in (1, 1, 6):  # BT.709 primaries and transfer, BT.601 matrix
            bits.put(byte, 8)
        bits.put(0b00000_1, 6)
        bits.put(1, 1)
        bits.code(0, 0, 10, 10, 0, 1)  # no reordering of pictures
        return bits.end()

    def _write_pps(self) -> bytes:
        bits = Bits()
        bits.code(0, 0)
        bits.put(0, 2)
        bits.code(0, 0, 0)
        bits.put(0, 3)
        bits.code(0, 0, 0)
        bits.put(0b100, 3)  # slices contain deblocking filter parameters
        return bits.end()


def _unit(kind: int, data: bytes) -> bytes:
    """Return a NAL unit. A byte 3 is inserted where its bytes would look like the beginning of a
    unit."""
    return bytes((kind,)) + _ZEROS.sub(b"\x00\x00\x03", data)
