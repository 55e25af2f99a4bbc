"""Layers of a window that lie under others: pages of an app that are drawn over one another."""

from bisect import bisect_left
from typing import TYPE_CHECKING

from ..model import Bounds
from .items import Item
from .tree import Tree, intersect

if TYPE_CHECKING:
    from .stacking import Stacking

FULL = 0.8
"""A layer takes this share of its parent, and of the screen half of that."""
MOST_LAYERS = 8
MOST_STACKS = 32
"""The most places with layers that are compared, from the root on."""
MOST_COMPARED = 50
"""The most things of a layer that are compared with another layer's."""
SHARE = 0.3
"""A layer is behind another if this share of its things lies under the other's."""


def find_behind(tree: Tree, items: list[Item], area: Bounds, stacking: "Stacking") -> list[int]:
    """Return the positions of the layers that lie behind their siblings."""
    by_number = sorted(items, key=lambda item: item.number)
    numbers = [item.number for item in by_number]
    behind: list[int] = []
    stacks = 0

    def inside(number: int) -> list[Item]:
        first, last = bisect_left(numbers, number), bisect_left(numbers, tree.ends[number])
        return by_number[first : min(last, first + MOST_COMPARED)]

    def takers(number: int) -> list[Bounds]:
        return [item.bounds for item in inside(number)] + list(stacking.dialogs_in(number))

    least = FULL / 2 * _size(area)
    for parent, shown in enumerate(tree.shown):
        if shown is None or _size(shown) < least:
            continue
        children = tree.children(parent)[: MOST_LAYERS * 4]
        layers = [
            child
            for child in children
            if (part := tree.shown[child]) is not None and _size(part) >= FULL * _size(shown)
        ]
        over = [child for child in children if child in layers or any(stacking.dialogs_in(child))]
        if not layers or len(over) < 2:
            continue
        contents = [(child, content) for child in layers if (content := inside(child))]
        stacks += bool(contents)
        if stacks > MOST_STACKS:
            break
        for child, content in contents[-MOST_LAYERS:]:
            above = [
                box
                for other in over[-MOST_LAYERS:]
                if other != child and stacking.is_over(other, child)
                for box in takers(other)
            ][:MOST_COMPARED]
            under = sum(_is_under(item, above) for item in content)
            if above and under >= SHARE * len(content):
                behind.append(child)
    return behind


def _is_under(item: Item, above: list[Bounds]) -> bool:
    return any(intersect(item.bounds, box) is not None for box in above)


def _size(box: Bounds) -> int:
    left, top, right, bottom = box
    return (right - left) * (bottom - top)
