"""Parser of captured uiautomator dumps from any tool.

It accepts no DTD and no entities, and limits size, depth and number of nodes.
"""

import re
from dataclasses import dataclass, field
from xml.parsers import expat

MOST_BYTES = 16 * 1024 * 1024
MOST_NODES = 20_000
MOST_DEPTH = 200
MOST_TEXT = 1_000_000
"""The limit of characters in an attribute."""
LARGEST = 1_000_000
"""The largest coordinate, positive or negative."""
LONGEST_SHAPE = 3
"""The greatest ratio of a screen's longer to its shorter side."""

_OPENING = re.compile(r"<\?xml\b|<(?:hierarchy|displays)\b")
_CLOSING = re.compile(r"</(?:hierarchy|displays)\s*>|<(?:hierarchy|displays)\b[^<>]*/>")
_DECLARATION = re.compile(r"<\?xml\b[^<>]*\?>")
_BOUNDS = re.compile(r"\s*\[\s*(-?\d+)\s*,\s*(-?\d+)\s*\]\s*\[\s*(-?\d+)\s*,\s*(-?\d+)\s*\]\s*")
_PAIR = re.compile(r"&#(x?)([0-9A-Fa-f]{4,6});&#(x?)([0-9A-Fa-f]{4,6});")
_REFERENCE = re.compile(r"&#(x?)([0-9A-Fa-f]+);")
_UNSAYABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class DumpError(ValueError):
    """The file is not a dump that can be shown. The message is the reason, without a full stop."""


@dataclass(slots=True)
class DumpNode:
    attributes: dict[str, str]
    """The attributes by uiautomator's names; `class` is also set if the tag was the class."""
    bounds: tuple[int, int, int, int]
    index: int
    children: "list[DumpNode]" = field(default_factory=list["DumpNode"])


@dataclass(slots=True)
class DumpWindow:
    root: DumpNode
    type: str | None = None
    """The type without `TYPE_`; None if the dump does not have it."""
    title: str | None = None
    focused: bool = False
    display: int = 0
    bounds: tuple[int, int, int, int] | None = None
    """The touchable region; None if the dump does not have it."""


@dataclass(slots=True)
class ScreenDump:
    windows: list[DumpWindow]
    """The windows in the order of the file, which is top first after `--windows`."""
    rotation: int
    screen: tuple[int, int] | None = None
    """The screen's size, if the dump has it, as Appium's dumps do."""

    @property
    def reach(self) -> tuple[int, int]:
        """The largest right and bottom edges of the roots."""
        bounds = [window.root.bounds for window in self.windows]
        return max(box[2] for box in bounds), max(box[3] for box in bounds)

    @property
    def size(self) -> tuple[int, int] | None:
        """The screen's size in its orientation. None if no root except a bar begins at a screen
        edge, as with a dialog."""
        width, height = self.reach
        if self.screen is not None:
            return max(width, self.screen[0]), max(height, self.screen[1])
        boxes = [window.root.bounds for window in self.windows]
        at_edge = any(left <= 0 or top <= 0 for left, top, _, _ in boxes)
        longer, shorter = max(width, height), min(width, height)
        return (width, height) if at_edge and 0 < longer <= LONGEST_SHAPE * shorter else None


def read_dump(data: bytes) -> ScreenDump:
    """Parse a dump. Raises DumpError."""
    if len(data) > MOST_BYTES:
        raise DumpError(f"it has more than {MOST_BYTES} bytes")
    return _DumpReader().read(_cut(_decode(data)))


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _cut(text: str) -> str:
    """Remove the text around the XML, and replace characters that XML does not allow."""
    start = _OPENING.search(text)
    if start is None:
        raise DumpError("it has no <hierarchy> and no <displays>")
    ends = list(_CLOSING.finditer(text, start.start()))
    if not ends:
        raise DumpError("it ends before its </hierarchy>")
    body = _DECLARATION.sub("", text[start.start() : ends[-1].end()])
    body = _REFERENCE.sub(_sayable, _PAIR.sub(_joined, body))
    return _UNSAYABLE.sub("\ufffd", body)


def _joined(found: "re.Match[str]") -> str:
    """Join a surrogate pair, which some tools write as two characters."""
    high, low = _number(found[1], found[2]), _number(found[3], found[4])
    if 0xD800 <= high < 0xDC00 <= low < 0xE000:
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return found[0]


def _sayable(found: "re.Match[str]") -> str:
    number = _number(found[1], found[2])
    good = 0 <= number < 0x110000 and not _UNSAYABLE.match(chr(number))
    return found[0] if good else "\ufffd"


