"""Reading Android's binary files: bounds-checked numbers and chunks."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_U16 = struct.Struct("<H")
_U32 = struct.Struct("<I")
_CHUNK = struct.Struct("<HHI")

NONE = 0xFFFFFFFF
"""The index for no string."""


class BadApk(Exception):
    """A file of an Android package is invalid. The message names the file and the problem."""


class Binary:
    """The bytes of one file, with its name for error messages."""

    __slots__ = ("data", "name")

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name

    def bad(self, problem: str) -> BadApk:
        return BadApk(f"{self.name}: {problem}")

    def u8(self, at: int) -> int:
        if not 0 <= at < len(self.data):
            raise self.bad(f"it ends before byte {at}")
        return self.data[at]

    def u16(self, at: int) -> int:
        return int(self.unpack(_U16, at)[0])

    def u32(self, at: int) -> int:
        return int(self.unpack(_U32, at)[0])

    def unpack(self, layout: struct.Struct, at: int) -> tuple[int, ...]:
        if not 0 <= at <= len(self.data) - layout.size:
            raise self.bad(f"it ends before byte {at + layout.size}")
        return layout.unpack_from(self.data, at)

    def take(self, start: int, end: int) -> bytes:
        if not 0 <= start <= end <= len(self.data):
            raise self.bad(f"it ends before byte {end}")
        return self.data[start:end]

    def chunk(self, at: int, end: int) -> "Chunk":
        """Return the chunk at `at`, which must end by `end`."""
        kind, header, size = self.unpack(_CHUNK, at)
        if not _CHUNK.size <= header <= size:
            raise self.bad(f"the chunk at {at} has a header of {header} bytes in a size of {size}")
        if at + size > end:
            raise self.bad(f"the chunk at {at} of {size} bytes is longer than what holds it")
        return Chunk(kind, at, at + header, at + size)

    def chunks(self, start: int, end: int, most: int) -> Iterator["Chunk"]:
        """Yield consecutive chunks. A rest that is too short for a chunk is padding."""
        count = 0
        while start + _CHUNK.size <= end:
            chunk = self.chunk(start, end)
            yield chunk
            start = chunk.end
            count += 1
            if count > most:
                raise self.bad(f"it has more than {most} chunks")


class Chunk(NamedTuple):
    """The position of a chunk: its header from `start`, its content from `content` to `end`."""

    kind: int
    start: int
    content: int
    end: int
