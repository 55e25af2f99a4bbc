"""Views of Android's own that are neither fields nor buttons."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "custom"


async def test_children_that_no_view_stands_for_are_read_and_clicked(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_by_text("Field 1"))
    assert await tools.android.log() == ["field 1"]


async def test_a_group_is_opened(tools: Tools) -> None:
    await tools.android.show("groups")
    assert "Fruit 0" not in await tools.call("get_screen_state")
    left, top, right, bottom = map(int, (await tools.find("Fruit"))[5].split(","))
    await tools.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    await tools.call("wait_for_element", by="text", value="Fruit 0", timeout=20_000)


async def test_a_tab_is_chosen(tools: Tools) -> None:
    await tools.android.show("tabs")
    assert "Content of One" in await tools.call("get_screen_state")
    left, top, right, bottom = map(int, (await tools.find("TWO", "Two"))[5].split(","))
    await tools.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    await tools.call("wait_for_element", by="text", value="Content of Two", timeout=20_000)


async def test_pickers_are_read(tools: Tools) -> None:
    await tools.android.show("pickers")
    screen = await tools.call("get_screen_state")
    assert "2026" in screen


async def test_both_ways_of_scrolling_are_read(tools: Tools) -> None:
    await tools.android.show("scrolling")
    await tools.call("swipe", x1=540, y1=1800, x2=540, y2=800, duration=400)
    assert (await tools.android.state("down"))["scroll"] > 0
