"""The floating toolbar of a text field after a long press."""

import pytest

from handheld.screen.model import Window
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.input.touch import LONG_PRESS_MS
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.widgets.field import Field, word_at
from handheld_virtual.world import World

from .finger import Finger, centre

FORM = "dev.handheld.form"
TITLE = "Pop-Up Window"


class Hand(Finger):
    def __init__(self, world: World, clock: ManualClock) -> None:
        super().__init__(world)
        self._clock = clock

    async def hold(self, x: float, y: float) -> None:
        self.world.touch("down", 0, x, y)
        await self._clock.advance(LONG_PRESS_MS)
        self.world.touch("up", 0, x, y)

    async def hold_word(self, field: Field, along_dp: float) -> None:
        """Press long at this distance from the beginning of the text."""
        self.nodes()  # lays it out
        dp = self.world.density / 160
        left, top, _, bottom = field.inner(dp)
        await self.hold(left + along_dp * dp, (top + bottom) / 2)

    @property
    def toolbar(self) -> Window | None:
        windows = self.world.automation.read_windows()
        return next((window for window in windows if window.title == TITLE), None)

    @property
    def offered(self) -> list[str | None]:
        toolbar = self.toolbar
        if toolbar is None:
            return []
        return [node.description for node in toolbar.nodes if node.description]


@pytest.fixture
def hand(world: World, clock: ManualClock) -> Hand:
    world.show(FORM)
    return Hand(world, clock)


def field_of(world: World, name: str) -> Field:
    assert isinstance(world.front, ContactForm)
    return world.front.fields[name]


async def test_a_long_press_on_an_empty_field_offers_paste(hand: Hand, world: World) -> None:
    await hand.hold(*centre(hand.find("name")))
    assert hand.toolbar is None  # there is nothing to paste or select
    world.clipboard.copy("Ada")
    await hand.hold(*centre(hand.find("name")))
    assert hand.offered == ["Paste"]
    toolbar = hand.toolbar
    assert toolbar is not None
    assert (toolbar.type, toolbar.package, toolbar.focused) == ("APPLICATION", FORM, False)
    hand.tap("Paste")
    assert (field_of(world, "name").content, hand.offered) == ("Ada", [])


async def test_a_long_press_behind_the_text_offers_paste_and_select_all(
    hand: Hand, world: World
) -> None:
    field = field_of(world, "name")
    field.content = "Ada King"
    world.clipboard.copy("!")
    _, top, right, bottom = hand.find("name").bounds
    await hand.hold(right - 30, (top + bottom) / 2)
    assert (hand.offered, field.focused) == (["Paste", "Select all"], True)
    hand.tap("Select all")
    assert (field.editing.selection, hand.offered) == ((0, 8), ["Cut", "Copy", "Paste"])
    hand.tap("Cut")
    assert (field.content, world.clipboard.paste(), hand.offered) == ("", "Ada King", [])


async def test_a_long_press_on_a_word_selects_it_and_offers_cut_and_copy(
    hand: Hand, world: World
) -> None:
    field = field_of(world, "name")
    field.content = "Ada King"
    await hand.hold_word(field, 45)
    assert field.editing.selection == (4, 8)
    assert hand.offered == ["Cut", "Copy", "Select all"]
    hand.tap("Copy")
    assert (world.clipboard.paste(), field.content) == ("King", "Ada King")
    assert (field.editing.selection, hand.offered) == ((8, 8), [])


def test_a_range_selected_by_a_service_opens_the_toolbar_and_a_long_click_closes_it(
    hand: Hand, world: World
) -> None:
    field = field_of(world, "name")
    field.content = "Ada King"
    key = hand.find("name").key
    assert world.automation.set_selection(key, 1, 3)
    assert (hand.offered, field.focused) == (["Cut", "Copy", "Select all"], True)
    assert world.automation.perform(key, "long_click")
    assert (hand.offered, field.editing.selection) == ([], (3, 3))


def test_a_long_click_by_a_service_moves_neither_cursor_nor_focus(hand: Hand, world: World) -> None:
    field = field_of(world, "name")
    field.content = "Ada King"
    world.clipboard.copy("!")
    key = hand.find("name").key
    for offered in (["Paste", "Select all"], [], ["Paste", "Select all"]):
        assert world.automation.perform(key, "long_click")
        assert (hand.offered, field.focused, field.editing.selection) == (offered, False, (0, 0))
    hand.tap("Paste")
    assert (field.content, hand.offered) == ("!Ada King", [])


async def test_a_password_is_neither_cut_nor_copied(hand: Hand, world: World) -> None:
    field = field_of(world, "password")
    field.content = "secret"
    await hand.hold_word(field, 10)
    assert hand.offered == []
    world.clipboard.copy("x")
    await hand.hold_word(field, 10)
    assert hand.offered == ["Paste"]


async def test_the_toolbar_closes_with_back_a_key_and_another_focus(
    hand: Hand, world: World
) -> None:
    field = field_of(world, "name")
    field.content = "Ada King"
    for leave in (
        lambda: world.press("back"),
        lambda: world.key(29),
        lambda: field_of(world, "email").take_focus(),
        lambda: world.press("home"),
    ):
        await hand.hold_word(field, 10)
        assert hand.offered
        leave()
        assert hand.offered == []
    world.show(FORM)
    assert hand.offered == []


async def test_a_click_after_a_long_press_leaves_the_cursor_where_it_is(
    hand: Hand, world: World
) -> None:
    field = field_of(world, "name")
    field.content = "Ada King"
    await hand.hold_word(field, 10)
    field.edit(lambda: field.editing.select(8, 8))
    field.click()  # an accessibility action, not a tap
    assert field.editing.selection == (8, 8)


def test_a_word_is_what_lies_around_a_place() -> None:
    text = "two  words"
    assert [word_at(text, index) for index in (0, 2, 3, 4, 5, 10)] == [
        (0, 3), (0, 3), (3, 3), (4, 4), (5, 10), (10, 10)
    ]  # fmt: skip
