"""Layers of a window that lie under others: pages of an app that are drawn over one another."""

from bisect import bisect_left

from ..model import Bounds
from .items import Item
from .tree import Tree, intersect

FULL = 0.8
"""A layer takes this share of its parent, and of the screen half of that."""
MOST_LAYERS = 8
MOST_STACKS = 32
"""Places with layers that are compared, from the root on."""
MOST_COMPARED = 50
"""Things of a layer that are compared with those of another."""
SHARE = 0.3
"""A layer is behind another one if this share of its things lies under the other's."""


def find_behind(tree: Tree, items: list[Item], area: Bounds) -> list[int]:
    """Return the positions of the layers that lie behind their siblings."""
    by_number = sorted(items, key=lambda item: item.number)
    numbers = [item.number for item in by_number]
    behind: list[int] = []
    stacks = 0

    def inside(number: int) -> list[Item]:
        first, last = bisect_left(numbers, number), bisect_left(numbers, tree.ends[number])
        return by_number[first : min(last, first + MOST_COMPARED)]

    least = FULL / 2 * _size(area)
    for parent, shown in enumerate(tree.shown):
        if shown is None or _size(shown) < least:
            continue
        layers = [
            child
            for child in tree.children(parent)[: MOST_LAYERS * 4]
            if (part := tree.shown[child]) is not None and _size(part) >= FULL * _size(shown)
        ]
        if len(layers) < 2:
            continue
        layers = sorted(layers, key=lambda child: (tree.nodes[child].drawing_order, child))
        contents = [(child, inside(child)) for child in layers[-MOST_LAYERS:]]
        contents = [(child, content) for child, content in contents if content]
        stacks += len(contents) > 1
        if stacks > MOST_STACKS:
            break
        for at, (child, content) in enumerate(contents):
            above = [item for _, other in contents[at + 1 :] for item in other][:MOST_COMPARED]
            under = sum(_is_under(item, above) for item in content)
            if above and under >= SHARE * len(content):
                behind.append(child)
    return behind


def _is_under(item: Item, above: list[Item]) -> bool:
    return any(intersect(item.bounds, other.bounds) is not None for other in above)


def _size(box: Bounds) -> int:
    left, top, right, bottom = box
    return (right - left) * (bottom - top)
