"""Every screen of crawled apps is printed whole, and what the crawler touched can be named."""

from collections import Counter
from statistics import median
from typing import cast

import pytest
from bench.economy import checks, facts, printed

from handheld.cli.cost import estimate
from handheld.driver import ElementDriver
from handheld.errors import ElementNotFound
from handheld.phone.screen.elements import Elements
from handheld.phone.screen.screen_log import ScreenLog, ShownScreen
from handheld.screen.model import Bounds, Flag, Screen
from handheld.screen.rows.tree import Tree, tree_of
from handheld.screen.rows.words import unescape
from handheld.tools.agent.elements.targets import NotVisible, find_target

from . import graphs

_TAKES = Flag.CLICKABLE | Flag.LONG_CLICKABLE | Flag.EDITABLE | Flag.CHECKABLE
MEDIAN_TOKENS = 180
MOST_ASKED, MOST_UNNAMED = 135, 400


@pytest.mark.parametrize("name", graphs.names())
def test_nothing_on_a_crawled_screen_is_lost_or_out_of_order(name: str) -> None:
    for state, capture in graphs.read(name).screens.items():
        shown = capture.print()
        found = checks.check(facts.read(capture.xml), printed.read(shown.text), shown.places)
        lost = [*found.lost_texts, *found.lost_targets, *found.lost_states, *found.leaked]
        assert lost + found.disordered == [], f"{state}\n{shown.text}"


def test_the_crawled_screens_are_small() -> None:
    sizes = [
        estimate(capture.print().text)
        for name in graphs.names()
        for capture in graphs.read(name).screens.values()
    ]
    assert len(sizes) == 889
    assert median(sizes) <= MEDIAN_TOKENS


def test_what_was_touched_can_be_named_and_its_words_mean_nothing_else() -> None:
    named: Counter[str] = Counter()
    meant: Counter[str] = Counter()
    for name in graphs.names():
        graph = graphs.read(name)
        named["no such view"] += graph.nowhere
        screens: dict[str, _Named] = {}
        for touch in graph.touches:
            if touch.state not in screens:
                screens[touch.state] = _Named(graph.screens[touch.state].screen)
            screen = screens[touch.state]
            # Each of these touches reached what it was for, as far as the states tell.
            assert not screen.is_covered(touch.position), f"{name} {touch}"
            how = screen.how_named(touch.position)
            assert how, f"{name} {touch}\n{screen.shown.rows.text}"
            named[how] += 1
            meaning = screen.meaning(touch.position)
            assert meaning, f"{name} {touch}\n{screen.shown.rows.text}"
            meant[meaning] += 1
    assert named.total() == 3967
    assert named["no such view"] == 11
    unnamed = named.total() - sum(named[how] for how in ("own ref", "row's ref", "own words"))
    assert unnamed <= MOST_UNNAMED, named
    assert meant["asked"] <= MOST_ASKED, meant


class _Named:
    def __init__(self, screen: Screen) -> None:
        self._log = ScreenLog()
        # Nothing is asked of the phone.
        self.shown: ShownScreen = self._log.show(Elements(cast("ElementDriver", None)), screen)
        area = Bounds(0, 0, screen.width, screen.height)
        self._tree: Tree = tree_of(screen.windows[0], area)

    def how_named(self, position: int) -> str:
        """Return how a view can be named, or why it cannot; empty where it should be."""
        tree = self._tree
        things = [thing for _, thing in self.shown.rows.things]
        refs = {thing.place[1] for thing in things if thing.ref}
        if position in refs or any(row.scroller == (0, position) for row in self.shown.rows.rows):
            return "own ref"
        if any(tree.is_inside(position, ref) for ref in refs):
            return "row's ref"
        if any(thing.place[1] == position for thing in things):
            return "own words"
        node = tree.nodes[position]
        if tree.shown[position] is None:
            return "not visible"
        if any(tree.is_inside(thing.place[1], position) for thing in things):
            return "around others"
        inert = not node.flags & _TAKES and not node.text and not node.description
        return "says nothing and takes no touch" if inert else ""

    def is_covered(self, position: int) -> bool:
        return any(
            thing.place[1] == position and "covered" in thing.item.states
            for _, thing in self.shown.rows.things
        )

    def meaning(self, position: int) -> str:
        """Return what its own words mean; empty for another view."""
        words = self._words(position)
        if not words:
            return "no words"
        try:
            found = find_target(self._log, self.shown, words)
        except NotVisible:
            return "not there"
        except ElementNotFound:
            return "asked"
        if found.point is not None:
            return "a point"
        assert found.thing is not None
        same = self._taker(found.thing.place[1]) == self._taker(position)
        return "itself" if same else ""

    def _words(self, position: int) -> str:
        node = self._tree.nodes[position]
        if node.text or node.description:
            return node.text or node.description or ""
        for _, thing in self.shown.rows.things:
            if thing.place[1] == position:
                pieces = [unescape(piece) for piece in thing.item.pieces]
                return " ".join(pieces) or thing.item.fallback
        return ""

    def _taker(self, position: int) -> int:
        """Return what takes a touch on a view: the view, or the nearest one around it that does."""
        around = position
        while around >= 0:
            if self._tree.nodes[around].flags & _TAKES:
                return around
            around = self._tree.parents[around]
        return position
