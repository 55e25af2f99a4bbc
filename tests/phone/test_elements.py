"""Element identity: which view an id stands for."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver import NotActionable
from handheld.errors import ElementNotFound
from handheld.phone import Elements, IssuedRefs
from handheld.phone import issued_refs as module
from handheld.ui.model import Flag, Node
from manual_clock import ManualClock

from .world import FIELD, LIST, SHOWN, World, root, row, view

AGAIN = "Call get_screen_state again and use an id from its reply."


class Listener:
    """An agent that reads the screen, and a clock of its own."""

    def __init__(self, world: World, printed: IssuedRefs | None = None) -> None:
        self.clock = ManualClock()
        self.world = world
        self.elements = Elements(world, self.clock, printed)

    async def read(self) -> dict[str, str]:
        """The ids by the views' keys, all of them printed."""
        marked = self.elements.mark(await self.world.read_screen())
        places = list(marked.places())
        self.elements.remember(marked, places)
        self.world.reads = 0
        return {marked.node(place).key: marked.id(place) for place in places}

    async def click(self, name: str) -> None:
        await self.elements.act(name, "click")

    async def refusal(self, name: str) -> str:
        before = list(self.world.done)
        with pytest.raises(ElementNotFound) as caught:
            await self.click(name)
        assert self.world.done == before
        return caught.value.message


def listener(*nodes: Node) -> Listener:
    return Listener(World(*nodes))


async def test_an_id_acts_on_what_it_was_listed_for_in_one_call() -> None:
    agent = listener(root(), view("a", text="OK"), view("b", text="Cancel", index=1))
    ids = await agent.read()
    await agent.click(ids["b"])
    assert agent.world.done == [("b", "Cancel", "click")]
    assert agent.world.reads == 0


@pytest.mark.parametrize("form", ["{0}", "node_{1}", "{1}", "NODE_{1}", " {0} "])
async def test_an_id_is_taken_in_every_form(form: str) -> None:
    agent = listener(root(), view("a", text="OK"))
    name = (await agent.read())["a"]
    await agent.click(form.format(name, name.removeprefix("node_").removesuffix("_w1")))
    assert agent.world.done == [("a", "OK", "click")]


async def test_a_view_that_moved_is_followed_by_its_key() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("x"), view("a", text="OK", index=1, top=900)]
    await agent.click(ids["a"])
    assert agent.world.done == [("a", "OK", "click")]
    assert agent.world.reads == 0


async def test_a_view_that_was_made_anew_is_followed_by_its_looks() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("b", text="No"), view("c", text="OK", index=3, top=700)]
    await agent.click(ids["a"])
    await agent.click(ids["a"])
    assert agent.world.done == [("c", "OK", "click")] * 2
    assert agent.world.reads == 1, "the second click knows the new key"


async def test_a_view_that_is_gone_is_said_to_be_gone() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root()]
    assert await agent.refusal(ids["a"]) == (
        f"Element '{ids['a']}' not found: it is gone from the screen. {AGAIN}"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Pay"},
        {"description": "new"},
        {"resource_id": "com.example:id/other"},
        {"class_name": "android.widget.CheckBox"},
    ],
)
async def test_a_view_that_shows_something_else_is_said_to_have_changed(
    change: dict[str, str],
) -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("a", **{"text": "OK", **change})]  # pyright: ignore[reportArgumentType]
    assert await agent.refusal(ids["a"]) == (
        f"Element '{ids['a']}' not found: it has changed since it was listed. {AGAIN}"
    )


async def test_what_was_typed_into_a_field_does_not_change_what_it_is() -> None:
    agent = listener(root(), view("a", text="", resource_id="com.example:id/name", flags=FIELD))
    ids = await agent.read()
    agent.world.view("a").text = "Ada"
    await agent.click(ids["a"])
    assert agent.world.done == [("a", "Ada", "click")]
    assert (await agent.read())["a"] == ids["a"]


async def test_a_recycled_row_is_not_taken_for_the_row_it_was() -> None:
    """The buttons of all rows look alike; their row's title tells them apart."""
    agent = listener(root(LIST), *row(1, "Ann"), *row(2, "Bob"))
    ids = await agent.read()
    # Ann scrolled away, and her views now show Cem at the other end of the list.
    agent.world.nodes = [root(LIST), *row(2, "Bob", position=0), *row(1, "Cem", position=1)]
    assert await agent.refusal(ids["delete1"]) == (
        f"Element '{ids['delete1']}' not found: it has changed since it was listed. {AGAIN}"
    )
    await agent.click(ids["delete2"])
    assert agent.world.done == [("delete2", "Delete", "click")]


