"""The kind of a target, by the classes of views."""

from ..model import Details, Flag, Node
from .classes import class_of
from .tree import Tree

_CLICKS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE)
_CLICKABLE = Flag.CLICKABLE.value
_SELECTED = Flag.SELECTED.value
_CHECKABLE = Flag.CHECKABLE.value
MOST_CHOICES = 16
"""Things side by side of which one is selected, such as tabs."""


def kind_of(tree: Tree, number: int, marker: int) -> str:
    """`marker` is the position of the node that has its checked state."""
    kind = tree.classes[marker].kind or _role(tree, number)
    return kind or ("check" if tree.nodes[marker].flags & _CHECKABLE else "")


def is_choice(tree: Tree, number: int) -> bool:
    """Whether it is the selected one of several: toolkits make a selected tab not clickable."""
    node, parent = tree.nodes[number], tree.parents[number]
    if not node.flags & _SELECTED:
        return False
    if tree.classes[number].kind == "tab":
        return True
    other, end = parent + 1, 0 if parent < 0 else tree.ends[parent]
    for _ in range(MOST_CHOICES):
        if other >= end:
            break
        beside = tree.nodes[other]
        if (
            beside.class_name == node.class_name
            and beside.flags & (_CLICKABLE | _SELECTED) == _CLICKABLE
        ):
            return True
        other = tree.ends[other]
    return False


def is_singled_out(tree: Tree, number: int) -> bool:
    """Whether it, or an element around it, is selected while a sibling of the same kind is not.
    Toolkits also select everything inside a selected element, and moving texts."""
    nodes, parents = tree.nodes, tree.parents
    if not nodes[number].flags & _SELECTED:
        return False
    while (parent := parents[number]) >= 0 and nodes[parent].flags & _SELECTED:
        number = parent
    if parent < 0:
        return False
    name = nodes[number].class_name
    return any(
        nodes[beside].class_name == name and not nodes[beside].flags & _SELECTED
        for beside in tree.children(parent)[:MOST_CHOICES]
    )


def kind_of_range(node: Node, told: Details | None) -> str:
    if told is None or told.range is None:
        return ""
    return "progress" if class_of(node.class_name).name.endswith("ProgressBar") else "slider"


def _role(tree: Tree, number: int) -> str:
    """Return the role of a clickable, which Compose gives as the class of an empty child."""
    ends = tree.ends
    child, end = number + 1, ends[number]
    while child < end:
        after = ends[child]
        if after == child + 1 and (kind := tree.classes[child].kind):
            node = tree.nodes[child]
            if not (node.text or node.description or node.flags & _CLICKS):
                return kind
        child = after
    return ""
