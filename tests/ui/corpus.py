"""Screens that real phones showed, as several programs wrote them down.

Each is read twice: into the model by a small reader of ours, and into counts by another way, so
that a row lost or doubled on the way to the text shows.
"""

import html
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from handheld.ui.model import Bounds, Flag, Node, Screen, Window

from .trees import SHARED

SCREENS = SHARED / "corpus/screens"
TREES = SHARED / "corpus/accessibility-json"

_TAG = re.compile(r"<(/?)([\w.$]+)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
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
"""Attributes named as uiautomator names them, and children."""


@dataclass(frozen=True, slots=True)
class Captured:
    screen: Screen
    nodes: int
    rows: int
    """Nodes that say or do something: counted without the model."""


def names() -> list[str]:
    """Every file that holds a screen, or several."""
    if not SCREENS.exists():
        return []
    found = [*SCREENS.glob("*.xml"), *TREES.glob("*.json")]
    return sorted(f"{path.parent.name}/{path.name}" for path in found)


def read(name: str) -> list[Captured]:
    path = SHARED / "corpus" / name
    return [_dump(path)] if path.suffix == ".xml" else list(_trees(path))


# uiautomator and Appium


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("gb18030")
    # Some have what the program said around them.
    return text[text.index("<hierarchy") : text.rindex("</hierarchy>") + len("</hierarchy>")]


def _dump(path: Path) -> Captured:
    text = _decoded(path)
    top: Branch = ({}, [])
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
    [(_, roots)] = top[1]
    elements = [element for element in ET.fromstring(text).iter() if element.get("bounds")]
    kept = sum(_is_kept(element.attrib) for element in elements)
    return Captured(_screen(roots), len(elements), kept)


def _is_kept(attributes: Attributes) -> bool:
    return any(attributes.get(name) for name in _SAYS) or any(
        attributes.get(name) == "true" for name in _DOES
    )


# Trees in JSON


def _trees(path: Path) -> Iterator[Captured]:
    data = json.loads(path.read_text("utf-8"))
    if "hierarchy" in data:
        tree = data["hierarchy"]
        yield _told(data, [branch for tag in _tags(tree) for branch in _children(tree, tag)])
    elif isinstance(data.get("views"), list):
        yield _told(data, _listed(data["views"]))
    elif "views" in data:
        yield _told(data, [_grown(data["views"])])
    elif "states" in data:
        for state in data["states"].values():
            yield _told(state, [(_renamed(each), []) for each in state["elements"]])
    elif "data" in data:
        yield _told(data, [_grown(each) for each in data["data"]["jsonHierarchy"]["children"]])
    else:
        yield _told(data, [_grown(data)])


def _told(data: Any, roots: list[Branch]) -> Captured:
    found = list(_views(data))
    kept = sum(_is_kept(_renamed(each)) for each in found)
    return Captured(_screen(roots), len(found), kept)


def _views(data: Any) -> Iterator[dict[str, Any]]:
    """Whatever has a place on the screen, wherever in the file."""
    if isinstance(data, list):
        for each in cast("list[Any]", data):
            yield from _views(each)
    elif isinstance(data, dict):
        view = cast("dict[str, Any]", data)
        if view.keys() & {"@bounds", "bounds", "rect"}:
            yield {name.removeprefix("@"): value for name, value in view.items()}
        for name, value in view.items():
            if name != "bounds":
                yield from _views(value)


def _tags(tree: dict[str, Any]) -> list[str]:
    return [name for name in tree if not name.startswith("@")]


def _nested(tree: dict[str, Any], tag: str) -> Branch:
    """A dump turned to JSON: attributes with an @, children by their class."""
    attributes = {name[1:]: str(value) for name, value in tree.items() if name.startswith("@")}
    children = [branch for name in _tags(tree) for branch in _children(tree, name)]
    return {"class": tag, **attributes}, children


def _children(tree: dict[str, Any], tag: str) -> list[Branch]:
    grown = tree[tag] if isinstance(tree[tag], list) else [tree[tag]]
    return [_nested(child, tag) for child in grown]


def _listed(views: list[dict[str, Any]]) -> list[Branch]:
    """A flat list whose entries name their children by number."""

    def grow(number: int) -> Branch:
        view = views[number]
        return _renamed(view), [grow(child) for child in view["children"]]

    return [grow(number) for number, view in enumerate(views) if view["parent"] == -1]


def _grown(tree: dict[str, Any]) -> Branch:
    return _renamed(tree), [_grown(child) for child in tree.get("children", [])]


_NAMES = {
    "class": ("class", "class_", "className", "_type"),
    "text": ("text",),
    "content-desc": (
        "content-desc",
        "content_description",
        "contentDescription",
        "description",
        "content_desc",
    ),
    "resource-id": ("resource-id", "resource_id", "resourceId", "viewIdResourceName"),
    "clickable": ("clickable",),
    "long-clickable": ("long-clickable", "long_clickable", "longClickable"),
    "focusable": ("focusable",),
    "scrollable": ("scrollable", "scrollable_vertical"),
    "editable": ("editable",),
    "enabled": ("enabled",),
}


def _renamed(view: dict[str, Any]) -> Attributes:
    renamed: Attributes = {"bounds": json.dumps(_edges(view))}
    for name, aliases in _NAMES.items():
        value = next((view[alias] for alias in aliases if view.get(alias) is not None), None)
        if value is not None:
            renamed[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return renamed


def _edges(view: dict[str, Any]) -> list[int]:
    rect, bounds = view.get("rect"), view.get("bounds", {})
    if rect:
        return [rect["x"], rect["y"], rect["x"] + rect["width"], rect["y"] + rect["height"]]
    if isinstance(bounds, str):
        return [int(edge) for edge in _EDGES.findall(bounds)]
    if isinstance(bounds, dict):
        return list(cast("dict[str, int]", bounds).values())
    flat = cast("list[Any]", bounds)
    return [*flat[0], *flat[1]] if isinstance(flat[0], list) else flat


# The model


def _screen(roots: list[Branch]) -> Screen:
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
    left, top, right, bottom = map(int, _EDGES.findall(attributes["bounds"]))
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
