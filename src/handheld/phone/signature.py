"""What a node is recognised by."""

from collections.abc import Hashable

from ..ui.model import Flag, Node

_EDITABLE = Flag.EDITABLE.value


def signature_of(node: Node) -> Hashable:
    """Return what identifies a node. The text of an input field does not: it is its content."""
    editable = node.flags & _EDITABLE
    text = None if editable else node.text
    return node.class_name, node.resource_id, node.description, editable, text
