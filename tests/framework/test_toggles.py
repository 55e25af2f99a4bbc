"""Buttons, boxes and bars of Android's own."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "toggles"


async def test_a_button_is_clicked_once(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_of("button"))
    assert await tools.android.log() == ["button clicked"]


@pytest.mark.parametrize("view", ["box", "switch", "Red"])
async def test_a_click_checks_it_and_the_screen_shows_so(tools: Tools, view: str) -> None:
    before = await tools.row_of(view)
    assert before[6].endswith(",ena,unchk")
    await tools.call("click_element", element_id=before[0])
    assert (await tools.android.state(view))["checked"] is True
    assert (await tools.row_of(view))[6].endswith(",ena,chk")
    assert "chk" not in (await tools.row_of("button"))[6]


async def test_a_tap_at_its_middle_clicks_a_button(tools: Tools) -> None:
    await tools.tap_middle(await tools.row_of("button"))
    assert await tools.android.log() == ["button clicked"]


async def test_an_item_of_a_spinner_is_chosen(tools: Tools) -> None:
    await tools.call("click_element", element_id=await tools.id_of("spinner"))
    await tools.call("wait_for_element", by="text", value="Row 3", timeout=20_000)
    await tools.tap_middle(await tools.find("Row 3"))
    await tools.android.elapse(500)
    assert (await tools.android.state("spinner"))["chosen"] == 3
    assert (await tools.find("Row 3"))[1] == "TextView"


async def test_a_slider_is_seen_by_its_description_and_set_by_a_tap(tools: Tools) -> None:
    row = await tools.find("Volume")
    assert row[1] == "SeekBar"
    left, top, right, bottom = map(int, row[5].split(","))
    await tools.call("tap", x=left + (right - left) * 7 // 10, y=(top + bottom) // 2)
    assert (await tools.android.state("bar"))["progress"] == 7


async def test_a_slider_is_dragged(tools: Tools) -> None:
    left, top, right, bottom = map(int, (await tools.find("Volume"))[5].split(","))
    y = (top + bottom) // 2
    await tools.call("swipe", x1=left + 60, y1=y, x2=right - 20, y2=y, duration=400)
    assert (await tools.android.state("bar"))["progress"] == 10
