"""Scrolling to an element, where a virtual phone cannot be arranged to show it."""

from dataclasses import replace

import pytest

from handheld.driver import NotActionable, Refused, Target, TargetMissing
from handheld.errors import ActionFailed, ElementNotFound
from handheld.phone import Elements
from handheld.phone.scrolling import scroll_to
from handheld.ui.model import Bounds, Flag, Node, Screen

from .world import LIST, SHOWN, World, root, view

ROWS = LIST | Flag.COLLECTION


class Pages(World):
    """A list that shows one page after another, and what was asked of it."""

    def __init__(self, *pages: list[Node], container: str = "root") -> None:
        super().__init__(*pages[0])
        self.pages = pages
        self.page = self.seq = 0
        self.container = container
        self.asked: list[str] = []
        self.problem: Exception | None = None
        self.backwards = False
        """Forward leads to the page before, as sideways in Arabic."""
        self.stuck = False
        """Takes every scroll and does not move."""

    def show(self, page: int) -> None:
        self.page, self.nodes = page, list(self.pages[page])
        self.seq += 1

    async def read_screen(self) -> Screen:
        return replace(await super().read_screen(), seq=self.seq)

    async def changed(self, after: int, within_ms: int) -> int:
        return self.seq

    async def act(self, target: Target, action: str) -> None:
        if self.problem is not None:
            raise self.problem
        assert target.key == self.container
        self.asked.append(action.removeprefix("scroll_"))
        page = self.page + (1 if (action == "scroll_forward") != self.backwards else -1)
        if self.stuck:
            return
        if not 0 <= page < len(self.pages):
            raise Refused("The view did not accept it.")
        self.show(page)


def at(bounds: tuple[int, int, int, int], key: str = "a", flags: int = 0, depth: int = 1) -> Node:
    made = view(key, depth, text=key, flags=flags or Flag.ENABLED)
    made.bounds = Bounds(*bounds)
    return made


HERE = at((10, 10, 90, 40), flags=SHOWN)
BELOW, LEFT = at((0, 900, 100, 950)), at((-200, 10, -100, 40))
EMPTY = at((0, 0, 0, 0))


async def listed(world: Pages) -> tuple[Elements, dict[str, str]]:
    """Ids of what the first page shows, all of them printed."""
    elements = Elements(world)
    marked = await elements.read()
    elements.remember(marked, marked.places())
    return elements, {marked.node(place).key: marked.id(place) for place in marked.places()}


async def test_sideways_the_other_direction_is_tried_too() -> None:
    """In a script that runs to the left, what lies to the left comes after."""
    world = Pages([root(LIST), HERE], [root(LIST), LEFT])
    world.backwards = True
    elements, ids = await listed(world)
    world.show(1)
    assert await scroll_to(elements, world, ids["a"]) == 1
    assert world.asked == ["backward", "forward"]


async def test_what_lies_below_is_not_looked_for_above() -> None:
    world = Pages([root(LIST), BELOW])
    elements, ids = await listed(world)
    with pytest.raises(ActionFailed) as caught:
        await scroll_to(elements, world, ids["a"])
    assert caught.value.message == (
        f"Scroll failed on ancestor '{ids['root']}': The view did not accept it."
    )
    assert world.asked == ["forward"]


async def test_without_a_hint_forward_comes_first_and_the_end_turns() -> None:
    world = Pages([root(LIST), HERE], [root(LIST), EMPTY])
    elements, ids = await listed(world)
    world.show(1)
    assert await scroll_to(elements, world, ids["a"]) == 1
    assert world.asked == ["forward", "backward"]


async def test_a_list_that_says_yes_and_stays_is_at_its_end() -> None:
    world = Pages([root(LIST), EMPTY])
    world.stuck = True
    elements, ids = await listed(world)
    with pytest.raises(ActionFailed) as caught:
        await scroll_to(elements, world, ids["a"])
    assert caught.value.message == (
        f"Scroll failed on ancestor '{ids['root']}': it does not scroll to the element."
    )
    assert world.asked == ["forward", "backward"]


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (TargetMissing(gone=True), "it is gone."),
        (TargetMissing(gone=False), "it has changed meanwhile."),
        (NotActionable("scroll_forward"), "it does not scroll any more."),
    ],
)
async def test_a_container_that_is_no_more_is_named(problem: Exception, why: str) -> None:
    world = Pages([root(LIST), BELOW])
    elements, ids = await listed(world)
    world.problem = problem
    with pytest.raises(ActionFailed) as caught:
        await scroll_to(elements, world, ids["a"])
    assert caught.value.message == f"Scroll failed on ancestor '{ids['root']}': {why}"


async def test_a_failure_that_leaves_a_doubt_is_not_taken_for_an_end() -> None:
    world = Pages([root(LIST), EMPTY])
    elements, ids = await listed(world)
    world.problem = ActionFailed("The connection was lost. It may or may not have happened.")
    with pytest.raises(ActionFailed, match="may or may not have happened"):
        await scroll_to(elements, world, ids["a"])


async def test_what_is_in_a_list_that_is_itself_scrolled_away_needs_the_outer_one() -> None:
    inner = at((0, 900, 100, 1400), "inner", Flag.SCROLLABLE)
    child = at((0, 900, 100, 950), "a", depth=2)
    shown = at((0, 0, 100, 50), "a", SHOWN, depth=2)
    world = Pages(
        [root(LIST), inner, child],
        [root(LIST), at((0, 0, 100, 50), "inner", LIST), shown],
    )
    elements, ids = await listed(world)
    assert await scroll_to(elements, world, ids["a"]) == 1
    assert world.asked == ["forward"]


async def test_a_list_that_was_made_anew_is_known_by_its_id() -> None:
    def rows(key: str, *more: Node) -> list[Node]:
        made = view(key, 0, resource_id="com.example:id/list", class_name="L", flags=ROWS)
        return [made, *more]

    world = Pages(rows("old", HERE), rows("new", HERE), rows("new"), container="new")
    elements, ids = await listed(world)
    world.show(2)
    assert await scroll_to(elements, world, ids["a"]) == 1
    assert world.asked == ["forward", "backward"]


async def test_a_row_is_not_sought_where_its_list_is_gone() -> None:
    world = Pages([root(ROWS), HERE], [root()])
    elements, ids = await listed(world)
    world.show(1)
    with pytest.raises(ElementNotFound, match="it is gone from the screen"):
        await scroll_to(elements, world, ids["a"])
    assert world.asked == []


async def test_among_rows_that_look_alike_none_is_scrolled_to() -> None:
    twins = [at((0, top, 100, top + 50), f"b{top}") for top in (900, 1000)]
    for twin in twins:
        twin.text = "a"
    world = Pages([root(ROWS), HERE], [root(ROWS), *twins])
    elements, ids = await listed(world)
    world.show(1)
    with pytest.raises(ElementNotFound, match="2 elements look the same"):
        await scroll_to(elements, world, ids["a"])
    assert world.asked == []


async def test_a_row_that_was_scrolled_to_is_acted_on_at_once() -> None:
    again = at((10, 10, 90, 40), "b", SHOWN)
    again.text = "a"
    world = Pages([root(ROWS), HERE], [root(ROWS)], [root(ROWS), again])
    elements, ids = await listed(world)
    world.show(1)
    assert await scroll_to(elements, world, ids["a"]) == 1
    handle = elements.look_up(ids["a"]).handle
    assert handle is not None
    assert handle.node.key == "b"