async def test_a_row_that_got_other_views_is_followed_to_them() -> None:
    agent = listener(root(LIST), *row(1, "Ann"), *row(2, "Bob"))
    ids = await agent.read()
    agent.world.nodes = [root(LIST), *row(1, "Bob"), *row(2, "Ann")]
    await agent.click(ids["delete1"])
    assert agent.world.done == [("delete2", "Delete", "click")]
    assert agent.world.reads == 1


async def test_a_place_where_another_row_now_is_is_not_clicked() -> None:
    """Same hash, same looks of the button itself, another row."""
    agent = listener(root(LIST), *row(1, "Ann"))
    ids = await agent.read()
    agent.world.nodes = [root(LIST), *row(7, "Bob", position=1)]
    assert "it is gone from the screen" in await agent.refusal(ids["delete1"])


async def test_among_equals_the_one_that_stayed_is_taken() -> None:
    agent = listener(root(), view("a", text="Buy"), view("b", text="Buy", index=1, top=200))
    ids = await agent.read()
    agent.world.nodes = [
        root(),
        view("c", text="Buy"),
        view("d", text="Buy", index=1, top=200),
    ]
    await agent.click(ids["b"])
    assert agent.world.done == [("d", "Buy", "click")]


async def test_among_equals_that_all_moved_none_is_taken() -> None:
    agent = listener(root(), view("a", text="Buy"))
    ids = await agent.read()
    agent.world.nodes = [
        root(),
        view("c", text="Buy", top=90),
        view("d", text="Buy", index=1, top=200),
    ]
    assert await agent.refusal(ids["a"]) == (
        f"Element '{ids['a']}' not found: 2 elements look the same, and none of them is where it"
        f" was listed. {AGAIN}"
    )


