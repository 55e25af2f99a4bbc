"""Element identity: which view an id stands for."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver import NotActionable
from handheld.errors import ElementNotFound
from handheld.phone.screen import elements as elements_module
from handheld.phone.screen import issued_refs as module
from handheld.phone.screen.elements import Elements
from handheld.phone.screen.issued_refs import IssuedRefs, content_of
from handheld.phone.screen.snapshot import Snapshot
from handheld.screen.ids import extended
from handheld.screen.model import Node
from handheld.screen.text import screen_text
from harness.manual_clock import ManualClock

from .world import FIELD, LIST, SHOWN, World, root, row, view

AGAIN = "Call get_screen_state again and use an id from its reply."


class Listener:
    """An agent that reads the screen, with its own clock."""

    def __init__(self, world: World, issued: IssuedRefs | None = None) -> None:
        self.clock = ManualClock()
        self.world = world
        self.elements = Elements(world, self.clock, issued)

    async def read(self) -> dict[str, str]:
        """Return the ids by the views' keys, all of them issued."""
        snapshot = self.elements.mark(await self.world.read_screen())
        places = list(snapshot.places())
        self.elements.remember(snapshot, places)
        self.world.reads = 0
        return {snapshot.node(place).key: snapshot.id(place) for place in places}

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
async def test_an_id_is_accepted_in_every_form(form: str) -> None:
    agent = listener(root(), view("a", text="OK"))
    name = (await agent.read())["a"]
    await agent.click(form.format(name, name.removeprefix("node_").removesuffix("_w1")))
    assert agent.world.done == [("a", "OK", "click")]


async def test_a_moved_view_is_found_by_its_key() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("x"), view("a", text="OK", index=1, top=900)]
    await agent.click(ids["a"])
    assert agent.world.done == [("a", "OK", "click")]
    assert agent.world.reads == 0


async def test_a_recreated_view_is_found_by_its_signature() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("b", text="No"), view("c", text="OK", index=3, top=700)]
    await agent.click(ids["a"])
    await agent.click(ids["a"])
    assert agent.world.done == [("c", "OK", "click")] * 2
    assert agent.world.reads == 1, "the second click knows the new key"


async def test_a_missing_view_is_reported_as_gone() -> None:
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
async def test_a_view_with_other_content_is_reported_as_changed(
    change: dict[str, str],
) -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("a", **{"text": "OK", **change})]  # pyright: ignore[reportArgumentType]
    assert await agent.refusal(ids["a"]) == (
        f"Element '{ids['a']}' not found: it has changed since it was listed. {AGAIN}"
    )


async def test_the_content_of_a_field_is_not_part_of_its_identity() -> None:
    agent = listener(root(), view("a", text="", resource_id="com.example:id/name", flags=FIELD))
    ids = await agent.read()
    agent.world.view("a").text = "Ada"
    await agent.click(ids["a"])
    assert agent.world.done == [("a", "Ada", "click")]
    assert (await agent.read())["a"] == ids["a"]


async def test_a_recycled_row_is_not_mistaken_for_the_original() -> None:
    """The buttons of all rows are identical; the title of the row distinguishes them."""
    agent = listener(root(LIST), *row(1, "Ann"), *row(2, "Bob"))
    ids = await agent.read()
    # Ann scrolled away, and her views now show Cem at the other end of the list.
    agent.world.nodes = [root(LIST), *row(2, "Bob", position=0), *row(1, "Cem", position=1)]
    assert await agent.refusal(ids["delete1"]) == (
        f"Element '{ids['delete1']}' not found: it has changed since it was listed. {AGAIN}"
    )
    await agent.click(ids["delete2"])
    assert agent.world.done == [("delete2", "Delete", "click")]


async def test_a_row_is_found_in_other_views() -> None:
    agent = listener(root(LIST), *row(1, "Ann"), *row(2, "Bob"))
    ids = await agent.read()
    agent.world.nodes = [root(LIST), *row(1, "Bob"), *row(2, "Ann")]
    await agent.click(ids["delete1"])
    assert agent.world.done == [("delete2", "Delete", "click")]
    assert agent.world.reads == 1


