"""Comparable forms of nodes from dumps and screens."""

from typing import Any

from handheld.screen.model import Flag, Node
from handheld_virtual.views.reading.dump import DumpNode


def count_nodes(node: DumpNode) -> int:
    return 1 + sum(map(count_nodes, node.children))


def kept(node: DumpNode) -> Any:
    """uiautomator's attributes of a node and its visible descendants."""
    attributes, (left, top, right, bottom) = node.attributes, node.bounds
    if right > 0 and bottom > 0:
        left, top = max(left, 0), max(top, 0)  # as Android clips them
    shown = [
        child
        for child in node.children
        if "false" not in (child.attributes.get(name) for name in ("visible-to-user", "displayed"))
    ]
    values = [attributes.get(name, "") for name in ("text", "resource-id", "class", "content-desc")]
    flags = [
        attributes.get(name) == "true" for name in ("clickable", "scrollable", "checked", "focused")
    ]
    return values, flags, (left, top, right, bottom), [kept(child) for child in shown]


def flat(node: DumpNode) -> list[Any]:
    attributes, (left, top, right, bottom) = node.attributes, node.bounds
    seen = (
        attributes.get("class"),
        attributes.get("text") or None,
        attributes.get("content-desc") or None,
        attributes.get("resource-id") or None,
        (left, top, max(left, right), max(top, bottom)),  # never inverted
        [
            attributes.get(name) == "true"
            for name in ("clickable", "scrollable", "checked", "focused")
        ],
    )
    return [seen, *(item for child in node.children for item in flat(child))]


def seen(node: Node) -> Any:
    flags = (Flag.CLICKABLE, Flag.SCROLLABLE, Flag.CHECKED, Flag.FOCUSED)
    left, top, right, bottom = node.bounds
    return (
        node.class_name,
        node.text,
        node.description,
        node.resource_id,
        (left, top, max(left, right), max(top, bottom)),
        [bool(node.flags & flag) for flag in flags],
    )
