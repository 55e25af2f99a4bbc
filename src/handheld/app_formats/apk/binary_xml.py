"""Android's binary XML: a manifest, or a file under `res/`."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from .binary import Binary, Chunk
from .string_pool import KIND as STRINGS
from .string_pool import StringPool
from .values import Value, read_value

ANDROID = "http://schemas.android.com/apk/res/android"
NODES_MAX = 100_000
ATTRIBUTES_MAX = 100_000
DEPTH_MAX = 200

_XML = 0x0003
_RESOURCES = 0x0180
_START, _END, _TEXT = 0x0102, 0x0103, 0x0104
_ELEMENT = struct.Struct("<IIHHH")
_NAMES = struct.Struct("<III")
_ATTRIBUTE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Attribute:
    namespace: str | None
    name: str
    resource: int | None
    """Android's resource id of the attribute: if present, the name does not matter."""
    value: Value
    raw: str | None
    """The source text, where the file contains it."""


@dataclass(slots=True)
class XmlElement:
    namespace: str | None
    name: str
    line: int
    attributes: tuple[Attribute, ...]
    children: "list[XmlElement | str]" = field(default_factory=list["XmlElement | str"])
    """Elements and text in order."""

    def elements(self, *names: str) -> "Iterator[XmlElement]":
        """Yield the child elements with these names, or all."""
        for child in self.children:
            if isinstance(child, XmlElement) and (not names or child.name in names):
                yield child

    def find(self, name: str, resource: int | None = None) -> Attribute | None:
        """Find an attribute: Android's by id, others by name without a namespace."""
        for attribute in self.attributes:
            if resource is not None and attribute.resource is not None:
                if attribute.resource == resource:
                    return attribute
            elif attribute.name == name and attribute.namespace == (
                None if resource is None else ANDROID
            ):
                return attribute
        return None

    @property
    def text(self) -> str:
        """Its own text, without that of its children."""
        return "".join(child for child in self.children if isinstance(child, str))


def read_xml(data: bytes, name: str) -> XmlElement:
    """Parse the root element. `name` is for errors. Raises BadApk."""
    binary = Binary(data, name)
    # Android ignores the type of this chunk, and some packers write 0.
    if binary.u16(0) not in (_XML, 0):
        raise binary.bad("it is not binary XML")
    return _Reader(binary).read(binary.chunk(0, len(data)))


class _Reader:
    def __init__(self, binary: Binary) -> None:
        self._binary = binary
        self._strings: StringPool | None = None
        self._resources: tuple[int, ...] = ()
        self._open: list[XmlElement] = []
        self._root: XmlElement | None = None
        self._attributes = 0

    def read(self, whole: Chunk) -> XmlElement:
        binary = self._binary
        for chunk in binary.chunks(whole.content, whole.end, NODES_MAX):
            if chunk.kind == STRINGS:
                if self._strings is not None:
                    raise binary.bad("it has two string pools")  # of which Android takes the last
                self._strings = StringPool(binary, chunk)
            elif chunk.kind == _RESOURCES:
                count = (chunk.end - chunk.content) // 4
                layout = struct.Struct(f"<{min(count, ATTRIBUTES_MAX)}I")
                self._resources = binary.unpack(layout, chunk.content)
            elif chunk.kind == _START:
                self._start(chunk)
            elif chunk.kind == _END:
                if not self._open:
                    raise binary.bad(f"the element that ends at {chunk.start} was not begun")
                self._open.pop()
            elif chunk.kind == _TEXT and self._open:
                text = self._pool.get(binary.u32(chunk.content))
                if text is not None:
                    self._open[-1].children.append(text)
        if self._root is None:
            raise binary.bad("it has no element")
        if self._open:
            raise binary.bad(f"the element {self._open[-1].name} does not end")
        return self._root

    @property
    def _pool(self) -> StringPool:
        if self._strings is None:
            raise self._binary.bad("it has no strings")
        return self._strings

    def _start(self, chunk: Chunk) -> None:
        binary, strings = self._binary, self._pool
        namespace, name, start, size, count = binary.unpack(_ELEMENT, chunk.content)
        first = chunk.content + start
        if count and (size < _ATTRIBUTE_SIZE or first + size * count > chunk.end):
            raise binary.bad(f"the element at {chunk.start} has no room for {count} attributes")
        self._attributes += count
        if self._attributes > ATTRIBUTES_MAX:
            raise binary.bad(f"it has more than {ATTRIBUTES_MAX} attributes")
        element = XmlElement(
            strings.get(namespace),
            strings[name],
            binary.u32(chunk.start + 8),
            tuple(self._attribute(first + size * number) for number in range(count)),
        )
        if self._open:
            self._open[-1].children.append(element)
        elif self._root is None:
            self._root = element
        else:
            raise binary.bad(f"a second root element begins at {chunk.start}")
        self._open.append(element)
        if len(self._open) > DEPTH_MAX:
            raise binary.bad(f"its elements are nested deeper than {DEPTH_MAX}")

    def _attribute(self, at: int) -> Attribute:
        strings = self._pool
        namespace, name, raw = self._binary.unpack(_NAMES, at)
        return Attribute(
            strings.get(namespace) or None,
            strings[name],
            self._resources[name] or None if name < len(self._resources) else None,
            read_value(self._binary, at + 12, strings),
            strings.get(raw),
        )
