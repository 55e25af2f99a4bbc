"""What is on a captured screen, read from its XML without the project's code."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field

_EDGES = re.compile(r"-?\d+")
_FIELDS = ("EditText", "AutoCompleteTextView", "SearchAutoComplete")
_ADAPTERS = ("ListView", "GridView", "GalleryView", "Spinner")
_NUMBERED = re.compile(r"&#(?:(\d+)|x([0-9a-fA-F]+));")
BAR = 0.2
"""A window of the system lower than this share of the screen is a bar, which is not printed."""

Box = tuple[int, int, int, int]


@dataclass(slots=True, eq=False)
class Element:
    place: tuple[int, int]
    """Its window, and its position there in document order."""
    attributes: dict[str, str]
    parent: "Element | None"
    shown: Box | None
    """The part of it that can be seen."""
    inside: list["Element"] = field(default_factory=list["Element"])

    def is_set(self, name: str) -> bool:
        return self.attributes.get(name) == "true"

    @property
    def kind(self) -> str:
        return self.attributes.get("class", "").rpartition(".")[2]

    @property
    def bounds(self) -> str:
        return self.attributes.get("bounds", "")

    @property
    def is_field(self) -> bool:
        return self.kind.endswith(_FIELDS) or self.is_set("password")

    @property
    def is_scroller(self) -> bool:
        return (self.is_set("scrollable") and not self.is_field) or self.kind.endswith("WebView")

    @property
    def clicks(self) -> bool:
        return self.is_set("clickable") or self.is_set("long-clickable")

    @property
    def is_target(self) -> bool:
        of_adapter = self.parent is not None and self.parent.kind.endswith(_ADAPTERS)
        return self.clicks or self.is_field or self.is_set("checkable") or of_adapter

    @property
    def texts(self) -> list[str]:
        """What it says, without the content of a password field."""
        names = ("content-desc",) if self.is_set("password") else ("text", "content-desc")
        return [words for name in names if (words := self.attributes.get(name))]

    @property
    def around(self) -> Iterator["Element"]:
        """Its parent, and what is around that."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent

    @property
    def within(self) -> Iterator["Element"]:
        """Everything inside of it."""
        for child in self.inside:
            yield child
            yield from child.within


def read(xml: str) -> list[Element]:
    """Return what can be seen of the windows that are printed."""
    roots = list(_windows(ET.fromstring(_joined(xml))))
    edges = [_box(root.get("bounds", "")) for root, _ in roots]
    width = max((edge[2] for edge in edges), default=0)
    height = max((edge[3] for edge in edges), default=0)
    found: list[Element] = []
    for number, (root, kind) in enumerate(roots):
        _, top, _, bottom = edges[number]
        is_bar = root.get("package") == "com.android.systemui" and bottom - top <= BAR * height
        if kind in ("", "APPLICATION", "SYSTEM") and not (is_bar and len(roots) > 1):
            listed: list[Element] = []
            _grow(root, None, (0, 0, width, height), number, listed)
            found += listed
    return [element for element in found if element.shown is not None]


def _joined(xml: str) -> str:
    """Android writes an emoji as two numbers."""

    def pair(found: re.Match[str]) -> str:
        number = int(found[1]) if found[1] else int(found[2], 16)
        return chr(number) if 0xD800 <= number <= 0xDFFF else found[0]

    text = _NUMBERED.sub(pair, xml)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _windows(top: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    if top.tag != "displays":
        yield from ((root, "") for root in top if root.tag == "node")
        return
    for display in top:
        if display.get("id", "0") == "0":
            for window in display:
                for root in window.iter("node"):
                    yield root, window.get("type", "").removeprefix("TYPE_")
                    break


def _grow(
    node: ET.Element,
    parent: Element | None,
    clip: Box | None,
    window: int,
    listed: list[Element],
) -> Element:
    box = _cut(_box(node.get("bounds", "")), clip)
    hidden = node.get("visible-to-user") == "false"
    element = Element((window, len(listed)), dict(node.attrib), parent, None if hidden else box)
    listed.append(element)
    inner = box if element.is_scroller or element.is_set("scrollable") else clip
    element.inside = [
        _grow(child, element, inner, window, listed) for child in node if child.tag == "node"
    ]
    return element


def _box(bounds: str) -> Box:
    edges = [int(edge) for edge in _EDGES.findall(bounds)]
    return (edges[0], edges[1], edges[2], edges[3]) if len(edges) == 4 else (0, 0, 0, 0)


def _cut(box: Box, clip: Box | None) -> Box | None:
    if clip is None:
        return None
    left, top = max(box[0], clip[0]), max(box[1], clip[1])
    right, bottom = min(box[2], clip[2]), min(box[3], clip[3])
    return (left, top, right, bottom) if left < right and top < bottom else None