async def test_another_view_of_which_only_the_class_is_known_is_not_followed() -> None:
    """A class alone tells nothing apart."""
    agent = listener(root(), view("a", class_name="android.view.View"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("b", class_name="android.view.View")]
    assert "it has changed" in await agent.refusal(ids["a"])
    agent.world.nodes = [root(), view("a", class_name="android.view.View", top=300)]
    await agent.click(ids["a"])
    assert agent.world.done == [("a", None, "click")]


async def test_content_that_took_anothers_place_gets_an_id_of_its_own() -> None:
    agent = listener(root(), view("a", text="Ann"))
    first = (await agent.read())["a"]
    agent.world.view("a").text = "Bob"
    second = (await agent.read())["a"]
    assert second != first
    assert "it has changed" in await agent.refusal(first)
    await agent.click(second)
    agent.world.view("a").text = "Ann"
    assert (await agent.read())["a"] == first
    await agent.click(first)
    assert agent.world.done == [("a", "Bob", "click"), ("a", "Ann", "click")]


async def test_a_hash_is_free_again_after_ten_minutes() -> None:
    agent = listener(root(), view("a", text="Ann"))
    first = (await agent.read())["a"]
    agent.world.view("a").text = "Bob"
    agent.clock.put_forward(599)
    assert (await agent.read())["a"] != first
    agent.clock.put_forward(601)
    agent.world.view("a").text = "Cem"
    assert (await agent.read())["a"] == first


async def test_an_id_never_printed_acts_where_its_hash_leaves_no_doubt() -> None:
    other = listener(root(), view("a", text="OK"))
    name = (await other.read())["a"]
    agent = listener(root(), view("a", text="OK"))
    await agent.click(name)
    assert agent.world.done == [("a", "OK", "click")]
    assert await agent.refusal("node_abc_w1") == (
        f"Element 'node_abc_w1' not found in accessibility tree. {AGAIN}"
    )
    assert "not found in accessibility tree" in await agent.refusal(name.replace("_w1", "_w2"))


async def test_an_id_never_printed_that_two_nodes_have_acts_on_neither() -> None:
    name = (await listener(root(), view("a")).read())["a"]
    agent = listener(root(), view("a"), view("b"))
    assert await agent.refusal(name) == (
        f"Element '{name}' not found: 2 elements have that id. {AGAIN}"
    )


@pytest.mark.parametrize("name", ["OK", "node_", "42x", "\nnote:forged", "x" * 500])
async def test_what_is_no_id_is_refused_with_an_example(name: str) -> None:
    agent = listener(root(), view("a"))
    message = await agent.refusal(name)
    assert "not found: ids look like node_1a2b3c_w42." in message
    assert "\n" not in message
    assert len(message) < 300


async def test_a_restarted_phone_forgets_every_id() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.elements.forget()
    assert await agent.refusal(ids["a"]) == (
        f"Element '{ids['a']}' not found: it was listed too long ago, or before the phone was"
        f" restarted. {AGAIN}"
    )
    assert (await agent.read())["a"] == ids["a"]
    await agent.click(ids["a"])
    assert agent.world.done == [("a", "OK", "click")]


async def test_the_oldest_ids_over_the_limit_act_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HANDLES", 3)
    agent = listener(root(), view("a", text="A"))
    old = (await agent.read())["a"]
    agent.world.nodes = [root(), *(view(f"b{n}", text=f"{n}", index=n, top=n) for n in (1, 2))]
    new = await agent.read()
    agent.world.nodes.append(view("a", text="A"))
    assert "it was listed too long ago" in await agent.refusal(old)
    await agent.click(new["b1"])
    assert agent.world.done == [("b1", "1", "click")]


async def test_a_screen_full_of_novels_does_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WEIGHT", 1000)
    agent = listener(root(), view("a", text="A"))
    old = (await agent.read())["a"]
    agent.world.nodes.append(view("b", text="x" * 970, index=1))
    new = await agent.read()
    assert "it was listed too long ago" in await agent.refusal(old)
    await agent.click(new["b"])
    assert len(agent.world.done) == 1


async def test_an_id_printed_before_the_phone_was_unplugged_is_still_what_it_was() -> None:
    """It is not an id that was never printed."""
    printed = IssuedRefs()
    agent = Listener(World(root(LIST), *row(1, "Ann")), printed)
    ids = await agent.read()
    again = Listener(World(root(LIST), *row(1, "Bob")), printed)
    assert "it has changed" in await again.refusal(ids["delete1"])
    again.world.nodes = [root(LIST), *row(2, "Bob"), *row(3, "Ann")]
    await again.click(ids["delete1"])
    assert again.world.done == [("delete3", "Delete", "click")]


async def test_a_view_that_cannot_be_clicked_is_said_so() -> None:
    agent = listener(root(), view("a", text="A", flags=SHOWN))
    ids = await agent.read()
    with pytest.raises(NotActionable):
        await agent.click(ids["a"])


async def test_the_nearest_element_around_with_a_flag_is_found_and_printed() -> None:
    row = view("row", flags=SHOWN | Flag.LONG_CLICKABLE, resource_id="row")
    agent = listener(
        root(),
        row,
        view("beside", text="Beside", depth=2),
        view("text", text="Text", depth=2, index=1),
    )
    ids = await agent.read()
    assert await agent.elements.enclosing(ids["text"], Flag.LONG_CLICKABLE) == ids["row"]
    assert await agent.elements.enclosing(ids["row"], Flag.LONG_CLICKABLE) is None
    assert await agent.elements.enclosing(ids["text"], Flag.SCROLLABLE) is None
    assert await agent.elements.enclosing("node_abc_w1", Flag.LONG_CLICKABLE) is None


async def test_resolving_tells_where_an_element_is_now() -> None:
    agent = listener(root(), view("a", text="Buy"), view("b", text="Buy", index=1, top=200))
    ids = await agent.read()
    agent.world.nodes = [root(), view("b", text="Buy", index=4, top=600)]
    marked, place = await agent.elements.resolve(ids["b"])
    assert marked.node(place).key == "b"
    assert agent.world.reads == 1


async def test_windows_that_were_renumbered_are_searched_too() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.window = 9
    agent.world.nodes = [root(), view("z", text="OK")]
    await agent.click(ids["a"])
    assert agent.world.done == [("z", "OK", "click")]


async def test_without_keys_an_element_is_known_by_its_place() -> None:
    """The way of plain shell commands, where views have no keys."""
    agent = listener(root(), view("", class_name="android.view.View"))
    name = (await agent.read())[""]
    _, place = await agent.elements.resolve(name)
    assert place == (0, 1)
    agent.world.nodes[1] = view("", class_name="android.view.View", top=500)
    with pytest.raises(ElementNotFound, match="gone from the screen"):
        await agent.elements.resolve(name)


names = st.lists(st.sampled_from(["Ann", "Bob", "Cem", "Dai"]), min_size=1, max_size=5)


shuffled = names.flatmap(
    lambda after: st.tuples(st.just(after), st.permutations(range(len(after))))
)


@given(names, shuffled, st.integers(0, 4), st.integers(0, 9))
async def test_whatever_happens_to_a_list_the_button_clicked_is_of_the_row_meant(
    before: list[str], shuffled: tuple[list[str], list[int]], start: int, chosen: int
) -> None:
    """Views are reused, shuffled and made anew in any way."""
    agent = listener(root(LIST), *chain(*(row(n, name) for n, name in enumerate(before))))
    ids = await agent.read()
    meant = chosen % len(before)
    after, views = shuffled
    rows = (
        row(start + view, name, position=n)
        for n, (view, name) in enumerate(zip(views, after, strict=True))
    )
    agent.world.nodes = [root(LIST), *chain(*rows)]
    try:
        await agent.click(ids[f"delete{meant}"])
    except ElementNotFound:
        assert after.count(before[meant]) != 1, "the one row of that name was to be found"
        assert agent.world.done == []
    else:
        [(key, _, _)] = agent.world.done
        assert agent.world.view(key.replace("delete", "title")).text == before[meant]
