"""Scrolling with the tools for models: what moves on the phone, and what is answered."""

import pytest

from handheld.errors import ActionFailed, ElementNotFound, InvalidParams
from handheld.tools.agent import scroll_tools
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.layout import Column, Frame, HorizontalScroll, Row, Scroll
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.recycler import RecycledList
from testbed import show_scene
from testbed.screens import LongList

from .conftest import AgentBench
from .pages import show

both = pytest.mark.parametrize(
    "agent_by",
    ["helper", pytest.param("shell", marks=[pytest.mark.matrix, pytest.mark.by_shell])],
    indirect=True,
)


class Shop(Activity):
    """A page that scrolls down, and in it a strip that scrolls sideways."""

    def content(self) -> View:
        self.clicked: list[str] = []

        def button(name: str, **options: float) -> View:
            return Button(name, lambda: self.clicked.append(name), **options)  # type: ignore[arg-type]

        self.strip = HorizontalScroll(
            Row(*(button(f"Film {number}", width=120) for number in range(40))),
            id="strip",
            width=MATCH,
            height=80,
        )
        texts = [button(f"Book {number}", height=64) for number in range(60)]
        self.page = Scroll(
            Column(Text("Films"), self.strip, Text("Books"), *texts, width=MATCH),
            id="page",
            width=MATCH,
            height=0,
            weight=1,
        )
        return Column(Text("Shop"), self.page, button("Pay"), width=MATCH, height=MATCH)


class ShopApp(App):
    package, label = "org.example.shop", "Shop"
    screens = (Shop,)


class StuckList(RecycledList):
    """Offers to scroll, and does not."""

    __slots__ = ()

    def scroll_by(self, pixels: int) -> bool:
        return False


def show_list(bench: AgentBench, **extras: str) -> tuple[LongList, RecycledList]:
    scene = show_scene(bench.world, "long_list", **extras)
    assert isinstance(scene, LongList)
    assert scene.window is not None
    scene.window.layout()
    [rows] = [view for view in scene.window.root.walk() if isinstance(view, RecycledList)]
    return scene, rows


def show_shop(bench: AgentBench) -> Shop:
    bench.world.install(ShopApp)
    bench.world.start(ShopApp.package, ".Shop", {})
    shop = bench.world.front
    assert isinstance(shop, Shop)
    assert shop.window is not None
    shop.window.layout()
    return shop


def shown(rows: RecycledList) -> range:
    return range(min(rows.rows), max(rows.rows) + 1)


def first(reply: str) -> str:
    return reply.partition("\n")[0]


def touches(bench: AgentBench) -> int:
    return sum(event[:2] == ("touch", "down") for event in bench.events())


# By a part of what is visible.


@both
async def test_a_scroll_moves_the_list_by_four_fifths_of_it_and_says_how_far(
    bench: AgentBench,
) -> None:
    _, rows = show_list(bench)
    reply = await bench.call("scroll")
    assert rows.offset == pytest.approx(0.8 * rows.viewport, rel=0.02)
    more = "; more below" if bench.by == "helper" else ""
    assert first(reply) == f"Scrolled list a1 down {rows.offset:,} px{more}."
    assert '"Row 23", ' in reply
    assert '"Row 9", ' not in reply


@pytest.mark.parametrize(("screens", "steps"), [(0.25, 1), ("0.5", 1), (1, 2), (2.5, 3)])
async def test_screens_are_those_of_the_list(bench: AgentBench, screens: float, steps: int) -> None:
    _, rows = show_list(bench)
    rows.scroll_by(20_000)
    bench.events()
    reply = await bench.call("scroll", direction="up", screens=screens)
    assert 20_000 - rows.offset == pytest.approx(float(screens) * rows.viewport, rel=0.02)
    assert first(reply).startswith("Scrolled list a1 up ")
    assert first(reply).endswith(" px; more above.")
    assert touches(bench) == steps


@both
async def test_a_scroll_that_reaches_the_end_says_so(bench: AgentBench) -> None:
    _, rows = show_list(bench, count="40")
    most = rows.extent - rows.viewport
    rows.scroll_by(most - 700)
    reply = first(await bench.call("scroll", screens=3))
    assert rows.offset == most
    end = "; it is at its end" if bench.by == "helper" else ""
    assert reply == f"Scrolled list a1 down 700 px{end}."


