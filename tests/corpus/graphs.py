"""Graphs of apps that a crawler drew: their screens as dumps, and what it touched on them."""

import gzip
import json
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from bench.economy.captures import Capture, read_screen

from .files import cases, file

TOUCHES = ("touch", "long_touch", "set_text")
_WORDS = {
    "class": "class",
    "package": "package",
    "text": "text",
    "content-desc": "content_description",
    "resource-id": "resource_id",
}
_FLAGS = {
    "clickable": "clickable",
    "long-clickable": "long_clickable",
    "checkable": "checkable",
    "checked": "checked",
    "focusable": "focusable",
    "focused": "focused",
    "scrollable": "scrollable",
    "selected": "selected",
    "password": "is_password",
}
_UNLESS = {"enabled": "enabled", "visible-to-user": "visible"}
"""What the graphs name only where it is not so."""


@dataclass(frozen=True, slots=True)
class Touch:
    """What the crawler did to a view."""

    state: str
    kind: str
    position: int
    """Of the view, in the order of a dump."""


@dataclass(frozen=True, slots=True)
class Graph:
    screens: dict[str, Capture]
    touches: list[Touch]
    nowhere: int
    """Touches of views that their state does not have."""


def names() -> list[str]:
    return cases("graphs/*.json.gz")


def read(name: str) -> Graph:
    data = json.loads(gzip.decompress(file(name).read_bytes()))
    screens: dict[str, Capture] = {}
    positions: dict[str, dict[int, int]] = {}
    for state, found in data["states"].items():
        written: list[str] = []
        order: list[int] = []
        _write(found["views"], 0, 0, written, order)
        xml = f'<hierarchy rotation="0">{"".join(written)}</hierarchy>'
        screens[state] = Capture(state, xml, read_screen(xml))
        positions[state] = {view: at for at, view in enumerate(order)}
    touched = [event for event in data["events"] if event["type"] in TOUCHES]
    touches = [
        Touch(event["from"], event["type"], positions[event["from"]][event["view"]])
        for event in touched
        if event["view"] in positions[event["from"]]
    ]
    return Graph(screens, touches, len(touched) - len(touches))


def _write(
    views: list[dict[str, Any]], view: int, index: int, written: list[str], order: list[int]
) -> None:
    """Write a view and what is in it as a dump, and list them in the order of writing."""
    found = views[view]
    (left, top), (right, bottom) = found["bounds"]
    attributes = {name: str(found.get(key, "")) for name, key in _WORDS.items()}
    attributes |= {name: _bool(found.get(key, False)) for name, key in _FLAGS.items()}
    attributes |= {name: _bool(found.get(key, True)) for name, key in _UNLESS.items()}
    attributes |= {"index": str(index), "bounds": f"[{left},{top}][{right},{bottom}]"}
    printed = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    order.append(view)
    written.append(f"<node {printed}>")
    for number, child in enumerate(found.get("children", ())):
        _write(views, child, number, written, order)
    written.append("</node>")


def _bool(value: bool) -> str:
    return "true" if value else "false"
