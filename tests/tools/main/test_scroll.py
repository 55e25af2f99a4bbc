"""Scrolling by a share of the screen: how far content moves, and what the reply says about it."""

import re

import pytest

from handheld.tools.main.touch import SHARES
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.views.layout import Column, HorizontalScroll, Pager, Row
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.basic import Button, Text
from handheld_virtual.views.widgets.recycler import RecycledList

from .conftest import Bench


class Page(Activity):
    """A header, a list under it, a row of pictures, and what the test puts in."""

    def content(self) -> View:
        self.log: list[str] = []
        height = float(self.extras.get("list", "0"))
        self.rows = RecycledList(
            count=int(self.extras.get("count", "1000")),
            row_height=int(self.extras.get("row", "64")),
            make=lambda: Button("", id="row", on_click=lambda: self.log.append("click")),
            bind=_bind,
            id="list",
            width=MATCH,
            height=height or 0,
            weight=0 if height else 1,
        )
        self.across = HorizontalScroll(
            Row(*(Button(f"Column {number}", width=120) for number in range(40))),
            id="across",
            width=MATCH,
            height=80,
        )
        header = Text("Header", height=int(self.extras.get("header", "64")), width=MATCH)
        return Column(header, self.rows, self.across, width=MATCH, height=MATCH)


def _bind(row: View, position: int) -> None:
    assert isinstance(row, Button)
    row.text = f"Row {position}"


class PageApp(App):
    package, label = "org.example.page", "Page"
    screens = (Page,)


def show_page(bench: Bench, **extras: str) -> Page:
    bench.world.install(PageApp)
    bench.world.start(PageApp.package, ".Page", extras)
    page = bench.world.front
    assert isinstance(page, Page)
    assert page.window is not None
    page.window.layout()
    bench.events()
    return page


async def scroll(bench: Bench, direction: str, amount: str = "medium") -> str:
    """What a further item says about the scroll."""
    arguments = {"direction": direction, "amount": amount}
    executed, moved = await bench.passing(bench.items("scroll", **arguments))
    assert executed == f"Scroll {direction} ({amount}) executed"
    assert isinstance(moved, str)
    return moved


def also_without_flags(bench: Bench, more: str) -> str:
    """A dump does not say whether a view scrolls on."""
    return f"; {more}." if bench.by == "helper" else "."


@pytest.mark.parametrize(("amount", "share"), [("small", 0.25), ("medium", 0.5), ("large", 0.75)])
@pytest.mark.parametrize("direction", ["down", "up"])
async def test_content_moves_by_the_share_of_the_screen(
    bench: Bench, direction: str, amount: str, share: float
) -> None:
    page = show_page(bench)
    page.rows.scroll_by(10_000)
    moved = await scroll(bench, direction, amount)
    pixels = (page.rows.offset - 10_000) * (1 if direction == "down" else -1)
    assert pixels == pytest.approx(2400 * share, rel=0.05)
    side = {"down": "below", "up": "above"}[direction]
    # Of a list that is hardly higher than the share no row may be left to measure by.
    what = f"Moved {pixels} px"
    if amount == "large":
        what = "Moved about 1800 px, and nothing visible before is still visible"
    assert moved == what + also_without_flags(bench, f"more {side}")
    assert page.log == []


@pytest.mark.parametrize("amount", ["small", "medium", "large"])
@pytest.mark.parametrize("direction", ["right", "left"])
async def test_content_moves_sideways_in_the_view_that_scrolls_sideways(
    bench: Bench, direction: str, amount: str
) -> None:
    page = show_page(bench)
    page.across.scroll_by(2000)
    moved = await scroll(bench, direction, amount)
    pixels = (page.across.offset - 2000) * (1 if direction == "right" else -1)
    assert pixels == pytest.approx(1080 * SHARES[amount], rel=0.05)
    assert moved == f"Moved {pixels} px" + also_without_flags(bench, f"more {direction}")
    assert page.rows.offset == 0


async def test_a_large_scroll_up_begins_inside_a_list_under_a_header(bench: Bench) -> None:
    page = show_page(bench, header="300")
    page.rows.scroll_by(10_000)
    await scroll(bench, "up", "large")
    begin = next(event for event in bench.events() if event[:2] == ("touch", "down"))
    _, top, _, bottom = page.rows.place
    assert top < float(str(begin[4])) < bottom
    assert page.rows.offset < 10_000 - page.rows.viewport / 2


