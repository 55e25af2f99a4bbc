"""The phone's own buttons."""

import pytest

from handheld.errors import InvalidParams

from .conftest import Bench


async def test_back_goes_back(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    await bench.call("click_element", element_id=(await settings_row(bench, "Display")))
    assert bench.world.front.title == "Display"
    bench.events()
    assert await bench.call("press_back") == "Back button press executed successfully"
    assert bench.events() == [("press", "back")]
    assert bench.world.front.title == "Settings"


async def test_home_goes_home(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    assert await bench.call("press_home") == "Home button press executed successfully"
    assert bench.events() == [("press", "home")]
    assert bench.world.front.app.package == "com.android.launcher3"


@pytest.mark.parametrize("name", ["press_back", "press_home"])
async def test_buttons_take_no_arguments(bench: Bench, name: str) -> None:
    failure = await bench.failure(name, times=2)
    assert type(failure) is InvalidParams
    assert failure.message == "Unknown parameter 'times'. This tool takes none."
    assert bench.events() == []


async def settings_row(bench: Bench, title: str) -> str:
    """The id of the clickable row that holds that title."""
    rows = await bench.rows()
    above = next(number for number, row in enumerate(rows) if row[2] == title)
    return next(row[0] for row in reversed(rows[:above]) if "clk" in row[6])
