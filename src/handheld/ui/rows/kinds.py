"""The kind of a target, by the classes of views."""

from collections.abc import Iterator

from ..model import Details, Flag, Node
from .classes import class_of
from .tree import Tree

_CLICKS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE)


def kind_of(tree: Tree, number: int, mark: Node) -> str:
    """`mark` is the node that has its checked state."""
    if kind := class_of(mark.class_name).kind:
        return kind
    for child in _roles(tree, number):
        if kind := tree.classes[child].kind:
            return kind
    return "check" if mark.flags & Flag.CHECKABLE else ""


def kind_of_range(node: Node, told: Details | None) -> str:
    if told is None or told.range is None:
        return ""
    return "progress" if class_of(node.class_name).name.endswith("ProgressBar") else "slider"


def _roles(tree: Tree, number: int) -> Iterator[int]:
    """Compose gives the role of a clickable as the class of an empty child."""
    child, end = number + 1, tree.ends[number]
    while child < end:
        node, after = tree.nodes[child], tree.ends[child]
        empty = after == child + 1 and not (node.text or node.description)
        if empty and not node.flags & _CLICKS:
            yield child
        child = after
