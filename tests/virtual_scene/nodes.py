"""Nodes of a dump and nodes of a screen, as far as one can be compared with the other."""

from typing import Any

from handheld.ui.model import Flag, Node
from handheld.virtual.views.dump import DumpNode


def count_nodes(node: DumpNode) -> int:
    return 1 + sum(map(count_nodes, node.children))


def kept(node: DumpNode) -> Any:
    """What uiautomator says of a node and of those below it that can be seen."""
    told, (left, top, right, bottom) = node.attributes, node.bounds
    if right > 0 and bottom > 0:
        left, top = max(left, 0), max(top, 0)  # as Android clips them
    shown = [
        child
        for child in node.children
        if "false" not in (child.attributes.get(name) for name in ("visible-to-user", "displayed"))
    ]
    said = [told.get(name, "") for name in ("text", "resource-id", "class", "content-desc")]
    flags = [told.get(name) == "true" for name in ("clickable", "scrollable", "checked", "focused")]
    return said, flags, (left, top, right, bottom), [kept(child) for child in shown]


def flat(node: DumpNode) -> list[Any]:
    told = node.attributes
    seen = (
        told.get("class"),
        told.get("text") or None,
        told.get("content-desc") or None,
        told.get("resource-id") or None,
        node.bounds,
        [told.get(name) == "true" for name in ("clickable", "scrollable", "checked", "focused")],
    )
    return [seen, *(one for child in node.children for one in flat(child))]


def seen(node: Node) -> Any:
    flags = (Flag.CLICKABLE, Flag.SCROLLABLE, Flag.CHECKED, Flag.FOCUSED)
    return (
        node.class_name,
        node.text,
        node.description,
        node.resource_id,
        tuple(node.bounds),
        [bool(node.flags & flag) for flag in flags],
    )
