"""The kind of a target, by the classes of views."""

from collections.abc import Iterator

from ..model import Details, Flag, Node
from .tree import Tree, short_class

_CLICKS = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE)
_KINDS = (
    (("Switch", "SwitchCompat", "SwitchMaterial", "ToggleButton"), "switch"),
    (("CheckBox", "CheckedTextView"), "check"),
    (("RadioButton",), "radio"),
    (("SeekBar", "RatingBar", "Slider"), "slider"),
    (("Spinner",), "menu"),
    (("Tab", "TabView"), "tab"),
)


def kind_of(tree: Tree, number: int, mark: Node) -> str:
    """`mark` is the node that has its checked state."""
    for node in (mark, *_roles(tree, number)):
        name = short_class(node)
        for names, kind in _KINDS:
            if name.endswith(names):
                return kind
    return "check" if mark.flags & Flag.CHECKABLE else ""


def kind_of_range(node: Node, told: Details | None) -> str:
    if told is None or told.range is None:
        return ""
    return "progress" if short_class(node).endswith("ProgressBar") else "slider"


def _roles(tree: Tree, number: int) -> Iterator[Node]:
    """Compose gives the role of a clickable as the class of an empty child."""
    for child in tree.children(number):
        node = tree.nodes[child]
        empty = tree.ends[child] == child + 1 and not (node.text or node.description)
        if empty and not node.flags & _CLICKS:
            yield node
