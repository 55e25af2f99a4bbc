"""Writes an MP4 file with one video track sequentially. It does not change bytes that are already
written, so the file cannot be played before its end is written."""

import struct
from collections.abc import Iterable
from itertools import pairwise

from .h264 import Encoder

TICKS = 90_000
"""Ticks per second."""
_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)


class Mp4Writer:
    """Returns the bytes to append to the file."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._offset = 0
        self._samples: list[tuple[int, int, float]] = []
        """The offset, size and time in milliseconds of each picture."""

    def begin(self) -> bytes:
        return self._write(_box(b"ftyp", b"mp42", struct.pack(">I", 0), b"isommp42"))

    def add(self, unit: bytes, ms: float) -> bytes:
        """Add a picture with its time since the beginning."""
        sample = struct.pack(">I", len(unit)) + unit
        self._samples.append((self._offset + 8, len(sample), ms))
        return self._write(_box(b"mdat", sample))

    @property
    def empty(self) -> bool:
        return not self._samples

    def end(self, ms: float) -> bytes:
        """Write the end of the file, at the end time of the last picture."""
        times = [round(at * TICKS / 1000) for at in (*(sample[2] for sample in self._samples), ms)]
        lasts = [max(1, after - before) for before, after in pairwise(times)]
        return self._write(self._write_movie(lasts))

    def _write(self, data: bytes) -> bytes:
        self._offset += len(data)
        return data

    def _write_movie(self, lasts: list[int]) -> bytes:
        whole = sum(lasts)
        size = (self._encoder.width, self._encoder.height)
        movie = _full(
            b"mvhd",
            struct.pack(">4I", 0, 0, TICKS, whole),
            struct.pack(">IHHQ", 0x10000, 0x100, 0, 0),
            _MATRIX,
            bytes(24),
            struct.pack(">I", 2),
        )
        head = _full(
            b"tkhd",
            struct.pack(">5I", 0, 0, 1, 0, whole),
            struct.pack(">QHHHH", 0, 0, 0, 0, 0),
            _MATRIX,
            struct.pack(">II", *(side << 16 for side in size)),
            flags=3,
        )
        media = _box(
            b"mdia",
            _full(b"mdhd", struct.pack(">4I", 0, 0, TICKS, whole), struct.pack(">HH", 0x55C4, 0)),
            _full(b"hdlr", struct.pack(">I4s12x", 0, b"vide"), b"VideoHandle\0"),
            _box(
                b"minf",
                _full(b"vmhd", bytes(8), flags=1),
                _box(b"dinf", _full(b"dref", struct.pack(">I", 1), _full(b"url ", flags=1))),
                self._write_table(lasts),
            ),
        )
        return _box(b"moov", movie, _box(b"trak", head, media))

    def _write_table(self, lasts: list[int]) -> bytes:
        sizes = [size for _, size, _ in self._samples]
        return _box(
            b"stbl",
            _full(b"stsd", struct.pack(">I", 1), self._write_entry()),
            _full(b"stts", _counted((1, last) for last in lasts)),
            _full(b"stss", _counted([(1,)])),
            _full(b"stsc", _counted([(1, 1, 1)])),
            _full(b"stsz", struct.pack(">I", 0), _counted((size,) for size in sizes)),
            _full(b"stco", _counted((offset,) for offset, _, _ in self._samples)),
        )

    def _write_entry(self) -> bytes:
        encoder = self._encoder
        sets = b"".join(
            struct.pack(">BH", count, len(unit)) + unit
            for count, unit in ((0xE1, encoder.sps), (1, encoder.pps))
        )
        configuration = _box(b"avcC", b"\x01", encoder.sps[1:4], b"\xff", sets)
        return _box(
            b"avc1",
            struct.pack(">6xH16x", 1),
            struct.pack(">HHIIIH", encoder.width, encoder.height, 0x480000, 0x480000, 0, 1),
            bytes(32),
            struct.pack(">Hh", 24, -1),
            configuration,
        )


def _box(kind: bytes, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return struct.pack(">I", 8 + len(content)) + kind + content


def _full(kind: bytes, *parts: bytes, flags: int = 0) -> bytes:
    return _box(kind, struct.pack(">I", flags), *parts)


def _counted(rows: Iterable[tuple[int, ...]]) -> bytes:
    listed = list(rows)
    return struct.pack(">I", len(listed)) + b"".join(
        struct.pack(f">{len(row)}I", *row) for row in listed
    )
