"""Captured screens: dumps, and trees in the JSON of several tools."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from screen import dumps
from screen.dumps import Attributes, Branch, Recorded, build_screen, has_content

from .files import cases, file

_EDGES = re.compile(r"-?\d+")


def names() -> list[str]:
    """Return the name of every file with screens."""
    return cases("screens/*.xml", "accessibility-json/*.json")


def read(name: str) -> list[Recorded]:
    path = file(name)
    return [dumps.read(path)] if path.suffix == ".xml" else list(_trees(path))


def _trees(path: Path) -> Iterator[Recorded]:
    data = json.loads(path.read_text("utf-8"))
    if "hierarchy" in data:
        tree = data["hierarchy"]
        yield _recorded(data, [branch for tag in _tags(tree) for branch in _children(tree, tag)])
    elif isinstance(data.get("views"), list):
        yield _recorded(data, _listed(data["views"]))
    elif "views" in data:
        yield _recorded(data, [_grown(data["views"])])
    elif "states" in data:
        for state in data["states"].values():
            yield _recorded(state, [(_renamed(each), []) for each in state["elements"]])
    elif "data" in data:
        yield _recorded(data, [_grown(each) for each in data["data"]["jsonHierarchy"]["children"]])
    else:
        yield _recorded(data, [_grown(data)])


def _recorded(data: Any, roots: list[Branch]) -> Recorded:
    found = list(_views(data))
    kept = sum(has_content(_renamed(each)) for each in found)
    return Recorded(build_screen(roots), len(found), kept)


def _views(data: Any) -> Iterator[dict[str, Any]]:
    """Yield every object with bounds, anywhere in the file."""
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
    """A dump converted to JSON: attributes with an @, children by class."""
    attributes = {name[1:]: str(value) for name, value in tree.items() if name.startswith("@")}
    children = [branch for name in _tags(tree) for branch in _children(tree, name)]
    return {"class": tag, **attributes}, children


def _children(tree: dict[str, Any], tag: str) -> list[Branch]:
    grown = tree[tag] if isinstance(tree[tag], list) else [tree[tag]]
    return [_nested(child, tag) for child in grown]


def _listed(views: list[dict[str, Any]]) -> list[Branch]:
    """A flat list of views that refer to their children by number."""

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
