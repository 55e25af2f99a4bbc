"""The resource table of a package: values by resource id and configuration."""

import struct
from bisect import bisect_left
from typing import NamedTuple

from .binary import Binary, Chunk
from .string_pool import KIND as STRINGS
from .string_pool import StringPool
from .values import STRING, Value, read_value

SDK = 10_000
"""No limit for the API level of configurations."""
CHUNKS_MAX = 200_000
FOLLOWED_MAX = 20
"""How many references are followed, as on Android."""
BAG_MAX = 100_000
LOOKS_MAX = 1_000_000
"""How many configurations are examined in all: a huge table must not take hours."""

_TABLE, _PACKAGE, _TYPE = 0x0002, 0x0200, 0x0201
_SPARSE, _OFFSETS16 = 0x01, 0x02
_COMPLEX, _COMPACT = 0x0001, 0x0008
_TYPE_HEADER = struct.Struct("<BBHII")
_ENTRY = struct.Struct("<HHI")
_CONFIG = 20
"""The offset of the configuration in a type's header."""


class ResourceItem(NamedTuple):
    """One of the values of an array, a style or a plural."""

    name: int
    value: Value


class _Type(NamedTuple):
    """The values of one resource type in one configuration."""

    chunk: Chunk
    flags: int
    resources: int
    """The number of entries."""
    entries: int
    language: str
    region: str
    sdk: int
    plain: bool
    """Whether it is qualified only by language and API level."""


