"""Finds which of two views is drawn over the other, if that is known.

Android lists siblings in reading order. Only the drawing order says which one is above, and web
content and old dumps have none. Compose lists them in drawing order. Without a drawing order, a
view that an app marks as a dialog is in front, then a part of the window with its own title, then a
layer that takes every touch. If none of these decides, the order is unknown.

The focus is no criterion: it stays in a field or a page while another view is drawn over it.
"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from ..model import Bounds, Flag
from .tree import Tree

_CLICKABLE = Flag.CLICKABLE.value
_SCROLLABLE = Flag.SCROLLABLE.value
_TAKES = int(Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.EDITABLE)
WHOLE = 0.95
"""A layer takes this share of the width and of the height of its window."""
MOST_DIALOGS = 32
"""The maximum of dialogs in one window; apps can mark any number of views."""
_COMPOSE = "ComposeView"
_COMPOSED = ("ComposeView", "View", "ScrollView")
"""Classes that Compose gives to containers only."""


class Stacking:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        # An empty dialog covers nothing: pages keep theirs for later.
        dialogs = tree.dialogs[:MOST_DIALOGS]
        self.dialogs = [number for number in dialogs if self._shows_something(number)]

    # Not needed if nothing overlaps, the usual case.

    @cached_property
    def _signs(self) -> tuple[list[int], list[int]]:
        shown = self._tree.shown
        panes = [at for at, told in self._tree.details.items() if told.pane and shown[at]]
        return self.dialogs, sorted(panes)[:MOST_DIALOGS]

    @cached_property
    def _scrims(self) -> list[int]:
        """Return nodes without words that take every touch except on elements inside them or drawn
        after them."""
        nodes, classes = self._tree.nodes, self._tree.classes
        return [
            at
            for at, node in enumerate(nodes)
            if node.flags & (_CLICKABLE | _SCROLLABLE) == _CLICKABLE
            and not (node.text or node.description or classes[at].is_web)
            and self._is_whole(at)
            and self._pages[at] < 0
        ]

    @cached_property
    def _has_compose(self) -> bool:
        return any(own.name == _COMPOSE for own in self._tree.classes)

    @cached_property
    def _tells(self) -> bool:
        """Whether any criterion exists; otherwise no views are compared."""
        drawn = any(node.drawing_order for node in self._tree.nodes)
        return drawn or self._has_compose or any(self._signs) or bool(self._scrims)

    def is_over(self, one: int, other: int) -> bool | None:
        """Whether `one` is drawn over `other`, neither being inside the other; None if unknown."""
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
            has = self._has(above, sign, other)
            if has != self._has(below, sign, one):
                return has
        if self._scrims and self._is_whole(above) and self._is_whole(below):
            # Views at the same place are listed in order of addition. The content of a window may
            # take every touch, too, to close the keyboard.
            later, earlier = max(above, below), min(above, below)
            if self._has(later, self._scrims) and not self._has(earlier, self._scrims):
                return later == above
        return None

    def dialogs_in(self, number: int) -> Iterable[Bounds]:
        """Yield the places of the dialogs inside a view: they take touches beside their content."""
        for at in self.dialogs:
            shown = self._tree.shown[at]
            if shown is not None and self._tree.is_inside(at, number):
                yield shown

    def _has(self, branch: int, sign: list[int], other: int | None = None) -> bool:
        """Whether a branch contains a sign that decides about `other`: signs in a page do not
        affect views beside the page."""
        end = self._tree.ends[branch]
        return any(
            other is None or (page := self._pages[at]) < 0 or self._tree.is_inside(other, page)
            for at in sign[bisect_left(sign, branch) : bisect_left(sign, end)]
        )

    @cached_property
    def _pages(self) -> list[int]:
        """Return the web page around each node; -1 outside pages."""
        pages: list[int] = []
        for parent in self._tree.parents:
            is_page = parent >= 0 and self._tree.classes[parent].is_web
            pages.append(parent if is_page or parent < 0 else pages[parent])
        return pages

    def _shows_something(self, number: int) -> bool:
        nodes, shown = self._tree.nodes, self._tree.shown
        return shown[number] is not None and any(
            shown[at] is not None
            and (nodes[at].text or nodes[at].description or nodes[at].flags & _TAKES)
            for at in range(number + 1, self._tree.ends[number])
        )

    def _is_whole(self, number: int) -> bool:
        part, whole = self._tree.shown[number], self._tree.shown[0]
        return (
            part is not None
            and whole is not None
            and part.right - part.left >= WHOLE * (whole.right - whole.left)
            and part.bottom - part.top >= WHOLE * (whole.bottom - whole.top)
        )

    def _apart(self, one: int, other: int) -> int:
        """Return the outermost node that contains `one` but not `other`."""
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