async def test_a_list_at_its_end_is_not_touched(bench: AgentBench) -> None:
    """A finger at the top of a list may refresh it."""
    show_list(bench, count="40")
    await bench.look()
    bench.events()
    assert await bench.call("scroll", direction="up") == "Nothing moved: list a1 is at its top."
    assert bench.events() == []


async def test_a_touch_that_moves_nothing_is_told(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    rows.__class__ = StuckList
    assert await bench.call("scroll") == (
        "Nothing moved, although list a1 has more below: something else took the touch."
    )


async def test_a_list_that_a_scroll_closes_is_told(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    bind = rows.bind

    def bind_and_leave(row: View, position: int) -> None:
        bind(row, position)
        bench.world.timers.after(1, lambda: show_scene(bench.world, "gestures"))

    rows.bind = bind_and_leave
    reply = await bench.call("scroll")
    assert first(reply) == "Scrolled list a1 down, and it is no longer on the screen."
    assert '"Press"' in reply


async def test_the_end_of_a_thousand_rows_is_reached_at_once(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    bench.events()
    assert first(await bench.call("scroll", screens=99)) == "Scrolled list a1 down to the end."
    assert 999 in shown(rows)
    assert first(await bench.call("scroll", direction="up", screens=99)) == (
        "Scrolled list a1 up to the top."
    )
    assert rows.offset == 0
    assert touches(bench) == 0


async def test_a_list_that_cannot_jump_is_paged_to_the_end(bench: AgentBench) -> None:
    _, rows = show_list(bench, count="200", jumps="no")
    assert first(await bench.call("scroll", screens=99)) == "Scrolled list a1 down to the end."
    assert rows.offset == rows.extent - rows.viewport


async def test_an_end_that_is_not_reached_in_time_is_not_claimed(
    bench: AgentBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scroll_tools, "SEARCH_MS", 2_000)
    _, rows = show_list(bench, jumps="no")
    reply = first(await bench.call("scroll", screens=99))
    assert reply == "Scrolled list a1 down; more below. Not to the end in 2 s: call again to go on."
    assert 0 < rows.offset < rows.extent - rows.viewport


async def test_a_scroll_after_which_the_screen_cannot_be_read_was_done(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    bind = rows.bind

    def bind_and_hide(row: View, position: int) -> None:
        bind(row, position)
        bench.world.rootless_packages.add("dev.handheld.testbed")

    rows.bind = bind_and_hide
    reply = await bench.call("scroll")
    assert rows.offset > 0
    assert first(reply) == "Scrolled list a1 down."
    assert "dev.handheld.testbed gave no content and is missing" in reply


async def test_where_nothing_scrolls_the_finger_moves_and_that_is_said(bench: AgentBench) -> None:
    show_scene(bench.world, "gestures")
    await bench.look()
    bench.events()
    reply = first(await bench.call("scroll", direction="left"))
    assert reply.startswith(
        "Nothing on this screen is known to scroll left: the finger moved through its middle."
    )
    assert touches(bench) == 1


# Which list.


@both
async def test_the_largest_list_that_scrolls_that_way_is_scrolled(bench: AgentBench) -> None:
    shop = show_shop(bench)
    await bench.call("scroll", direction="right")
    assert (shop.page.offset, shop.strip.offset > 0) == (0, True)
    await bench.call("scroll")
    assert shop.page.offset > 0


@pytest.mark.parametrize("within", ["a1", "list a1", "list a1:", "Book 3", "Film 1"])
async def test_within_is_the_list_or_anything_in_it(bench: AgentBench, within: str) -> None:
    shop = show_shop(bench)
    assert (await bench.look())[2] == "list a1, more below:"
    await bench.call("scroll", within=within)
    assert (shop.page.offset > 0, shop.strip.offset) == (True, 0)


async def test_something_outside_of_every_list_scrolls_nothing(bench: AgentBench) -> None:
    shop = show_shop(bench)
    await bench.look()
    bench.events()
    failed = await bench.failure("scroll", within="Pay")
    assert isinstance(failed, ActionFailed)
    assert failed.message == "Pay is in nothing that scrolls down: nothing was done."
    assert (shop.page.offset, bench.events()) == (0, [])


async def test_a_list_behind_a_dialog_is_not_touched(bench: AgentBench) -> None:
    """A finger beside a dialog closes it."""
    scene, rows = show_list(bench)
    scene.ask("Delete all?", "", no=scene.close_dialog)
    await bench.look()
    bench.events()
    failed = await bench.failure("scroll", until="Row 60")
    assert failed.message == "Nothing on this screen is known to scroll: nothing was done."
    failed = await bench.failure("scroll")
    assert failed.message == "Nothing on this screen is known to scroll down: nothing was done."
    assert (await bench.failure("scroll", within="a2")).message == "a2 is not visible."
    failed = await bench.failure("tap", at="Xyz", scroll=True)
    assert failed.message == 'No "Xyz" is visible.'
    assert (rows.offset, bench.events()) == (0, [])


async def test_a_list_behind_a_layer_of_its_own_window_is_scrolled_where_it_is_named(
    bench: AgentBench,
) -> None:
    """What lies in front may let touches through: the touch decides."""
    texts = [Text(f"Row {number}", height=64) for number in range(60)]
    rows = Scroll(Column(*texts), width=MATCH, height=MATCH)
    notice = Frame(Text("Swipe up", width=MATCH, height=MATCH), width=MATCH, height=MATCH)
    show(bench, lambda: Frame(rows, notice, width=MATCH, height=MATCH))
    screen = await bench.look()
    assert "behind:" in screen
    [ref] = [row.split()[1].rstrip(",:") for row in screen if row.lstrip().startswith("list")]
    failed = await bench.failure("scroll")
    assert failed.message == "Nothing on this screen is known to scroll down: nothing was done."
    await bench.call("scroll", within=ref)
    assert rows.offset > 0


async def test_a_strip_is_searched_sideways(bench: AgentBench) -> None:
    shop = show_shop(bench)
    reply = first(await bench.call("scroll", within="Film 1", until="Film 30"))
    assert reply.startswith("Scrolled strip a")
    assert reply.endswith(' "Film 30" is visible.')
    assert shop.page.offset == 0


# Until a text is visible.


@both
async def test_a_list_is_scrolled_until_a_text_is_visible(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    reply = await bench.call("scroll", until="row 60")
    assert 60 in shown(rows)
    pages = -(-rows.offset // rows.viewport)
    assert first(reply) == f'Scrolled list a1 down {pages} pages: "Row 60" is visible.'
    assert '"Row 60", ' in reply


@both
async def test_a_list_that_moved_by_itself_is_read_again(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    rows.scroll_by(rows.viewport * 2)
    reply = await bench.call("scroll", until="Row 0", direction="up")
    assert 0 in shown(rows)
    assert first(reply) == 'Scrolled list a1 up 2 pages: "Row 0" is visible.'


async def test_a_text_is_compared_without_accents_and_a_part_of_a_row_suffices(
    bench: AgentBench,
) -> None:
    await bench.call("open", what="Contacts")
    reply = first(await bench.call("scroll", until="bjorn"))
    assert ' "Björn Adeyemi | +1 202 555 ' in reply


@pytest.mark.parametrize("until", [" ", '""', "\u200b"])
async def test_an_empty_text_is_refused(bench: AgentBench, until: str) -> None:
    _, rows = show_list(bench)
    assert isinstance(await bench.failure("scroll", until=until), InvalidParams)
    assert rows.offset == 0


@pytest.mark.parametrize("until", ['"Ada Kim | +1 202 555 4360"', "ada kim +1 202 555 4360"])
async def test_a_row_is_found_as_it_is_printed(bench: AgentBench, until: str) -> None:
    await bench.call("open", what="Contacts")
    reply = first(await bench.call("scroll", until=until))
    assert reply.endswith('"Ada Kim | +1 202 555 4360" is visible: nothing was scrolled.')


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("zoe adams", "zoe", True),
        ("joanna", "ann", False),
        ("row 70", "row 7", False),
        ("row 70, row 7", "row 7", True),
        ("c++ intro", "c++", True),
        ("北京市", "北京", True),
    ],
)
def test_words_are_whole_where_spaces_separate_them(text: str, wanted: str, found: bool) -> None:
    assert scroll_tools.has_words(text, wanted) is found


async def test_only_whole_words_are_found(bench: AgentBench) -> None:
    _, rows = show_list(bench, count="300")
    rows.scroll_by(rows.viewport * 8)
    await bench.call("scroll", until="Row 7", direction="up")
    assert 7 in shown(rows)


@both
async def test_a_text_that_is_visible_already_scrolls_nothing(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    bench.events()
    reply = await bench.call("scroll", until="Row 3")
    assert reply == '"Row 3" is visible: nothing was scrolled.'
    assert (rows.offset, bench.acts()) == (0, [])


async def test_a_text_that_is_not_in_the_list_is_searched_from_top_to_end(
    bench: AgentBench,
) -> None:
    _, rows = show_list(bench, count="212")
    rows.scroll_by(rows.viewport * 3)
    failed = await bench.failure("scroll", until="Zoe")
    assert isinstance(failed, ElementNotFound)
    assert failed.message == 'Searched list a1 from top to end, 212 rows: no "Zoe".'
    [screen] = failed.details
    assert '"Row 0", ' in screen


@both
async def test_the_rows_of_a_list_without_numbers_are_not_counted(bench: AgentBench) -> None:
    show_list(bench, count="40", numbered="no")
    failed = await bench.failure("scroll", until="Zoe")
    assert failed.message == 'Searched list a1 from top to end: no "Zoe".'


@pytest.mark.parametrize("jumps", ["yes", "no"])
async def test_a_text_above_is_found_after_the_end(bench: AgentBench, jumps: str) -> None:
    _, rows = show_list(bench, count="100", jumps=jumps)
    rows.scroll_by(rows.viewport * 4)
    reply = first(await bench.call("scroll", until="Row 1"))
    assert reply == 'Scrolled list a1 up: "Row 1" is visible.'
    assert 1 in shown(rows)


async def test_a_direction_is_searched_alone(bench: AgentBench) -> None:
    _, rows = show_list(bench, count="100")
    rows.scroll_by(rows.viewport * 3)
    failed = await bench.failure("scroll", until="Row 1", direction="down")
    assert failed.message.startswith("Searched list a1 down to the end, ")
    assert failed.message.endswith(' rows, not above where it began: no "Row 1".')
    assert 99 in shown(rows)


async def test_a_row_that_was_shown_before_is_returned_to_at_once(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    await bench.call("scroll", screens=99)
    assert first(await bench.call("scroll", until="Row 5")) == (
        'Scrolled list a1 up: "Row 5" is visible.'
    )
    assert 5 in shown(rows)


@pytest.mark.matrix
async def test_a_row_that_has_moved_since_it_was_shown_is_found(bench: AgentBench) -> None:
    _, rows = show_list(bench, count="300")
    rows.scroll_by(rows.viewport * 15)
    await bench.look()
    moved = min(shown(rows)) + 5
    await bench.call("scroll", direction="up", screens=99)
    bind = rows.bind

    def bind_elsewhere(row: View, position: int) -> None:
        bind(row, {moved: 60, 60: moved}.get(position, position))

    rows.bind = bind_elsewhere
    reply = first(await bench.call("scroll", until=f"Row {moved}"))
    assert reply == f'Scrolled list a1 up: "Row {moved}" is visible.'
    assert 60 in shown(rows)


async def test_a_search_without_the_screen_is_a_failure(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    bind = rows.bind

    def bind_and_hide(row: View, position: int) -> None:
        bind(row, position)
        bench.world.rootless_packages.add("dev.handheld.testbed")

    rows.bind = bind_and_hide
    failed = await bench.failure("scroll", until="Row 60")
    assert failed.message.startswith(
        "list a1 was scrolled, but the screen could not be read after it: "
    )


async def test_a_search_that_takes_too_long_says_how_to_go_on(
    bench: AgentBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scroll_tools, "SEARCH_MS", 2_000)
    _, rows = show_list(bench)
    failed = await bench.failure("scroll", until="Row 999")
    seen = max(shown(rows)) + 1
    assert failed.message == (
        f"Searched list a1 down for 2 s, {seen} rows, not to the end (phone_scroll with direction:"
        ' down and until goes on): no "Row 999".'
    )
    assert '"Row 0", ' not in failed.details[0]


async def test_a_search_ends_when_the_list_is_gone(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    bind = rows.bind

    def bind_and_leave(row: View, position: int) -> None:
        bind(row, position)
        if position == 50:
            bench.world.timers.after(1, lambda: show_scene(bench.world, "gestures"))

    rows.bind = bind_and_leave
    failed = await bench.failure("scroll", until="Row 999")
    assert failed.message == ("list a1 is no longer on the screen: the search ended after 40 rows.")
    assert '"Press"' in failed.details[0]


# Taps that scroll to their target.


@both
async def test_a_target_that_is_not_visible_is_scrolled_to_and_tapped_once(
    bench: AgentBench,
) -> None:
    scene, rows = show_list(bench)
    reply = await bench.call("tap", at="Open", within="Row 60", scroll=True)
    assert scene.clicked == [60]
    assert 60 in shown(rows)
    assert first(reply).startswith("Scrolled list a1 down ")
    assert first(reply).endswith(' "Open".')
    assert '"Row 60", ' in reply


async def test_a_target_that_is_visible_is_tapped_where_it_is(bench: AgentBench) -> None:
    scene, rows = show_list(bench)
    await bench.call("tap", at="Open", within="Row 6", scroll=True)
    assert (scene.clicked, rows.offset) == ([6], 0)


async def test_a_target_that_is_nowhere_is_not_tapped(bench: AgentBench) -> None:
    scene, _ = show_list(bench, count="40")
    failed = await bench.failure("tap", at="Zoe", scroll=True)
    assert failed.message == 'Searched list a1 from top to end, 40 rows: no "Zoe".'
    assert scene.clicked == []


@pytest.mark.matrix
async def test_only_the_list_that_within_names_is_searched(bench: AgentBench) -> None:
    shop = show_shop(bench)
    await bench.look()
    failed = await bench.failure("tap", at="Film 99", within="a2", scroll=True)
    assert failed.message == (
        'Searched strip a2 from start to end: no "Film 99". Not searched: list a1; name it as'
        " within."
    )
    assert shop.page.offset == 0
    await bench.call("tap", at="Film 9", within="strip a2", scroll=True)
    assert shop.clicked == ["Film 9"]


@pytest.mark.matrix
async def test_lists_that_were_not_searched_are_named(bench: AgentBench) -> None:
    shop = show_shop(bench)
    for tool, arguments in (
        ("tap", {"at": "Film 30", "scroll": True}),
        ("scroll", {"until": "Film 30"}),
    ):
        failed = await bench.failure(tool, **arguments)
        assert failed.message == (
            'Searched list a1 from top to end: no "Film 30". Not searched: strip a2; name it as'
            " within."
        )
        shop.page.scroll_by(-shop.page.offset)
    assert shop.clicked == []


async def test_a_ref_that_was_scrolled_away_is_scrolled_back_to(bench: AgentBench) -> None:
    scene, rows = show_list(bench)
    ref = await bench.ref("Open")
    await bench.call("scroll", screens=99)
    failed = await bench.failure("tap", at=ref)
    assert failed.message == (
        f'{ref} "Open" has changed: nothing was done. list a1 has more above: scroll: true looks'
        " there."
    )
    reply = first(await bench.call("tap", at=ref, scroll=True))
    assert reply == f'Scrolled to it. Tapped {ref} "Open".'
    assert (scene.clicked, rows.offset) == ([0], 0)


@both
async def test_without_scroll_the_lists_that_have_more_are_named(bench: AgentBench) -> None:
    _, rows = show_list(bench)
    await bench.look()
    more = "has more below" if bench.by == "helper" else "may have more"
    failed = await bench.failure("tap", at="Row 1x")
    assert failed.message == (
        'No "Row 1x" is visible. Nearest: "Row 1", "Row 10", "Row 11". '
        f"list a1 {more}: scroll: true looks there."
    )
    assert rows.offset == 0


async def test_a_tool_that_does_not_scroll_names_the_one_that_does(bench: AgentBench) -> None:
    show_list(bench)
    failed = await bench.failure("type", text="x", into="Xyz")
    assert failed.message == (
        'No "Xyz" is visible. list a1 has more below: phone_scroll with until looks there.'
    )


# Steps, refs, rules.


async def test_steps_scroll(bench: AgentBench) -> None:
    scene, rows = show_list(bench)
    steps = [
        {"scroll": "down"},
        {"tool": "scroll", "until": "Row 60"},
        {"tap": "Open", "within": "Row 80", "scroll": True},
        {"scroll": "Row 90"},
    ]
    assert (await bench.call("do", steps=steps)).startswith("4 of 4 done.\n")
    assert scene.clicked == [80]
    assert 90 in shown(rows)


async def test_a_step_that_searches_in_vain_ends_the_steps(bench: AgentBench) -> None:
    show_list(bench, count="40")
    failed = await bench.failure("do", steps=[{"scroll": {"until": "Zoe"}}, {"tap": "Row 1"}])
    assert failed.message == (
        '0 of 2 done. Step 1, scroll "Zoe": Searched list a1 from top to end, 40 rows: no "Zoe".'
        " Step 2 was not tried."
    )


@pytest.mark.parametrize("numbered", ["yes", pytest.param("no", marks=pytest.mark.matrix)])
async def test_refs_mean_the_same_rows_after_scrolling_away_and_back(
    bench: AgentBench, numbered: str
) -> None:
    """The list has meanwhile used their views for other rows."""
    scene, _ = show_list(bench, numbered=numbered)
    refs = {
        int(row.split('"')[1][4:]): row.split(", ")[1].split(" ")[0] for row in await rows_of(bench)
    }
    await bench.call("scroll", screens=5)
    await bench.call("scroll", screens=0.5)
    bench.events()
    for ref in refs.values():
        assert (await bench.failure("tap", at=ref)).message.startswith(f'{ref} "Open" ')
    assert scene.clicked == []
    await bench.call("scroll", direction="up", screens=99)
    for ref in refs.values():
        await bench.call("tap", at=ref)
    assert scene.clicked == list(refs)
    if numbered == "yes":
        assert [row.split(", ")[1].split(" ")[0] for row in await rows_of(bench)] == list(
            refs.values()
        )


async def rows_of(bench: AgentBench) -> list[str]:
    return [row.strip() for row in await bench.look() if row.startswith(' "Row ')]


async def test_a_ref_never_means_another_row_with_the_same_words(bench: AgentBench) -> None:
    scene, rows = show_list(bench)
    bind = rows.bind

    def bind_equal(row: View, position: int) -> None:
        bind(row, position)
        title = row.children[0]
        assert isinstance(title, Text)
        title.text = f"Row {position % 20}"

    rows.bind = bind_equal
    rows.refresh()
    ref = await bench.ref("Open")
    rows.scroll_by(rows.extent // rows.count * 40)
    other = await bench.ref("Open")
    assert '"Row 0", ' in (await rows_of(bench))[0]
    assert other != ref
    failed = await bench.failure("tap", at=ref)
    assert failed.message == (
        f'{ref} "Open" is not visible; {other} has the same words in another row: nothing was done.'
    )
    assert scene.clicked == []
    rows.scroll_by(-rows.extent)
    assert await bench.ref("Open") == ref
    await bench.call("tap", at=ref)
    assert scene.clicked == [0]


def test_rules_on_scrolling_hold_for_taps_that_scroll() -> None:
    tools = {tool.name: tool for toolset in AGENT_CATALOG for tool in toolset.tools}
    assert not tools["phone_scroll"].listing.read_only
    for arguments in ({"at": "k4", "scroll": True}, {"at": "k4", "scroll": True, "hold": True}):
        assert "scroll_to_element" in tools["phone_tap"].chosen(arguments).listing.abilities
    assert "scroll_to_element" not in tools["phone_tap"].chosen({"at": "k4"}).listing.abilities
