"""The signature that identifies a node."""

from collections.abc import Hashable

from ...screen.model import Flag, Node

_EDITABLE = Flag.EDITABLE.value


def signature_of(node: Node) -> Hashable:
    """Return a node's signature. The text of an input field is not part of it: it is the
    content."""
    editable = node.flags & _EDITABLE
    text = None if editable else node.text
    return node.class_name, node.resource_id, node.description, editable, text


def is_same(one: Node, other: Node) -> bool:
    """Whether both have the same signature. Hot path: it runs for every node of every read."""
    if one is other:
        return True
    editable = one.flags & _EDITABLE
    return (
        (bool(editable) or one.text == other.text)
        and one.description == other.description
        and one.resource_id == other.resource_id
        and one.class_name == other.class_name
        and editable == other.flags & _EDITABLE
    )
