"""The visible part of a list, according to the list itself."""

from ..model import Flag
from .tree import Tree

_COLLECTION = Flag.COLLECTION.value
_MORE = {
    Flag.SCROLLS_UP.value: "more above",
    Flag.SCROLLS_DOWN.value: "more below",
    Flag.SCROLLS_LEFT.value: "more left",
    Flag.SCROLLS_RIGHT.value: "more right",
}
_DIRECTED = sum(_MORE)
_FORWARD, _BACKWARD = Flag.SCROLLS_FORWARD.value, Flag.SCROLLS_BACKWARD.value


def items_by_list(tree: Tree) -> dict[int, list[tuple[int, int]]]:
    """Return the rows and columns of the visible items of each list, by the position of the
    list."""
    found: dict[int, list[tuple[int, int]]] = {}
    if not tree.items:
        return found
    around = [-1] * len(tree.nodes)
    for number, parent in enumerate(tree.parents):
        if parent >= 0:
            inside = tree.nodes[parent].flags & _COLLECTION
            around[number] = parent if inside else around[parent]
        place = tree.items.get(number)
        if place is not None and around[number] >= 0 and tree.shown[number] is not None:
            found.setdefault(around[number], []).append(place)
    return found


def print_extent(tree: Tree, number: int, word: str, items: list[tuple[int, int]]) -> str:
    """Return the text after the name of a block: `, 13–24 of 200, more above, more below`."""
    more = _more(tree.nodes[number].flags, word)
    return "".join(
        f", {part}" for part in (_numbers(tree, number, word, items, more), *more) if part
    )


def _more(flags: int, word: str) -> list[str]:
    if flags & _DIRECTED:
        return [words for flag, words in _MORE.items() if flags & flag]
    # A list that scrolls sideways may have its end on either side.
    before, after = ("before", "after") if word in ("strip", "pages") else ("above", "below")
    ways = ((_BACKWARD, before), (_FORWARD, after))
    return [f"more {way}" for flag, way in ways if flags & flag]


def _numbers(
    tree: Tree, number: int, word: str, items: list[tuple[int, int]], more: list[str]
) -> str:
    details = tree.details.get(number)
    counts = (details.rows if details is not None else None) or (-1, -1)
    across = word == "strip" or (counts[0] == 1 and counts[1] > 1)
    along, other = (1, 0) if across else (0, 1)
    places = [place[along] + 1 for place in items if place[along] >= 0]
    if not places:
        return ""
    first, last, count = min(places), max(places), counts[along]
    known = count >= last
    if (first == 1 and last == count) or not (known or more):
        return ""
    shown = f"{first}–{last}" if last > first else str(first)
    line = ("column" if across else "row") + "s" * (last > first)
    return " ".join([*([line] * (counts[other] > 1)), shown, *([f"of {count}"] * known)])