def _number(hexadecimal: str, digits: str) -> int:
    try:
        return int(digits[:8], 16 if hexadecimal else 10)
    except ValueError:
        return -1


class _DumpReader:
    def __init__(self) -> None:
        self._windows: list[DumpWindow] = []
        self._around: list[dict[str, str]] = []
        """The attributes of the open `<window>` elements."""
        self._way: list[DumpNode | None] = []
        """The open elements; None for one that is not a node."""
        self._left_out = 0
        """The number of open elements inside a skipped one, including it."""
        self._display = 0
        self._screen: tuple[int, int] | None = None
        self._nodes = 0
        self._rotation = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.StartDoctypeDeclHandler = self._forbid
        self._parser.EntityDeclHandler = self._forbid

    def read(self, text: str) -> ScreenDump:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as problem:
            raise DumpError(f"its XML is broken: {problem}") from None
        if not self._windows:
            raise DumpError("it has no nodes")
        return ScreenDump(self._windows, self._rotation, self._screen)

    def _forbid(self, *_: object) -> None:
        raise DumpError("it has a DTD, unlike any dump")

    def _open(self, tag: str, attributes: dict[str, str]) -> None:
        if self._left_out or _is_placeless_toast(tag, attributes):
            self._left_out += 1
            return
        if len(self._way) >= MOST_DEPTH:
            raise DumpError(f"its nodes are nested more than {MOST_DEPTH} deep")
        if any(len(value) > MOST_TEXT for value in attributes.values()):
            raise DumpError(f"an attribute has more than {MOST_TEXT} characters")
        parent = self._way[-1] if self._way else None
        node = None
        if tag == "window":
            self._around.append(attributes)
        elif tag == "hierarchy":
            self._rotation = _rotation(attributes.get("rotation", "0"))
            sides = attributes.get("width", ""), attributes.get("height", "")
            if all(re.fullmatch(r"[1-9]\d{1,5}", side) for side in sides):
                self._screen = int(sides[0]), int(sides[1])
        elif tag == "display":
            number = attributes.get("id", "")
            self._display = int(number) if re.fullmatch(r"\d{1,9}", number) else 0
        elif tag != "displays":
            node = self._node(tag, attributes, parent)
        self._way.append(node)

    def _node(self, tag: str, attributes: dict[str, str], parent: DumpNode | None) -> DumpNode:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise DumpError(f"it has more than {MOST_NODES} nodes")
        line = self._parser.CurrentLineNumber
        bounds = _bounds(attributes)
        if bounds is None:
            given = attributes.get("bounds")
            what = "has no bounds" if given is None else f"has the bounds {given[:60]!r}"
            raise DumpError(f"a <{tag[:60]}> in line {line} {what}")
        if max(map(abs, bounds)) > LARGEST:
            raise DumpError(f"a <{tag[:60]}> in line {line} is beyond any screen")
        if tag != "node":
            attributes.setdefault("class", tag)
        siblings = self._windows if parent is None else parent.children
        index = attributes.get("index", "")
        place = int(index) if re.fullmatch(r"\d{1,6}", index) else len(siblings)
        node = DumpNode(attributes, bounds, place)
        if parent is not None:
            parent.children.append(node)
            return node
        around = self._around[-1] if self._around else {}
        focused = "true" in (around.get("focused"), around.get("active"))
        kind = around.get("type", "").removeprefix("TYPE_") or None
        self._windows.append(
            DumpWindow(node, kind, around.get("title"), focused, self._display, _bounds(around))
        )
        return node

    def _close(self, tag: str) -> None:
        if self._left_out:
            self._left_out -= 1
            return
        self._way.pop()
        if tag == "window":
            self._around.pop()


def _bounds(attributes: dict[str, str]) -> tuple[int, int, int, int] | None:
    edges = _BOUNDS.fullmatch(attributes.get("bounds", ""))
    if edges is None:
        return None
    left, top, right, bottom = (int(edge[:9]) for edge in edges.groups())
    return left, top, right, bottom


def _is_placeless_toast(tag: str, attributes: dict[str, str]) -> bool:
    """Whether it is a toast in Appium's page source, which knows it from an event, without
    bounds."""
    kind = attributes.get("class") or tag
    return kind == "android.widget.Toast" and not attributes.get("bounds")


def _rotation(text: str) -> int:
    return int(text) if text in ("0", "1", "2", "3") else 0