async def test_another_row_at_the_same_position_is_not_clicked() -> None:
    """Same hash and same signature of the button, but another row."""
    agent = listener(root(LIST), *row(1, "Ann"))
    ids = await agent.read()
    agent.world.nodes = [root(LIST), *row(7, "Bob", position=1)]
    assert "it is gone from the screen" in await agent.refusal(ids["delete1"])


async def test_among_identical_elements_the_unmoved_one_is_used() -> None:
    agent = listener(root(), view("a", text="Buy"), view("b", text="Buy", index=1, top=200))
    ids = await agent.read()
    agent.world.nodes = [
        root(),
        view("c", text="Buy"),
        view("d", text="Buy", index=1, top=200),
    ]
    await agent.click(ids["b"])
    assert agent.world.done == [("d", "Buy", "click")]


async def test_identical_elements_that_all_moved_are_ambiguous() -> None:
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


async def test_a_view_known_only_by_its_class_is_not_replaced_by_another() -> None:
    """A class alone does not identify a view."""
    agent = listener(root(), view("a", class_name="android.view.View"))
    ids = await agent.read()
    agent.world.nodes = [root(), view("b", class_name="android.view.View")]
    assert "it has changed" in await agent.refusal(ids["a"])
    agent.world.nodes = [root(), view("a", class_name="android.view.View", top=300)]
    await agent.click(ids["a"])
    assert agent.world.done == [("a", None, "click")]


async def test_new_content_at_the_same_position_gets_a_new_id() -> None:
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


async def test_a_hash_is_reused_after_ten_minutes() -> None:
    agent = listener(root(), view("a", text="Ann"))
    first = (await agent.read())["a"]
    agent.world.view("a").text = "Bob"
    agent.clock.put_forward(599)
    assert (await agent.read())["a"] != first
    agent.clock.put_forward(601)
    agent.world.view("a").text = "Cem"
    assert (await agent.read())["a"] == first


async def test_a_screen_that_is_read_again_as_it_was_has_its_ids_issued_anew() -> None:
    """The windows of such a read are those of the last one."""
    agent = listener(root(), view("a", text="Ann"))
    shown = await agent.world.read_screen()
    snapshots: list[Snapshot] = []
    for _ in range(4):
        snapshots.append(agent.elements.mark(shown))
        agent.elements.remember_screen(snapshots[-1])
        agent.clock.put_forward(599)
    first = snapshots[0].id((0, 1))
    assert {each.text for each in snapshots} == {screen_text(shown, snapshots[0].labels)}
    agent.world.view("a").text = "Bob"
    assert (await agent.read())["a"] != first


async def test_an_unchanged_screen_gets_other_ids_once_its_own_stand_for_something_else() -> None:
    agent = listener(root(), view("a", text="Ann"))
    shown = await agent.world.read_screen()
    first = agent.elements.mark(shown)
    agent.elements.remember_screen(first)
    agent.elements.remember_screen(agent.elements.mark(shown))
    bob = first.id((0, 1))
    agent.world.view("a").text = "Bob"
    await agent.elements.renew(bob, "a", (await agent.world.read_screen()).windows[0])
    second = agent.elements.mark(shown)
    agent.elements.remember_screen(second)
    assert second.id((0, 1)) != bob
    await agent.click(bob)
    assert agent.world.done == [("a", "Bob", "click")]


async def test_an_id_that_was_dropped_is_issued_again_with_an_unchanged_screen() -> None:
    agent = listener(root(), view("a", text="Ann"))
    shown = await agent.world.read_screen()
    agent.elements.remember_screen(agent.elements.mark(shown))
    snapshot = agent.elements.mark(shown)
    agent.elements.remember_screen(snapshot)
    agent.elements.forget()
    agent.elements.remember_screen(snapshot)
    await agent.click(snapshot.id((0, 1)))
    assert agent.world.done == [("a", "Ann", "click")]


async def test_content_that_returns_gets_the_id_that_it_had() -> None:
    agent = listener(root(), view("a", text="0"))
    ids: dict[str, str] = {}
    for text in map(str, range(12)):
        agent.world.view("a").text = text
        ids[text] = (await agent.read())["a"]
    assert len(set(ids.values())) == 12
    for text in ("7", "0", "11", "1"):
        agent.world.view("a").text = text
        assert (await agent.read())["a"] == ids[text]