class Resources:
    """Values by resource id. Strings of `locale`, such as `de` or `pt-BR`, are preferred."""

    def __init__(
        self, data: bytes, name: str = "resources.arsc", locale: str | None = None, sdk: int = SDK
    ) -> None:
        self._binary = binary = Binary(data, name)
        language, _, region = (locale or "").replace("_", "-").partition("-")
        self._language, self._region = language.lower(), region.rpartition("-")[2].upper()
        self._sdk = sdk
        if binary.u16(0) != _TABLE:
            raise binary.bad("it is not a resource table")
        whole = binary.chunk(0, len(data))
        self._strings: StringPool | None = None
        self._types: dict[int, list[_Type]] = {}
        """By the upper half of the resource ids."""
        self._first_package: int | None = None
        self._found: dict[int, tuple[int, int, int] | None] = {}
        self._looks = self._chunks = 0
        for chunk in binary.chunks(whole.content, whole.end, CHUNKS_MAX):
            if chunk.kind == STRINGS:
                self._strings = self._strings or StringPool(binary, chunk)
            elif chunk.kind == _PACKAGE:
                self._read_package(chunk)

    def get(self, number: int) -> Value | None:
        """Return the stored value, references not resolved; None for nothing, or a bag."""
        found = self._find(number)
        if found is None:
            return None
        at, size, flags = found
        if flags & _COMPACT:
            type, data = flags >> 8, self._binary.u32(at + 4)
            return Value(type, data, self._pool.get(data) if type == STRING else None)
        return None if flags & _COMPLEX else read_value(self._binary, at + size, self._pool)

    def bag(self, number: int) -> tuple[ResourceItem, ...] | None:
        """Return the values of an array, style or plural; None for anything else."""
        found = self._find(number)
        if found is None or found[2] & _COMPACT or not found[2] & _COMPLEX:
            return None
        at, size, _ = found
        count = self._binary.u32(at + 12)
        if count > BAG_MAX:
            raise self._binary.bad(f"resource 0x{number:08x} has {count} values")
        first = at + size
        return tuple(
            ResourceItem(self._binary.u32(offset), read_value(self._binary, offset + 4, self._pool))
            for offset in range(first, first + 12 * count, 12)
        )

    def follow(self, value: Value) -> Value:
        """Resolve a reference; one that leads out of the package is kept."""
        for _ in range(FOLLOWED_MAX):
            number = value.reference
            found = None if number is None else self.get(number)
            if found is None:
                return value
            value = found
        raise self._binary.bad(f"references to 0x{value.data:08x} lead on without end")

    def path(self, number: int) -> str | None:
        """Return the file of an xml, layout or drawable resource."""
        value = self.get(number)
        return None if value is None else self.follow(value).text

    # Within

    @property
    def _pool(self) -> StringPool:
        if self._strings is None:
            raise self._binary.bad("it has no strings")
        return self._strings

    def _read_package(self, package: Chunk) -> None:
        binary = self._binary
        number = binary.u32(package.start + 8) & 0xFF
        if self._first_package is None:
            self._first_package = number
        for chunk in binary.chunks(package.content, package.end, CHUNKS_MAX):
            self._chunks += 1
            if self._chunks > CHUNKS_MAX:
                raise binary.bad(f"its packages have more than {CHUNKS_MAX} chunks")
            if chunk.kind == _TYPE:
                type, flags, _, count, entries = binary.unpack(_TYPE_HEADER, chunk.start + 8)
                wide = 2 if flags & _OFFSETS16 and not flags & _SPARSE else 4
                if chunk.content + wide * count > chunk.end or chunk.start + entries > chunk.end:
                    raise binary.bad(f"the type at {chunk.start} has no room for {count} resources")
                found = _Type(chunk, flags, count, chunk.start + entries, *self._config(chunk))
                if found.sdk <= self._sdk:
                    self._types.setdefault(number << 8 | type, []).append(found)

    def _config(self, chunk: Chunk) -> tuple[str, str, int, bool]:
        binary, start = self._binary, chunk.start + _CONFIG
        size = binary.u32(start)
        if not 4 <= size <= chunk.content - start:
            raise binary.bad(f"the type at {chunk.start} has a configuration of {size} bytes")
        # Older files have a shorter configuration: missing fields are not required.
        raw = binary.take(start, start + size).ljust(28, b"\0")
        others = raw[4:8] + raw[12:24] + raw[28:52]
        return (
            _letters(raw[8:10], "a"),
            _letters(raw[10:12], "0"),
            int.from_bytes(raw[24:26], "little"),
            not any(others),
        )

    def _find(self, number: int) -> tuple[int, int, int] | None:
        """Return the offset, size and flags of the best entry."""
        if number >> 24 == 0 and self._first_package is not None:
            number |= self._first_package << 24
        if number not in self._found:
            self._found[number] = self._look_up(number)
        return self._found[number]

    def _look_up(self, number: int) -> tuple[int, int, int] | None:
        types = self._types.get(number >> 16, ())
        self._looks += 4 + len(types)
        if self._looks > LOOKS_MAX:
            raise self._binary.bad("too many resources are asked for")
        best: tuple[tuple[int, bool, int], int] | None = None
        for type in types:
            rank = self._rank(type)
            if best is not None and rank <= best[0]:
                continue
            at = self._entry(type, number & 0xFFFF)
            if at is not None:
                best = rank, at
        if best is None:
            return None
        size, flags, _ = self._binary.unpack(_ENTRY, best[1])
        return best[1], size, flags

    def _rank(self, type: _Type) -> tuple[int, bool, int]:
        if not type.language:
            locale = 1
        elif type.language != self._language or type.region not in ("", self._region):
            locale = 0  # another language is better than none
        else:
            locale = 3 if type.region else 2
        return locale, type.plain, type.sdk

    def _entry(self, type: _Type, index: int) -> int | None:
        binary, table = self._binary, type.chunk.content
        if type.flags & _SPARSE:
            numbers = range(type.resources)
            place = bisect_left(numbers, index, key=lambda entry: binary.u16(table + 4 * entry))
            if place == type.resources or binary.u16(table + 4 * place) != index:
                return None
            offset = 4 * binary.u16(table + 4 * place + 2)
        elif index >= type.resources:
            return None
        elif type.flags & _OFFSETS16:
            offset = binary.u16(table + 2 * index)
            offset = -1 if offset == 0xFFFF else 4 * offset
        else:
            offset = binary.u32(table + 4 * index)
            offset = -1 if offset == 0xFFFFFFFF else offset
        if offset < 0:
            return None
        at = type.entries + offset
        if at + _ENTRY.size > type.chunk.end:
            raise binary.bad(
                f"resource {index} of the type at {type.chunk.start} is beyond its end"
            )
        return at


def _letters(raw: bytes, base: str) -> str:
    """Decode a language or region: two letters, or three of five bits each."""
    first, second = raw
    if not first & 0x80:
        return raw.rstrip(b"\0").decode("latin-1")
    parts = second & 0x1F, (second & 0xE0) >> 5 | (first & 0x03) << 3, (first & 0x7C) >> 2
    return "".join(chr(ord(base) + part) for part in parts)
