"""Views of Android's own that are neither fields nor buttons."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "custom"


async def test_children_that_no_view_stands_for_are_read_and_clicked(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_by_text("Field 1"))
    assert await tools.android.log() == ["field 1"]


async def test_a_view_is_long_clicked(tools: Tools) -> None:
    await tools.call("long_click_element", element_id=await tools.id_by_text("Message"))
    assert await tools.android.log() == ["message held"]


async def test_an_element_is_described_whole(tools: Tools) -> None:
    name = await tools.id_by_text("Message")
    assert f"{name}\tMessage\t" in await tools.call("get_element_details", ids=[name])


@pytest.mark.parametrize(
    ("by", "value"), [("text", "message"), ("class_name", "android.widget.TextView")]
)
async def test_an_element_is_found_and_waited_for(tools: Tools, by: str, value: str) -> None:
    name = await tools.id_by_text("Message")
    assert name in await tools.call("find_elements", by=by, value=value)
    assert name in await tools.call("wait_for_element", by=by, value=value, timeout=5000)


async def test_a_missing_element_is_reported(tools: Tools) -> None:
    assert '"elements":[]' in await tools.call("find_elements", by="text", value="Nowhere")


async def test_a_group_is_opened(tools: Tools) -> None:
    await tools.android.show("groups")
    assert "Fruit 0" not in await tools.call("get_screen_state")
    group = await tools.find("Fruit")
    left, top, right, bottom = map(int, group[5].split(","))
    await tools.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    await tools.call("wait_for_element", by="text", value="Fruit 0", timeout=20_000)
    # Since Android 14 a group tells by its actions whether it is open.
    told = [row[6].split(",")[-1] for row in (group, await tools.find("Fruit"))]
    assert told == (["col", "exp"] if tools.api >= 34 else ["ena", "ena"])


async def test_a_tab_is_chosen(tools: Tools) -> None:
    await tools.android.show("tabs")
    assert "Content of One" in await tools.call("get_screen_state")
    left, top, right, bottom = map(int, (await tools.find("TWO", "Two"))[5].split(","))
    await tools.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    await tools.call("wait_for_element", by="text", value="Content of Two", timeout=20_000)


async def test_a_screen_is_read_again_while_the_app_still_answers(tools: Tools) -> None:
    await tools.android.linger()
    assert await tools.rows() == await tools.rows()


async def test_pickers_are_read(tools: Tools) -> None:
    await tools.android.show("pickers")
    screen = await tools.call("get_screen_state")
    assert "2026" in screen


async def test_both_ways_of_scrolling_are_read(tools: Tools) -> None:
    await tools.android.show("scrolling")
    await tools.call("swipe", x1=540, y1=1800, x2=540, y2=800, duration=400)
    assert (await tools.android.state("down"))["scroll"] > 0
