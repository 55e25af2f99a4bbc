"""Parse the output of Android's `uiautomator dump` into windows and nodes.

Two formats: one hierarchy of the focused window, and since Android 11 all windows of all displays.
Vendors print further lines around it, and apps control its content.
"""

import re
from dataclasses import dataclass, field
from enum import Enum
from xml.parsers.expat import ExpatError, ParserCreate

from ...screen.model import Bounds, Flag, Node, mask_password, upright

SIZE = 16 * 1024 * 1024
NODES = 50_000
DEPTH = 500
"""More than Android's own stack holds."""

_BEGIN = re.compile(r"<(?:hierarchy|displays)[\s>/]")
_ENDS = ("</hierarchy>", "</displays>", "<hierarchy/>", "<hierarchy />")
_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")
_NUMBERED = re.compile(r"&#(?:(\d{1,7})|[xX]([0-9a-fA-F]{1,6}));")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PAIRS = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_FLAGS = {
    "checkable": Flag.CHECKABLE.value,
    "checked": Flag.CHECKED.value,
    "clickable": Flag.CLICKABLE.value,
    "enabled": Flag.ENABLED.value,
    "focusable": Flag.FOCUSABLE.value,
    "focused": Flag.FOCUSED.value,
    "scrollable": Flag.SCROLLABLE.value,
    "long-clickable": Flag.LONG_CLICKABLE.value,
    "password": Flag.PASSWORD.value,
    "selected": Flag.SELECTED.value,
}
# As plain integers: operations on flags take longer than the rest of a node.
_PASSWORD, _EDITABLE = Flag.PASSWORD.value, Flag.EDITABLE.value
_COLLECTION, _VISIBLE = Flag.COLLECTION.value, Flag.VISIBLE.value
_SHOWING_HINT = Flag.SHOWING_HINT.value
_FIELDS = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
"""Suffixes of classes that are text fields: a dump has no attribute for that."""
_LISTS = ("ListView", "GridView", "RecyclerView")


class Trouble(Enum):
    """Why there is no dump."""

    RESTLESS = "restless"
    """The screen did not become idle in time."""
    NO_ROOT = "no_root"
    """The focused window returned no content."""
    KILLED = "killed"
    """Another program holds UiAutomation."""
    UNWRITABLE = "unwritable"
    """Killed while it wrote the file: it reached a character that XML cannot represent."""
    NOTHING = "nothing"
    """It reported success or nothing, but wrote no file."""
    MALFORMED = "malformed"


