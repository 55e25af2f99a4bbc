"""Reads screens from files, as written by uiautomator and similar tools.

Each is read twice: into the model by a small reader of ours, and into counts by another way, so
that a row lost or doubled on the way to the text shows.
"""

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handheld.screen.model import Bounds, Flag, Node, Screen, Window

_TAG = re.compile(r"<(/?)([\w.$]+)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_WHOLE = re.compile(r"<(hierarchy|displays)\b.*</\1>", re.DOTALL)
_AROUND = ("displays", "display", "window", "hierarchy")
"""The text around the nodes."""
_EDGES = re.compile(r"-?\d+")
_FLAGS = {
    "clickable": Flag.CLICKABLE,
    "long-clickable": Flag.LONG_CLICKABLE,
    "focusable": Flag.FOCUSABLE,
    "scrollable": Flag.SCROLLABLE,
    "editable": Flag.EDITABLE,
    "enabled": Flag.ENABLED,
}
_SAYS = ("text", "content-desc", "resource-id")
_DOES = ("clickable", "long-clickable", "scrollable", "editable")

Attributes = dict[str, str]
Branch = tuple[Attributes, list[Any]]
"""Attributes as named by uiautomator, and children."""


@dataclass(frozen=True, slots=True)
class Recorded:
    screen: Screen
    nodes: int
    rows: int
    """Nodes with content or function, counted without the model."""


def read(path: Path) -> Recorded:
    text = _decoded(path)
    top: Branch = ({"class": "hierarchy"}, [])
    way = [top]
    for closing, tag, attributes, empty in _TAG.findall(text):
        if closing:
            way.pop()
            continue
        found = {
            name: html.unescape(double or single)
            for name, double, single in _ATTRIBUTE.findall(attributes)
        }
        branch: Branch = ({"class": tag, **found}, [])
        way[-1][1].append(branch)
        if not empty:
            way.append(branch)
    elements = [element for element in ET.fromstring(text).iter() if element.tag not in _AROUND]
    kept = sum(has_content(element.attrib) for element in elements)
    return Recorded(build_screen(list(_roots(top))), len(elements), kept)


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("gb18030")
    # Some files include other output of the tool.
    whole = _WHOLE.search(text)
    assert whole is not None, f"there is no screen in {path}"
    return whole[0]


def _roots(branch: Branch) -> Iterator[Branch]:
    for child in branch[1]:
        if child[0]["class"] in _AROUND:
            yield from _roots(child)
        else:
            yield child


def has_content(attributes: Attributes) -> bool:
    return any(attributes.get(name) for name in _SAYS) or any(
        attributes.get(name) == "true" for name in _DOES
    )


def build_screen(roots: list[Branch]) -> Screen:
    """A window for each root, as on a phone."""
    windows: list[Window] = []
    for number, root in enumerate(roots):
        nodes: list[Node] = []
        _grow(root, 0, number, nodes)
        windows.append(Window(number, "APPLICATION", "com.example", "Captured", 0, True, nodes))
    edges = [window.nodes[0].bounds for window in windows]
    width = max([edge.right for edge in edges], default=1080)
    height = max([edge.bottom for edge in edges], default=2400)
    return Screen(width, height, 420, 0, windows)


def _grow(branch: Branch, depth: int, position: int, nodes: list[Node]) -> None:
    attributes, children = branch
    flags = Flag.VISIBLE.value
    for name, flag in _FLAGS.items():
        if attributes.get(name) == "true":
            flags |= flag
    # A toast in Appium's format has no bounds.
    left, top, right, bottom = map(int, _EDGES.findall(attributes.get("bounds", "[0,0][0,0]")))
    nodes.append(
        Node(
            depth,
            int(attributes.get("index") or position),
            "",
            attributes.get("class"),
            attributes.get("text"),
            attributes.get("content-desc"),
            attributes.get("resource-id"),
            Bounds(left, top, right, bottom),
            flags,
        )
    )
    for number, child in enumerate(children):
        _grow(child, depth + 1, number, nodes)