async def test_turns_are_counted_anew_after_ten_minutes() -> None:
    agent = listener(root(), view("a", text="0"))
    ids: list[str] = []
    for minute in (0, 0, 0, 11, 0, 0):
        agent.clock.put_forward(60 * minute)
        agent.world.view("a").text = str(len(ids))
        ids.append((await agent.read())["a"])
    assert ids[3:] == ids[:3]


async def test_equal_elements_at_one_place_keep_their_ids_if_only_some_were_issued() -> None:
    """A tree of an app may have several children with one index and the same bounds."""
    agent = listener(root(), *(view(key, text="Buy") for key in "abcd"))
    snapshot = agent.elements.mark(await agent.world.read_screen())
    agent.elements.remember(snapshot, [(0, 3)])
    for _ in range(2):
        again = agent.elements.mark(await agent.world.read_screen())
        assert again.ids.hashes == snapshot.ids.hashes
        agent.elements.remember(again, [(0, 2), (0, 3)])


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=9), st.data())
async def test_a_turn_is_the_first_that_is_free_or_was_issued_for_the_same(
    screens: list[list[str]], data: st.DataObject
) -> None:
    """As if all turns were tried one after another, whatever was issued."""
    agent = listener()
    for texts in screens:
        agent.world.nodes = [root(), *(view(f"{n}", text=text) for n, text in enumerate(texts))]
        screen = await agent.world.read_screen()
        snapshot = agent.elements.mark(screen)
        issued = agent.elements.issued.refs
        used: set[int] = set()
        for place in snapshot.places():
            plain, turn = snapshot.plain_hash(place), 1
            content = content_of(1, snapshot.node(place), snapshot.anchor(place))
            while True:
                value = plain if turn == 1 else extended(plain, turn)
                ref = issued.get(value)
                same = ref is None or content_of(ref.window, ref.node, ref.anchor) == content
                if same and value not in used:
                    break
                turn += 1
            assert snapshot.hash(place) == value
            used.add(value)
        chosen = [place for place in snapshot.places() if data.draw(st.booleans())]
        agent.elements.remember(snapshot, chosen)


