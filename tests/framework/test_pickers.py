"""Pickers of Android's own, set by the tools."""

import pytest

from .conftest import Tools

pytestmark = pytest.mark.needs_framework

PAGE = "pickers"


async def test_a_day_is_chosen_by_a_click_or_where_android_marks_it_not_so_by_a_tap(
    tools: Tools,
) -> None:
    day = await tools.find("20 February 2026")
    if "clk" in day[6]:
        await tools.call("click_element", element_id=day[0])
    else:
        assert "or tap it" in await tools.failure("click_element", element_id=day[0])
        await tools.tap_middle(day)
    state = await tools.android.state("date")
    assert (state["month"], state["day"]) == (2, 20)


async def test_a_tap_on_an_hour_chooses_it(tools: Tools) -> None:
    [nine] = [row for row in await tools.rows() if row[3] == "9" and "RadialTime" in row[1]]
    await tools.tap_middle(nine)
    assert (await tools.android.state("time"))["hour"] % 12 == 9


async def test_a_click_on_the_next_number_chooses_it(tools: Tools) -> None:
    await tools.android.show("number")
    assert (await tools.android.state("number"))["value"] == 5
    [following] = [row for row in await tools.rows() if row[1] == "Button" and row[2] == "6"]
    await tools.call("click_element", element_id=following[0])
    await tools.android.elapse(1000)
    assert (await tools.android.state("number"))["value"] == 6
