"""Scrolling to an element, in cases that a virtual phone cannot reproduce."""

from dataclasses import replace

import pytest

from handheld.driver import NotActionable, Seek, Sought, Target, TargetMissing
from handheld.errors import ActionFailed, ElementNotFound
from handheld.phone.screen.elements import Elements
from handheld.phone.screen.scrolling import scroll_to
from handheld.screen.model import Bounds, Flag, Node, Screen

from .world import LIST, SHOWN, World, root, view

ROWS = LIST | Flag.COLLECTION


class Pages(World):
    """A list that shows a page at a time and records the scrolls."""

    def __init__(self, *pages: list[Node], container: str = "root") -> None:
        super().__init__(*pages[0])
        self.pages = pages
        self.page = self.seq = 0
        self.container = container
        self.scrolls: list[str] = []
        self.problem: Exception | None = None
        self.backwards = False
        """Forward leads to the previous page, as sideways in Arabic."""
        self.stuck = False
        """Accepts every scroll but does not move."""

    def show(self, page: int) -> None:
        self.page, self.nodes = page, list(self.pages[page])
        self.seq += 1

    async def read_screen(self) -> Screen:
        return replace(await super().read_screen(), seq=self.seq)

    async def seek(self, target: Target, seek: Seek) -> Sought:
        """One page, whatever is wanted."""
        if self.problem is not None:
            raise self.problem
        assert target.key == self.container
        self.scrolls.append("forward" if seek.forward else "backward")
        page = self.page + (1 if seek.forward != self.backwards else -1)
        if not self.stuck and not 0 <= page < len(self.pages):
            return Sought(scrolls=0, end=True, jumped=False)
        if not self.stuck:
            self.show(page)
        return Sought(scrolls=1, end=False, jumped=False)


def at(bounds: tuple[int, int, int, int], key: str = "a", flags: int = 0, depth: int = 1) -> Node:
    node = view(key, depth, text=key, flags=flags or Flag.ENABLED)
    node.bounds = Bounds(*bounds)
    return node


HERE = at((10, 10, 90, 40), flags=SHOWN)
BELOW, LEFT = at((0, 900, 100, 950)), at((-200, 10, -100, 40))
EMPTY = at((0, 0, 0, 0))


async def listed(world: Pages) -> tuple[Elements, dict[str, str]]:
    """Return the ids of the first page, all of them issued."""
    elements = Elements(world)
    snapshot = await elements.read()
    elements.remember(snapshot, snapshot.places())
    return elements, {snapshot.node(place).key: snapshot.id(place) for place in snapshot.places()}


async def test_sideways_the_other_direction_is_tried_too() -> None:
    """In a right-to-left script, elements on the left come after."""
    world = Pages([root(LIST), HERE], [root(LIST), LEFT])
    world.backwards = True
    elements, ids = await listed(world)
    world.show(1)
    assert await scroll_to(elements, ids["a"]) == 1
    assert world.scrolls == ["backward", "forward"]


async def test_an_element_below_is_not_searched_above() -> None:
    world = Pages([root(LIST), BELOW])
    elements, ids = await listed(world)
    with pytest.raises(ActionFailed) as caught:
        await scroll_to(elements, ids["a"])
    assert caught.value.message == (
        f"Scroll failed on ancestor '{ids['root']}': it does not scroll to the element."
    )
    assert world.scrolls == ["forward"]


async def test_without_a_hint_forward_is_tried_first_and_then_backward() -> None:
    world = Pages([root(LIST), HERE], [root(LIST), EMPTY])
    elements, ids = await listed(world)
    world.show(1)
    assert await scroll_to(elements, ids["a"]) == 1
    assert world.scrolls == ["forward", "backward"]


async def test_a_list_that_accepts_a_scroll_without_moving_is_at_its_end() -> None:
    world = Pages([root(LIST), EMPTY])
    world.stuck = True
    elements, ids = await listed(world)
    with pytest.raises(ActionFailed) as caught:
        await scroll_to(elements, ids["a"])
    assert caught.value.message == (
        f"Scroll failed on ancestor '{ids['root']}': it does not scroll to the element."
    )
    assert world.scrolls == ["forward", "backward"]


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (TargetMissing(gone=True), "it is gone."),
        (TargetMissing(gone=False), "it has changed in the meantime."),
        (NotActionable("scroll_forward"), "it no longer scrolls."),
    ],
)
async def test_a_missing_container_is_reported(problem: Exception, why: str) -> None:
    world = Pages([root(LIST), BELOW])
    elements, ids = await listed(world)
    world.problem = problem
    with pytest.raises(ActionFailed) as caught:
        await scroll_to(elements, ids["a"])
    assert caught.value.message == f"Scroll failed on ancestor '{ids['root']}': {why}"


async def test_an_uncertain_failure_is_not_mistaken_for_the_end() -> None:
    world = Pages([root(LIST), EMPTY])
    elements, ids = await listed(world)
    world.problem = ActionFailed("The connection was lost. It may or may not have happened.")
    with pytest.raises(ActionFailed, match="may or may not have happened"):
        await scroll_to(elements, ids["a"])


async def test_a_list_that_is_off_the_screen_is_scrolled_by_its_outer_list() -> None:
    inner = at((0, 900, 100, 1400), "inner", Flag.SCROLLABLE)
    child = at((0, 900, 100, 950), "a", depth=2)
    shown = at((0, 0, 100, 50), "a", SHOWN, depth=2)
    world = Pages(
        [root(LIST), inner, child],
        [root(LIST), at((0, 0, 100, 50), "inner", LIST), shown],
    )
    elements, ids = await listed(world)
    assert await scroll_to(elements, ids["a"]) == 1
    assert world.scrolls == ["forward"]


async def test_a_recreated_list_is_found_by_its_resource_id() -> None:
    def rows(key: str, *more: Node) -> list[Node]:
        container = view(key, 0, resource_id="com.example:id/list", class_name="L", flags=ROWS)
        return [container, *more]

    world = Pages(rows("old", HERE), rows("new", HERE), rows("new"), container="new")
    elements, ids = await listed(world)
    world.show(2)
    assert await scroll_to(elements, ids["a"]) == 1
    assert world.scrolls == ["forward", "backward"]


async def test_a_row_is_not_searched_without_its_list() -> None:
    world = Pages([root(ROWS), HERE], [root()])
    elements, ids = await listed(world)
    world.show(1)
    with pytest.raises(ElementNotFound, match="it is gone from the screen"):
        await scroll_to(elements, ids["a"])
    assert world.scrolls == []


async def test_identical_rows_are_ambiguous() -> None:
    copies = [at((0, top, 100, top + 50), f"b{top}") for top in (900, 1000)]
    for copy in copies:
        copy.text = "a"
    world = Pages([root(ROWS), HERE], [root(ROWS), *copies])
    elements, ids = await listed(world)
    world.show(1)
    with pytest.raises(ElementNotFound, match="2 elements look the same"):
        await scroll_to(elements, ids["a"])
    assert world.scrolls == []


async def test_a_row_that_was_scrolled_to_is_known_by_its_new_key() -> None:
    again = at((10, 10, 90, 40), "b", SHOWN)
    again.text = "a"
    world = Pages([root(ROWS), HERE], [root(ROWS)], [root(ROWS), again])
    elements, ids = await listed(world)
    world.show(1)
    assert await scroll_to(elements, ids["a"]) == 1
    ref = elements.look_up(ids["a"]).ref
    assert ref is not None
    assert ref.node.key == "b"
