"""Clicks by id: on the element, or on the ancestor that takes a finger at its place."""

import pytest

from handheld.driver import Target
from handheld.errors import ElementNotFound
from handheld.phone.input.clicking import NotTaken, click
from handheld.phone.screen.elements import Elements
from handheld.screen.model import Flag, Node
from harness.manual_clock import ManualClock

from .world import SHOWN, World, root, view


class Racing(World):
    """Rebinds the text of a row after the screen was read, before the action arrives."""

    async def act(self, target: Target, action: str) -> None:
        self.view("text").text = "Delete everything"
        await super().act(target, action)


def line(text: str = "Wi-Fi", flags: int = SHOWN) -> list[Node]:
    bare = view("line", class_name="android.widget.LinearLayout")
    return [bare, view("text", 2, class_name="android.widget.TextView", text=text, flags=flags)]


async def issue(world: World, key: str) -> tuple[Elements, str]:
    elements = Elements(world, ManualClock())
    snapshot = elements.mark(await world.read_screen())
    elements.remember(snapshot, snapshot.places())
    place = snapshot.keyed(key)
    assert place is not None
    world.reads = 0
    return elements, snapshot.id(place)


async def test_a_click_on_a_text_reads_the_screen_once_and_clicks_its_row() -> None:
    world = World(root(), *line())
    elements, name = await issue(world, "text")
    outer = await click(elements, name, "click", Flag.CLICKABLE)
    assert outer is not None
    assert (outer.node.key, world.done, world.reads) == ("line", [("line", None, "click")], 1)


async def test_a_click_on_what_was_listed_as_clickable_reads_nothing() -> None:
    world = World(root(), *line())
    elements, name = await issue(world, "line")
    assert await click(elements, name, "click", Flag.CLICKABLE) is None
    assert (world.done, world.reads) == ([("line", None, "click")], 0)


async def test_a_text_that_has_become_clickable_is_clicked_itself() -> None:
    world = World(root(), *line())
    elements, name = await issue(world, "text")
    world.view("text").flags |= Flag.CLICKABLE
    assert await click(elements, name, "click", Flag.CLICKABLE) is None
    assert world.done == [("text", "Wi-Fi", "click")]


async def test_an_element_that_is_no_longer_clickable_leaves_it_to_its_row() -> None:
    world = World(root(), *line(flags=SHOWN | Flag.CLICKABLE))
    elements, name = await issue(world, "text")
    world.view("text").flags = int(SHOWN)
    outer = await click(elements, name, "click", Flag.CLICKABLE)
    assert outer is not None
    assert world.done == [("line", None, "click")]


async def test_a_row_whose_text_changes_before_the_click_arrives_is_not_clicked() -> None:
    world = Racing(root(), *line())
    elements, name = await issue(world, "text")
    with pytest.raises(ElementNotFound, match="it has changed since it was listed"):
        await click(elements, name, "click", Flag.CLICKABLE)
    assert world.done == []


async def test_a_text_whose_centre_is_off_the_screen_has_no_row_to_click() -> None:
    world = World(root(), *line())
    for node in world.nodes:
        node.bounds = node.bounds._replace(top=5000, bottom=5050)
    elements, name = await issue(world, "text")
    with pytest.raises(NotTaken) as caught:
        await click(elements, name, "click", Flag.CLICKABLE)
    assert caught.value.around is not None
    assert world.done == []


async def test_the_nearest_ancestor_with_the_flag_is_meant_and_a_sibling_never() -> None:
    near = view("near", 2, class_name="android.widget.LinearLayout")
    text = view("text", 3, 1, class_name="android.widget.TextView", text="Text", flags=SHOWN)
    beside = view("beside", 3, 0, text="Beside", top=1000)
    world = World(root(), view("far"), near, beside, text)
    elements, name = await issue(world, "text")
    outer = await click(elements, name, "click", Flag.CLICKABLE)
    assert outer is not None
    assert world.done == [("near", None, "click")]
    with pytest.raises(NotTaken) as caught:
        await click(elements, name, "long_click", Flag.LONG_CLICKABLE)
    assert caught.value.around is None
