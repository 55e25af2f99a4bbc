"""Targets for a driver's actions."""

from ...driver import NodeSignature, Target
from ...screen.model import Flag, Node

_EDITABLE = Flag.EDITABLE.value


def target_of(node: Node, anchor: Node | None) -> Target:
    if anchor is None:
        return Target(node.key, describe(node), node=node)
    return Target(node.key, describe(node), anchor.key, describe(anchor), node)


def describe(node: Node) -> NodeSignature:
    editable = node.flags & _EDITABLE != 0
    return NodeSignature(
        node.class_name,
        node.resource_id,
        node.description,
        None if editable else node.text,
        not editable,
    )


def is_bare(node: Node, anchor: Node | None) -> bool:
    """Whether only its class is known."""
    text = None if node.flags & _EDITABLE else node.text
    return not (node.resource_id or node.description or text or anchor)
