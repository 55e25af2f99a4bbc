"""The string pool of Android's binary files. Strings are decoded on demand."""

from .binary import NONE, Binary, Chunk

KIND = 0x0001
_UTF8 = 0x100
_HEADER = 28


class StringPool:
    def __init__(self, binary: Binary, chunk: Chunk) -> None:
        if chunk.kind != KIND or chunk.content - chunk.start < _HEADER:
            raise binary.bad(f"there is no string pool at {chunk.start}")
        start = chunk.start
        self._binary = binary
        self._end = chunk.end
        self.count = binary.u32(start + 8)
        self._offsets = chunk.content
        self._utf8 = bool(binary.u32(start + 16) & _UTF8)
        self._strings = start + binary.u32(start + 20)
        if self._offsets + 4 * self.count > chunk.end:
            raise binary.bad(f"the string pool at {start} has no room for {self.count} strings")
        self._decoded: dict[int, str] = {}
        # Every string may be decoded once, but overlapping strings must not expand a small file
        # without limit.
        self._budget = chunk.end - start

    def __getitem__(self, index: int) -> str:
        """Raises BadApk where there is none."""
        if not 0 <= index < self.count:
            raise self._binary.bad(f"it has no string {index}, only {self.count}")
        at = self._strings + self._binary.u32(self._offsets + 4 * index)
        found = self._decoded.get(at)
        if found is None:
            found = self._decoded[at] = self._decode(at)
        return found

    def get(self, index: int) -> str | None:
        """Return None for the index that means no string."""
        return None if index == NONE else self[index]

    def _decode(self, at: int) -> str:
        if self._utf8:
            _, at = self._length8(at)  # in UTF-16 units, unused
            size, at = self._length8(at)
            return _text(self._take(at, size, 1))
        units = self._binary.u16(at)
        at += 2
        if units & 0x8000:
            units = (units & 0x7FFF) << 16 | self._binary.u16(at)
            at += 2
        return self._take(at, 2 * units, 2).decode("utf-16-le", "replace")

    def _length8(self, at: int) -> tuple[int, int]:
        first = self._binary.u8(at)
        if first & 0x80:
            return (first & 0x7F) << 8 | self._binary.u8(at + 1), at + 2
        return first, at + 1

    def _take(self, at: int, size: int, unit: int) -> bytes:
        end = at + size
        if end + unit > self._end:
            raise self._binary.bad(f"a string of {size} bytes at {at} is longer than its pool")
        # Android may read on to the next zero.
        if any(self._binary.take(end, end + unit)):
            raise self._binary.bad(f"a string of {size} bytes at {at} does not end there")
        self._budget -= size
        if self._budget < 0:
            raise self._binary.bad("its strings lie over each other")
        return self._binary.take(at, end)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        pass
    # Some tools write a character beyond the BMP as two surrogates of three bytes each.
    try:
        halves = raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