async def test_a_place_is_read_as_fast_after_its_content_changed_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A list that scrolls shows ever other rows at the same places."""
    agent = listener(root(), view("a", text="0"))
    compared: list[int] = []
    same = elements_module.is_same
    monkeypatch.setattr(
        elements_module, "is_same", lambda one, other: compared.append(1) or same(one, other)
    )
    spent: list[int] = []
    for text in map(str, range(300)):
        agent.world.view("a").text = text
        compared.clear()
        await agent.read()
        spent.append(len(compared))
    assert max(spent) < 8


async def test_an_id_of_another_process_is_accepted_if_its_hash_is_unambiguous() -> None:
    other = listener(root(), view("a", text="OK"))
    name = (await other.read())["a"]
    agent = listener(root(), view("a", text="OK"))
    await agent.click(name)
    assert agent.world.done == [("a", "OK", "click")]
    assert await agent.refusal("node_abc_w1") == (
        f"Element 'node_abc_w1' not found in accessibility tree. {AGAIN}"
    )
    assert "not found in accessibility tree" in await agent.refusal(name.replace("_w1", "_w2"))


async def test_an_ambiguous_id_of_another_process_is_rejected() -> None:
    name = (await listener(root(), view("a")).read())["a"]
    agent = listener(root(), view("a"), view("b"))
    assert await agent.refusal(name) == (
        f"Element '{name}' not found: 2 elements have that id. {AGAIN}"
    )


@pytest.mark.parametrize("name", ["OK", "node_", "42x", "\nnote:forged", "x" * 500])
async def test_a_malformed_id_is_rejected_with_an_example(name: str) -> None:
    agent = listener(root(), view("a"))
    message = await agent.refusal(name)
    assert "not found: ids look like node_1a2b3c_w42." in message
    assert "\n" not in message
    assert len(message) < 300


async def test_a_reboot_invalidates_every_id() -> None:
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


async def test_the_oldest_ids_over_the_limit_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REFS_LIMIT", 3)
    agent = listener(root(), view("a", text="A"))
    old = (await agent.read())["a"]
    agent.world.nodes = [root(), *(view(f"b{n}", text=f"{n}", index=n, top=n) for n in (1, 2))]
    new = await agent.read()
    agent.world.nodes.append(view("a", text="A"))
    assert "it was listed too long ago" in await agent.refusal(old)
    await agent.click(new["b1"])
    assert agent.world.done == [("b1", "1", "click")]


def test_the_oldest_of_the_dropped_ids_are_forgotten_for_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "FORGOTTEN_LIMIT", 3)
    dropped = module.ForgottenHashes()
    for value in range(1, 6):
        dropped.add(value)
    assert [value in dropped for value in range(1, 6)] == [False, False, True, True, True]


async def test_no_id_of_the_last_screen_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REFS_LIMIT", 3)
    agent = listener(root(), *(view(f"b{n}", text=f"{n}", index=n, top=n) for n in range(9)))
    ids = await agent.read()
    for name in ("b0", "b8", "b1"):
        await agent.click(ids[name])
    assert [key for key, _, _ in agent.world.done] == ["b0", "b8", "b1"]


async def test_long_texts_are_limited_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WEIGHT_LIMIT", 1000)
    agent = listener(root(), view("a", text="A"))
    old = (await agent.read())["a"]
    agent.world.nodes.append(view("b", text="x" * 970, index=1))
    new = await agent.read()
    assert "it was listed too long ago" in await agent.refusal(old)
    await agent.click(new["b"])
    assert len(agent.world.done) == 1


async def test_an_id_survives_a_reconnect() -> None:
    """It is not treated as an id of another process."""
    issued = IssuedRefs()
    agent = Listener(World(root(LIST), *row(1, "Ann")), issued)
    ids = await agent.read()
    again = Listener(World(root(LIST), *row(1, "Bob")), issued)
    assert "it has changed" in await again.refusal(ids["delete1"])
    again.world.nodes = [root(LIST), *row(2, "Bob"), *row(3, "Ann")]
    await again.click(ids["delete1"])
    assert again.world.done == [("delete3", "Delete", "click")]


async def test_a_view_that_is_not_clickable_is_reported() -> None:
    agent = listener(root(), view("a", text="A", flags=SHOWN))
    ids = await agent.read()
    with pytest.raises(NotActionable):
        await agent.click(ids["a"])


async def test_resolving_returns_the_current_place() -> None:
    agent = listener(root(), view("a", text="Buy"), view("b", text="Buy", index=1, top=200))
    ids = await agent.read()
    agent.world.nodes = [root(), view("b", text="Buy", index=4, top=600)]
    snapshot, place = await agent.elements.resolve(ids["b"])
    assert snapshot.node(place).key == "b"
    assert agent.world.reads == 1


async def test_renumbered_windows_are_searched() -> None:
    agent = listener(root(), view("a", text="OK"))
    ids = await agent.read()
    agent.world.window = 9
    agent.world.nodes = [root(), view("z", text="OK")]
    await agent.click(ids["a"])
    assert agent.world.done == [("z", "OK", "click")]


async def test_without_keys_an_element_is_identified_by_its_position() -> None:
    """As with the shell driver, where views have no keys."""
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
async def test_a_click_never_hits_another_row_of_a_list(
    before: list[str], shuffled: tuple[list[str], list[int]], start: int, chosen: int
) -> None:
    """Views are reused, shuffled and recreated in any way."""
    agent = listener(root(LIST), *chain(*(row(n, name) for n, name in enumerate(before))))
    ids = await agent.read()
    wanted = chosen % len(before)
    after, views = shuffled
    rows = (
        row(start + view, name, position=n)
        for n, (view, name) in enumerate(zip(views, after, strict=True))
    )
    agent.world.nodes = [root(LIST), *chain(*rows)]
    try:
        await agent.click(ids[f"delete{wanted}"])
    except ElementNotFound:
        assert after.count(before[wanted]) != 1, "the only row of that name should be found"
        assert agent.world.done == []
    else:
        [(key, _, _)] = agent.world.done
        assert agent.world.view(key.replace("delete", "title")).text == before[wanted]
