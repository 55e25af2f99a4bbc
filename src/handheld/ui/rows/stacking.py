"""Which of two views is drawn over the other, as far as that is known.

Android lists siblings in reading order. Only the drawing order says which one is above, and web
content and old dumps have none. Compose lists them as it draws them. Else what an app marks as a
dialog is in front, then a part of the window with a title of its own, then what has the focus. What
none of these tells is not guessed.
"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from ..model import Bounds, Flag
from .tree import Tree

_FOCUSED = Flag.FOCUSED.value
_COMPOSE = "ComposeView"
_COMPOSED = ("ComposeView", "View", "ScrollView")
"""Classes that Compose gives to containers and to nothing else."""


class Stacking:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.dialogs = [number for number in tree.dialogs if tree.shown[number] is not None]

    # Not needed where nothing overlaps: the usual case.

    @cached_property
    def _signs(self) -> tuple[list[int], list[int], list[int]]:
        nodes, shown = self._tree.nodes, self._tree.shown
        panes = [at for at, told in self._tree.details.items() if told.pane and shown[at]]
        focused = [at for at, node in enumerate(nodes) if node.flags & _FOCUSED and shown[at]]
        return self.dialogs, sorted(panes), focused

    @cached_property
    def _has_compose(self) -> bool:
        return any(own.name == _COMPOSE for own in self._tree.classes)

    @cached_property
    def _tells(self) -> bool:
        """Whether anything tells one view from another: else no two of them are compared."""
        drawn = any(node.drawing_order for node in self._tree.nodes)
        return drawn or self._has_compose or any(self._signs)

    def is_over(self, one: int, other: int) -> bool | None:
        """Whether `one` is drawn over `other`, neither being inside the other; None if that is not
        known."""
        if not self._tells:
            return None
        above, below = self._apart(one, other), self._apart(other, one)
        nodes = self._tree.nodes
        first, second = nodes[above].drawing_order, nodes[below].drawing_order
        if first and second and first != second:
            return first > second
        if self._is_composed(self._tree.parents[above]):
            return above > below
        for sign in self._signs:
            has = self._has(above, sign)
            if has != self._has(below, sign):
                return has
        return None

    def dialogs_in(self, number: int) -> Iterable[Bounds]:
        """Yield where the dialogs inside a view are: they take touches beside their content."""
        for at in self.dialogs:
            shown = self._tree.shown[at]
            if shown is not None and self._tree.is_inside(at, number):
                yield shown

    def _has(self, number: int, sign: list[int]) -> bool:
        at = bisect_left(sign, number)
        return at < len(sign) and sign[at] < self._tree.ends[number]

    def _apart(self, one: int, other: int) -> int:
        """Return the outermost node that holds `one` and not `other`."""
        tree = self._tree
        outer = tree.parents[one]
        while outer >= 0 and not tree.is_inside(other, outer):
            one, outer = outer, tree.parents[outer]
        return one

    def _is_composed(self, parent: int) -> bool:
        """Whether Compose lists the children of a view."""
        tree = self._tree
        if not self._has_compose or parent < 0 or tree.classes[parent].name not in _COMPOSED:
            return False
        around = parent
        while around >= 0 and tree.classes[around].name != _COMPOSE:
            if tree.classes[around].is_web:
                return False
            around = tree.parents[around]
        return around >= 0
