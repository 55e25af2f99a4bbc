"""The words of a thing that consists of several views."""

from ..model import Bounds
from .tree import Tree, reading_order
from .words import fold, holds, words_of


def pieces_of(tree: Tree, own: list[int]) -> list[str]:
    """Return the words of several nodes in reading order, without repetitions."""
    nodes, shown = tree.nodes, tree.shown
    if len(own) == 1:
        node = nodes[own[0]]
        return words_of(node.text, node.description)
    texts: list[tuple[Bounds, str]] = []
    numbers: list[int] = []
    for number in own:
        bounds = shown[number]
        assert bounds is not None
        for piece in words_of(nodes[number].text, nodes[number].description):
            texts.append((bounds, piece))
            numbers.append(number)
    folded = [fold(piece) for _, piece in texts]
    repeated = [
        at
        for at, words in enumerate(folded)
        for earlier, other in enumerate(folded)
        if words in other
        and earlier != at
        and (len(words) < len(other) or earlier < at)
        and holds(other, words)
        and _is_same_thing(tree, numbers[at], numbers[earlier])
    ]
    if repeated:
        texts = [text for at, text in enumerate(texts) if at not in repeated]
    return reading_order(texts)


def _is_same_thing(tree: Tree, one: int, other: int) -> bool:
    """Whether the words of one may repeat the other's: they are nested, at the same place, or an
    icon beside the same text."""
    if tree.is_inside(one, other) or tree.is_inside(other, one):
        return True
    if tree.nodes[one].bounds == tree.nodes[other].bounds:
        return True
    return _is_icon(tree, one) != _is_icon(tree, other)


def _is_icon(tree: Tree, number: int) -> bool:
    return tree.classes[number].is_image and not tree.nodes[number].text
