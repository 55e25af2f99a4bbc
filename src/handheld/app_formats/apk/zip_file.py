"""Reading untrusted zip archives: every size is checked before use.

Like Android, this reads the central directory at the end; contradicting local headers are ignored.
"""

import struct
import zlib
from typing import BinaryIO, NamedTuple

from .binary import BadApk, Binary

DIRECTORY_MAX = 32 * 1024 * 1024
COMMENT_MAX = 0xFFFF
RATIO_MAX = 100
"""The maximum compression ratio of files that are not small."""
SMALL = 1024 * 1024
STORED, DEFLATED = 0, 8

_END = struct.Struct("<IHHHHIIH")
_END_SIGN = b"PK\x05\x06"
_ENTRY = struct.Struct("<IHHHHHHIIIHHHHHII")
_ENTRY_SIGN = 0x02014B50
_LOCAL_SIGN = 0x04034B50
_LOCAL_SIZE = 30
_PART = 256 * 1024
"""How much is unpacked at a time."""


class _Entry(NamedTuple):
    method: int
    crc: int
    packed: int
    size: int
    offset: int


class ZipFile:
    """The names and contents of an archive. `name` is for error messages."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self.name = name
        self._size = file.seek(0, 2)
        self.directory, length, count = self._find_end()
        """The offset of the directory; a signing block, if any, ends there."""
        self._entries = self._read_directory(length, count)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def size(self, name: str) -> int:
        """Return the declared size of a file. Raises BadApk where it is missing."""
        entry = self._entries.get(name)
        if entry is None:
            raise self._bad(f"it has no {name}")
        return entry.size

    def read(self, name: str, most: int) -> bytes:
        """Return a whole file. Raises BadApk where it is missing or larger than `most` bytes."""
        entry, start = self._find(name, most)
        packed = self.range(start, entry.packed)
        content = packed if entry.method == STORED else self._inflate(packed, entry, name)
        if len(content) != entry.size or zlib.crc32(content) != entry.crc:
            raise self._bad(f"{name} is damaged")
        return content

    def copy(self, name: str, target: BinaryIO, most: int) -> int:
        """Write a file of any size to `target`, a part at a time; return its size. Raises BadApk
        as `read` does, possibly after writing a part."""
        entry, start = self._find(name, most)
        unpacker = None if entry.method == STORED else zlib.decompressobj(-zlib.MAX_WBITS)
        size = crc = 0
        for at in range(start, start + entry.packed, _PART):
            part = self.range(at, min(_PART, start + entry.packed - at))
            while part:
                if unpacker is None:
                    unpacked, part = part, b""
                else:
                    try:
                        # Bounded: a small part may unpack to a thousand times its size.
                        unpacked = unpacker.decompress(part, _PART)
                    except zlib.error:
                        raise self._bad(f"{name} is damaged") from None
                    part = unpacker.unconsumed_tail
                size += len(unpacked)
                if size > entry.size:
                    raise self._bad(f"{name} is damaged")
                crc = zlib.crc32(unpacked, crc)
                target.write(unpacked)
        if size != entry.size or crc != entry.crc:
            raise self._bad(f"{name} is damaged")
        return size

    def _find(self, name: str, most: int) -> tuple[_Entry, int]:
        """Return a file's entry and where its content begins. Raises BadApk."""
        entry = self._entries.get(name)
        if entry is None:
            raise self._bad(f"it has no {name}")
        if entry.size > most:
            raise self._bad(f"{name} has {entry.size} bytes; at most {most} are read")
        if entry.size > SMALL + RATIO_MAX * entry.packed:
            raise self._bad(f"{name} is packed too tightly: {entry.packed} for {entry.size} bytes")
        header = Binary(self.range(entry.offset, _LOCAL_SIZE), self.name)
        if header.u32(0) != _LOCAL_SIGN:
            raise self._bad(f"{name} is not where the directory says")
        start = entry.offset + _LOCAL_SIZE + header.u16(26) + header.u16(28)
        if start + entry.packed > self.directory:
            raise self._bad(f"{name} reaches into the directory")
        return entry, start

    def range(self, start: int, size: int) -> bytes:
        """Return bytes of the archive itself."""
        if start < 0 or start + size > self._size:
            raise self._bad(f"it ends before byte {start + size}")
        self._file.seek(start)
        data = self._file.read(size)
        if len(data) != size:
            raise self._bad("it became shorter while it was read")
        return data

    def _bad(self, problem: str) -> BadApk:
        return BadApk(f"{self.name}: {problem}")

    def _find_end(self) -> tuple[int, int, int]:
        tail_start = max(0, self._size - _END.size - COMMENT_MAX)
        tail = self.range(tail_start, self._size - tail_start)
        at = tail.rfind(_END_SIGN)
        if at < 0 or at + _END.size > len(tail):
            raise self._bad("it is not a zip archive")
        _, disk, first_disk, here, count, length, start, _ = _END.unpack_from(tail, at)
        if disk or first_disk or here != count:
            raise self._bad("it is one of several parts of an archive")
        if length > DIRECTORY_MAX or start + length > tail_start + at:
            raise self._bad(f"its directory of {length} bytes at {start} does not fit")
        return start, length, count

    def _read_directory(self, length: int, count: int) -> dict[str, _Entry]:
        directory = Binary(self.range(self.directory, length), self.name)
        entries: dict[str, _Entry] = {}
        at = 0
        for _ in range(count):
            fields = directory.unpack(_ENTRY, at)
            sign, _, _, _, method, _, _, crc, packed, size = fields[:10]
            named, extra, comment, _, _, _, offset = fields[10:]
            if sign != _ENTRY_SIGN:
                raise self._bad(f"its directory is damaged at {at}")
            at += _ENTRY.size
            name = directory.take(at, at + named).decode("utf-8", "surrogateescape")
            at += named + extra + comment
            if method not in (STORED, DEFLATED):
                raise self._bad(f"{name!r} is packed in a way that Android does not know")
            if name in entries:
                raise self._bad(f"it has two files called {name!r}")
            if method == STORED and packed != size:
                raise self._bad(f"{name!r} is not packed but has two sizes")
            entries[name] = _Entry(method, crc, packed, size, offset)
        return entries

    def _inflate(self, packed: bytes, entry: _Entry, name: str) -> bytes:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            # One more byte than declared reveals a file that is longer than it states.
            return unpacker.decompress(packed, entry.size + 1)
        except zlib.error:
            raise self._bad(f"{name} is damaged") from None
