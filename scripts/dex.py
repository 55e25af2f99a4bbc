"""Read from an Android jar which classes and members its code references, and which it defines."""

import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

NO_INDEX = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Class:
    """One class, from whatever format it was read. Names use slashes."""

    name: str
    flags: int
    parents: tuple[str, ...]
    """The superclass, then the interfaces."""
    members: dict[str, int]
    """Flags by `name(descriptor)return` of a method, `name:type` of a field."""


@dataclass(frozen=True, slots=True)
class Dex:
    named: frozenset[tuple[str, str]]
    """Every class as `(name, "")`, every member as `(class, member)`."""
    own: dict[str, Class]


def read_jar(jar: Path) -> Dex:
    with zipfile.ZipFile(jar) as archive:
        return read_dex(archive.read("classes.dex"))


def read_dex(data: bytes) -> Dex:
    if data[:4] != b"dex\n":
        raise ValueError("not a dex file")

    def table(place: int, format: str) -> list[tuple[int, ...]]:
        """The rows of a table, whose length and start are stored at `place`."""
        count, start = struct.unpack_from("<II", data, place)
        rows = data[start : start + count * struct.calcsize(format)]
        return list(struct.iter_unpack(format, rows))

    strings = [_text(data, start) for (start,) in table(0x38, "<I")]
    types = [strings[number] for (number,) in table(0x40, "<I")]
    kinds = [
        f"({''.join(types[one] for one in _type_list(data, start))}){types[result]}"
        for _, result, start in table(0x48, "<III")
    ]
    fields = [
        (owner, f"{strings[name]}:{types[type]}") for owner, type, name in table(0x50, "<HHI")
    ]
    methods = [
        (owner, f"{strings[name]}{kinds[kind]}") for owner, kind, name in table(0x58, "<HHI")
    ]
    names = [_class_name(type) for type in types]
    own: list[Class] = []
    for this, flags, parent, interfaces, _, _, start, _ in table(0x60, "<IIIIIIII"):
        above = [parent] if parent != NO_INDEX else []
        parents = tuple(names[one] for one in above + _type_list(data, interfaces))
        members = _members(data, start, [one for _, one in fields], [one for _, one in methods])
        own.append(Class(names[this], flags, parents, members))
    named = {(names[owner], member) for owner, member in fields + methods}
    named |= {(name, "") for name in names}
    return Dex(frozenset(one for one in named if one[0]), {one.name: one for one in own})


def _class_name(type: str) -> str:
    """The name without descriptor characters; "" for a type that is not a class, such as `int`."""
    inner = type.lstrip("[")
    return inner[1:-1] if inner.startswith("L") else ""


def _members(data: bytes, start: int, fields: list[str], methods: list[str]) -> dict[str, int]:
    if not start:
        return {}
    next_number = _numbers(data, start)
    counts = [next_number() for _ in range(4)]
    found: dict[str, int] = {}
    # Static fields, instance fields, direct methods, virtual methods.
    for count, names in zip(counts, (fields, fields, methods, methods), strict=True):
        number = 0
        for _ in range(count):
            number += next_number()
            found[names[number]] = next_number()
            if names is methods:
                next_number()  # the offset of its code
    return found


def _numbers(data: bytes, start: int) -> Callable[[], int]:
    """Return a function that reads the next unsigned LEB128 number."""
    place = start

    def next_number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    return next_number


def _type_list(data: bytes, start: int) -> list[int]:
    if not start:
        return []
    (count,) = struct.unpack_from("<I", data, start)
    return list(struct.unpack_from(f"<{count}H", data, start + 4))


def _text(data: bytes, start: int) -> str:
    """Decode modified UTF-8, terminated by a NUL; the length before it counts UTF-16 units."""
    # Skip the length.
    while data[start] & 0x80:
        start += 1
    end = data.index(b"\0", start + 1)
    return data[start + 1 : end].replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