async def test_no_row_is_left_out_of_a_list_that_is_lower_than_the_share(bench: Bench) -> None:
    page = show_page(bench, list="200")
    await scroll(bench, "down", "large")
    assert page.rows.offset == pytest.approx(page.rows.viewport, rel=0.05)
    assert page.rows.offset <= page.rows.viewport


async def test_a_scroll_that_breaks_off_between_its_drags_says_how_many_were_done(
    bench: Bench,
) -> None:
    page = show_page(bench, list="200")

    def refuse_in_the_second_drag(row: View, position: int) -> None:
        _bind(row, position)
        bench.world.input_refused = position > 5

    page.rows.bind = refuse_in_the_second_drag
    failure = await bench.passing(bench.failure("scroll", direction="down", amount="large"))
    assert re.match(r"Only 1 of \d drags were done, .* The next one failed: ", failure.message)
    assert page.rows.offset > 0


async def test_the_ends_of_a_list_are_named(bench: Bench) -> None:
    page = show_page(bench, count="40")
    assert await scroll(bench, "up") == "Nothing moved: the top is reached."
    most = page.rows.extent - page.rows.viewport
    page.rows.scroll_by(most - 700)
    assert await scroll(bench, "down") == "Moved 700 px" + also_without_flags(
        bench, "the end is reached"
    )
    assert await scroll(bench, "down") == "Nothing moved: the end is reached."


@pytest.mark.by_helper("a dump takes too long for the row to change in between")
async def test_what_changes_meanwhile_does_not_count_as_moved(bench: Bench) -> None:
    page = show_page(bench)
    page.rows.scroll_by(page.rows.extent)
    row = page.rows.rows[min(page.rows.rows) + 2]
    assert isinstance(row, Button)
    bench.world.timers.after(200, lambda: setattr(row, "text", "New"))
    assert await scroll(bench, "down") == "Nothing moved: the end is reached."
    assert row.text == "New"


async def test_a_list_below_a_keyboard_is_scrolled_above_it(bench: Bench) -> None:
    bench.world.show("dev.handheld.form")
    name = next(row for row in await bench.rows() if row[4].endswith(":id/name"))
    left, top, right, bottom = map(int, name[5].split(","))
    await bench.passing(bench.call("tap", x=(left + right) / 2, y=(top + bottom) / 2))
    await scroll(bench, "down", "small")
    begin = [event for event in bench.events() if event[:2] == ("touch", "down")][-1]
    keyboard = next(w for w in bench.world.windows() if w.type == "INPUT_METHOD")
    assert float(str(begin[4])) < keyboard.box[1]


async def test_without_a_view_that_scrolls_the_finger_goes_through_the_middle(
    bench: Bench,
) -> None:
    bench.world.show("com.android.calculator2")
    assert await scroll(bench, "down") == (
        "No view on the screen is known to scroll that way: the finger moved through its middle,"
        " and the screen is the same."
    )
    ends = [event for event in bench.events() if event[1] in ("down", "up")]
    assert ends == [("touch", "down", 0, 540, 1812), ("touch", "up", 0, 540, 588)]


async def test_a_screen_that_cannot_be_read_is_scrolled_all_the_same(bench: Bench) -> None:
    page = show_page(bench)
    page.rows.scroll_by(10_000)
    bench.world.automation.holder = "uiautomator2"
    moved = await scroll(bench, "down")
    assert moved.startswith("It is unknown whether anything moved: ")
    assert page.rows.offset - 10_000 == pytest.approx(1200, rel=0.05)


async def test_a_page_is_turned_once(bench: Bench) -> None:
    class Pages(Activity):
        def content(self) -> View:
            pages = [Text(f"Page {number}", width=MATCH, height=MATCH) for number in range(5)]
            self.pager = Pager(*pages, id="pager", width=MATCH, height=MATCH)
            return self.pager

    class PagesApp(App):
        package, label = "org.example.pages", "Pages"
        screens = (Pages,)

    bench.world.install(PagesApp)
    bench.world.show(PagesApp.package)
    page = bench.world.front
    assert isinstance(page, Pages)
    await scroll(bench, "right", "large")
    assert page.pager.page == 1


@pytest.mark.slow
async def test_a_scroll_shows_what_is_further_down(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    assert "About phone" not in [row[2] for row in await bench.rows()]
    for _ in range(4):
        await scroll(bench, "down")
    assert "About phone" in [row[2] for row in await bench.rows()]
    for _ in range(4):
        await scroll(bench, "up")
    assert "Apps" in [row[2] for row in await bench.rows()]
