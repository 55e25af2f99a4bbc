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
    left, top, right, bottom = map(int, (await tools.android.state("button"))["bounds"].split(","))
    await tools.call("tap", x=(left + right) // 2, y=(top + bottom) // 2)
    assert await tools.android.log() == ["button clicked"]
