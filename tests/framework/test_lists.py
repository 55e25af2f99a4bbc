"""Android's own list, which shows its rows again for others."""

import re

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "list"


async def test_a_list_is_scrolled(tools: Tools) -> None:
    await tools.items("scroll", direction="down")
    assert (await tools.android.state("list"))["first"] > 0
    await tools.items("scroll", direction="up", amount="large")
    assert (await tools.android.state("list"))["first"] == 0


async def test_an_id_never_means_the_row_that_took_its_place(tools: Tools) -> None:
    first = await tools.id_by_text("Row 0")
    await tools.items("scroll", direction="down", amount="large")
    assert (await tools.android.state("list"))["first"] > 0
    await tools.failure("click_element", element_id=first)


async def test_a_row_is_found_by_its_text(tools: Tools) -> None:
    found = await tools.call("find_elements", by="text", value="Row 3", exact_match=True)
    assert await tools.id_by_text("Row 3") in found


async def test_a_list_comes_to_rest(tools: Tools) -> None:
    await tools.call("swipe", x1=500, y1=2000, x2=500, y2=600, duration=100)
    await tools.call("wait_for_idle", timeout=20_000)
    at_rest = await tools.android.state("list")
    assert at_rest["first"] > 0
    assert await tools.android.state("list") == at_rest


async def test_a_row_in_sight_needs_no_scrolling(tools: Tools) -> None:
    await tools.call("scroll_to_element", element_id=await tools.id_by_text("Row 2"))
    assert (await tools.android.state("list"))["first"] == 0


async def test_every_id_is_the_row_that_it_was_listed_for(tools: Tools) -> None:
    """Over several screens, each of which uses the views of the one before."""
    for _ in range(4):
        listed = {row[0]: row[2] for row in await tools.rows() if row[2].startswith("Row ")}
        details = await tools.call("get_element_details", ids=list(listed))
        assert [line.split("\t")[:2] for line in details.split("\n")[1:]] == [
            [name, text] for name, text in listed.items()
        ]
        await tools.items("scroll", direction="down", amount="medium")


async def scroll_down(tools: Tools, times: int) -> None:
    for _ in range(times):
        await tools.items("scroll", direction="down", amount="large")


async def test_rows_above_and_below_are_arrived_at(tools: Tools) -> None:
    """ListView reports the positions of its rows and scrolls to one."""
    second = await tools.id_by_text("Row 2")
    await scroll_down(tools, 4)
    assert (await tools.android.state("list"))["first"] > 20
    listed = [row for row in await tools.rows() if row[2].startswith("Row ")]
    far = listed[len(listed) // 2]
    number = int(far[2].removeprefix("Row "))
    await tools.call("scroll_to_element", element_id=second)
    await tools.android.elapse(1000)
    assert (await tools.android.state("list"))["first"] <= 2
    await tools.call("scroll_to_element", element_id=far[0])
    await tools.android.elapse(1000)
    shown = await tools.android.state("list")
    assert shown["first"] <= number <= shown["last"]


@pytest.mark.parametrize("amount", ["small", "medium", "large"])
async def test_a_list_moves_by_the_share_of_the_screen(tools: Tools, amount: str) -> None:
    await scroll_down(tools, 2)
    size = re.search(r"^screen:\d+x(\d+) ", await tools.call("get_screen_state"), re.MULTILINE)
    assert size is not None
    tops = {row[2]: int(row[5].split(",")[1]) for row in await tools.rows()}
    for direction, sign in (("down", 1), ("up", -1)):
        before, tops = tops, {}
        _, moved = await tools.items("scroll", direction=direction, amount=amount)
        tops = {row[2]: int(row[5].split(",")[1]) for row in await tools.rows()}
        asked = int(size[1]) * {"small": 0.25, "medium": 0.5, "large": 0.75}[amount]
        both = sorted((before[text] - tops[text]) * sign for text in before.keys() & tops.keys())
        if both:
            assert both[len(both) // 2] == pytest.approx(asked, rel=0.05)
        assert str(moved).startswith("Moved ")
        await tools.android.elapse(1000)
        again = {row[2]: int(row[5].split(",")[1]) for row in await tools.rows()}
        assert again == tops, "nothing flings"


async def test_the_top_is_named(tools: Tools) -> None:
    executed, moved = await tools.items("scroll", direction="up")
    assert (executed, moved) == (
        "Scroll up (medium) executed",
        "Nothing moved: the top is reached.",
    )


@pytest.mark.parametrize("amount", ["small", "medium"])
async def test_a_scroll_view_moves_by_the_share_of_the_screen(tools: Tools, amount: str) -> None:
    await tools.android.show("scrolling")
    size = re.search(r"^screen:\d+x(\d+) ", await tools.call("get_screen_state"), re.MULTILINE)
    assert size is not None
    share = {"small": 0.25, "medium": 0.5}[amount]
    _, moved = await tools.items("scroll", direction="down", amount=amount)
    await tools.android.elapse(1000)
    scrolled = (await tools.android.state("down"))["scroll"]
    assert scrolled == pytest.approx(int(size[1]) * share, rel=0.05)
    assert moved == f"Moved {scrolled} px; more below."


@pytest.mark.parametrize("page", ["list", "groups", "grid"])
async def test_what_a_list_says_of_its_rows_and_columns(tools: Tools, page: str) -> None:
    """A ListView does not count its rows since Android 11, and a GridView leaves out the last row
    when that is not full; the place of each row is told all the same."""
    counted = {"list": (1000, 1), "groups": (2, 1)} if tools.api < 30 else {}
    await tools.android.show(page)
    state = await tools.android.state(page)
    expected = (333, 3) if page == "grid" else counted.get(page, (-1, -1))
    assert (state["rows"], state["columns"]) == expected
    down = ["0,0", "0,1", "0,2", "1,0", "1,1"] if page == "grid" else ["0,0", "1,0"]
    assert state["places"][: len(down)] == down