class BadDump(Exception):
    """The output contains no screen. The message states what was found instead."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble


@dataclass(slots=True)
class DumpedWindow:
    """A window in a dump, without a stable id."""

    type: str = "APPLICATION"
    title: str | None = None
    bounds: Bounds | None = None
    layer: int = 0
    focused: bool = True
    display: int = 0
    package: str | None = None
    nodes: list[Node] = field(default_factory=list[Node])


@dataclass(slots=True)
class Dump:
    windows: list[DumpedWindow]
    """Windows with content, in the order of the dump: the topmost first."""
    empty: list[DumpedWindow]
    """Windows without content."""
    rotation: int | None
    every_window: bool


def read_dump(printed: str) -> Dump:
    """Find the dump in the output of the command and the content of its file. Raises BadDump."""
    begin = _BEGIN.search(printed)
    if begin is None:
        raise _explain(printed)
    end = max((at + len(word) for word in _ENDS if (at := printed.rfind(word)) >= 0), default=0)
    if end <= begin.start():
        raise BadDump(Trouble.MALFORMED, "The dump is cut off before its end.")
    text = printed[begin.start() : end]
    if len(text) > SIZE:
        raise BadDump(Trouble.MALFORMED, f"The dump is over {SIZE} characters.")
    reader = _Reader()
    parser = ParserCreate("utf-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    try:
        parser.Parse(_mend(text).encode(), True)
    except ExpatError as problem:
        raise BadDump(Trouble.MALFORMED, f"The dump is not well-formed: {problem}.") from None
    return reader.dump()


def _explain(printed: str) -> BadDump:
    if "could not get idle state" in printed:
        return BadDump(Trouble.RESTLESS, "could not get idle state")
    if "null root node" in printed:
        return BadDump(Trouble.NO_ROOT, "null root node")
    if "already registered" in printed or re.search(r"^Killed\b", printed, re.MULTILINE):
        # The file is created only when there is something to write.
        began = "No such file" not in printed
        return BadDump(Trouble.UNWRITABLE if began else Trouble.KILLED, "killed")
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    messages = [line for line in lines if "dumped to" not in line]
    return BadDump(Trouble.NOTHING, messages[0][:200] if messages else "")


def _mend(text: str) -> str:
    """Make it valid XML: Android writes emoji as surrogate pairs, and invalid characters as
    character references."""

    def numbered(found: re.Match[str]) -> str:
        number = int(found[1]) if found[1] else int(found[2], 16)
        if number > 0x10FFFF or _ILLEGAL.match(character := chr(number)):
            # Surrogates are combined below.
            return chr(number) if 0xD800 <= number <= 0xDFFF else "\ufffd"
        return found[0] if character in "&<>\"'\t\n\r" else character

    text = _NUMBERED.sub(numbered, text)
    text = _PAIRS.sub(
        lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text
    )
    return _ILLEGAL.sub("\ufffd", text)


class _Reader:
    """Receives the parser's elements."""

    def __init__(self) -> None:
        self._windows: list[DumpedWindow] = []
        self._empty: list[DumpedWindow] = []
        self._rotation: int | None = None
        self._every = False
        self._display = 0
        self._open: list[DumpedWindow] = []
        self._single: DumpedWindow | None = None
        self._depth = 0
        self._hierarchies = 0
        self._count = 0
        self._places: list[int] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "node":
            self._node(attributes)
        elif tag == "hierarchy":
            self._hierarchies += 1
            if self._rotation is None:
                self._rotation = _number(attributes.get("rotation"))
        elif tag == "displays":
            self._every = True
        elif tag == "display":
            self._display = _number(attributes.get("id")) or 0
        elif tag == "window":
            self._open.append(
                DumpedWindow(
                    (attributes.get("type") or "").removeprefix("TYPE_") or "UNKNOWN(0)",
                    attributes.get("title") or None,
                    _bounds(attributes.get("bounds")),
                    _number(attributes.get("layer")) or 0,
                    attributes.get("focused") == "true",
                    self._display,
                )
            )
        else:
            raise BadDump(Trouble.MALFORMED, f"The dump has an element {tag[:40]!r}.")

    def end(self, tag: str) -> None:
        if tag == "node":
            self._depth -= 1
            self._places.pop()
        elif tag == "window":
            window = self._open.pop()
            (self._windows if window.nodes else self._empty).append(window)

    def _node(self, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > NODES or self._depth >= DEPTH:
            raise BadDump(Trouble.MALFORMED, f"The dump has over {NODES} nodes or {DEPTH} levels.")
        if not self._depth:
            self._places = [0]
        window = self._into()
        bounds = _bounds(attributes.get("bounds")) or Bounds(0, 0, 0, 0)
        flags = 0
        for name, value in attributes.items():
            if value == "true":
                flags |= _FLAGS.get(name, 0)
        class_name = attributes.get("class") or None
        text = attributes.get("text") or None
        if class_name is not None:
            if class_name.endswith(_FIELDS) or flags & _PASSWORD:
                flags |= _EDITABLE
            if class_name.endswith(_LISTS):
                flags |= _COLLECTION
        seen = attributes.get("visible-to-user") != "false"
        if seen and bounds.left < bounds.right and bounds.top < bounds.bottom:
            flags |= _VISIBLE
        if flags & _EDITABLE and text is not None and text == attributes.get("hint"):
            flags |= _SHOWING_HINT
        # Without bullets it may be a hint, which older dumps do not distinguish from a text.
        if text is not None and (len(text) == 1 or "•" in text):
            text = mask_password(text, flags)
        index = _number(attributes.get("index"))
        place = self._places[-1]
        self._places[-1] += 1
        window.nodes.append(
            Node(
                self._depth,
                place if index is None else index,
                "",
                class_name,
                text,
                attributes.get("content-desc") or None,
                attributes.get("resource-id") or None,
                bounds,
                flags,
                max(0, _number(attributes.get("drawing-order")) or 0),
            )
        )
        if not self._depth:
            window.package = attributes.get("package") or None
        self._depth += 1
        self._places.append(0)

    def _into(self) -> DumpedWindow:
        if self._open:
            return self._open[-1]
        # In the older format each root is a window: dumps with several roots exist.
        if not self._depth or self._single is None:
            self._single = DumpedWindow(focused=not self._windows)
            self._windows.append(self._single)
        return self._single

    def dump(self) -> Dump:
        if not self._hierarchies and not self._every:
            raise BadDump(Trouble.MALFORMED, "The dump has no hierarchy.")
        return Dump(self._windows, self._empty, self._rotation, self._every)


def _number(word: str | None) -> int | None:
    return int(word) if word and re.fullmatch(r"-?\d{1,9}", word) else None


def _bounds(word: str | None) -> Bounds | None:
    found = _BOUNDS.fullmatch(word or "")
    return None if found is None else upright(*map(int, found.groups()))
