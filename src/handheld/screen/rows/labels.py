"""Names that a view gets from another view: a label beside or above it."""

from ..model import Bounds
from .tree import Tree
from .words import distinct


class ViewLabels:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._keys: dict[str, int] = {}
        if any(told.label for told in tree.details.values()):
            self._keys = {node.key: number for number, node in enumerate(tree.nodes) if node.key}
        self._named: dict[int, list[Bounds]] = {}
        """The places of things that a label has named."""

    def name(self, number: int) -> list[str]:
        """Return the words of the view that names this one; none without such a view."""
        told, nodes = self._tree.details.get(number), self._tree.nodes
        at = self._keys.get(told.label) if told is not None and told.label else None
        shown = self._tree.shown[number]
        if at is None or at == number or shown is None:
            return []
        self._named.setdefault(at, []).append(shown)
        return distinct([nodes[at].text, nodes[at].description])

    def is_said(self, number: int) -> bool:
        """Whether a label's words are also those of the thing directly beside or below it."""
        label = self._tree.shown[number]
        return label is not None and any(
            _is_at(label, thing) for thing in self._named.get(number, ())
        )


def _is_at(label: Bounds, thing: Bounds) -> bool:
    height = min(label.bottom - label.top, thing.bottom - thing.top)
    if (min(label.bottom, thing.bottom) - max(label.top, thing.top)) * 2 >= height:
        return True
    above = -height <= thing.top - label.bottom <= height
    return above and label.left < thing.right and thing.left < label.right
