"""Progress bars of loading web pages."""

from .kinds import kind_of_range
from .tree import Tree

_WIDE = 0.9
"""The minimum share of the page's width."""


def is_page_bar(tree: Tree, number: int) -> bool:
    """Whether it is an unfinished progress bar along a web page and outside it, which means that
    the page is loading. Other bars show storage, a film or a level, which need not move."""
    told, bar = tree.details[number], tree.shown[number]
    if told.range is None or bar is None or not told.range.now < told.range.most:
        return False
    if kind_of_range(tree.nodes[number], told) != "progress":
        return False
    page = next((at for at, each in enumerate(tree.classes) if each.is_web and tree.shown[at]), -1)
    if page < 0 or tree.is_inside(number, page):
        return False
    around = tree.shown[page]
    assert around is not None
    return bar.right - bar.left >= _WIDE * (around.right - around.left)
