"""Reads the index of an MP4 file: if the recording program was killed, the video has no index and
cannot be played."""

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

_MOST_INDEX = 64 * 1024 * 1024
_MOST_BOXES = 1_000_000
"""The maximum of boxes in a file: one per frame in a video of ten minutes."""
_DEEPEST = 8
_CONTAINERS = frozenset((b"trak", b"mdia", b"minf", b"stbl"))


class BadMovie(Exception):
    """The file is not a playable video. The message is a clause."""


class Movie(NamedTuple):
    seconds: float
    frames: int


def read_movie(file: BinaryIO) -> Movie:
    """Raises BadMovie, OSError."""
    size = file.seek(0, os.SEEK_END)
    index: bytes | None = None
    position = boxes = 0
    first = b""
    while position < size:
        file.seek(position)
        head = file.read(16)
        length, kind, start = _measure(head, size - position)
        first = first or kind
        boxes += 1
        if boxes > _MOST_BOXES:
            raise BadMovie("it has too many parts")
        if kind == b"moov":
            if length > _MOST_INDEX:
                raise BadMovie("its index is too large")
            file.seek(position + start)
            index = file.read(length - start)
        position += length
    if index is None:
        raise BadMovie("it has no index" if first == b"ftyp" else "it is not an MP4 file")
    return _read_index(index)


def _measure(head: bytes, left: int) -> tuple[int, bytes, int]:
    """Return the length of a box, its kind, and where its content begins. Raises BadMovie."""
    if len(head) < 8:
        raise BadMovie("it ends within a box")
    length, kind = struct.unpack_from(">I4s", head)
    start = 8
    if length == 1:
        if len(head) < 16:
            raise BadMovie("it ends within a box")
        [length] = struct.unpack_from(">Q", head, 8)
        start = 16
    elif length == 0:
        length = left
    if length < start or length > left:
        raise BadMovie("a box is longer than the file")
    return length, kind, start


def _read_index(index: bytes) -> Movie:
    seconds, frames = 0.0, 0
    for kind, content in _walk(memoryview(index), _DEEPEST):
        if kind == b"mvhd":
            seconds = max(seconds, _read_length(content))
        elif kind == b"stsz" and len(content) >= 12:
            frames += int(struct.unpack_from(">I", content, 8)[0])
    return Movie(seconds, frames)


def _walk(data: memoryview, deeper: int) -> Iterator[tuple[bytes, memoryview]]:
    position = 0
    while len(data) - position >= 8:
        length, kind, start = _measure(bytes(data[position : position + 16]), len(data) - position)
        content = data[position + start : position + length]
        yield kind, content
        if kind in _CONTAINERS and deeper:
            yield from _walk(content, deeper - 1)
        position += length


def _read_length(content: memoryview) -> float:
    """Return the duration in a movie header, in seconds. Raises BadMovie."""
    try:
        if content[0] == 1:
            scale, length = struct.unpack_from(">IQ", content, 20)
        else:
            scale, length = struct.unpack_from(">II", content, 12)
    except (IndexError, struct.error):
        raise BadMovie("its index is truncated") from None
    if not scale:
        raise BadMovie("its index has no time scale")
    return length / scale
