"""The phone's own buttons."""

import pytest

from handheld.errors import ActionFailed, PermissionDenied

from .conftest import Bench


def pressed(bench: Bench, button: str) -> list[tuple[object, ...]]:
    """What the phone has of it: the shell's buttons are keys."""
    codes = {"back": 4, "home": 3, "recents": 187}
    return [("key", codes[button]) if bench.by == "shell" else ("press", button)]


async def test_back_goes_back(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    await bench.call("click_element", element_id=(await settings_row(bench, "Display")))
    assert bench.world.front.title == "Display"
    bench.events()
    assert await bench.call("press_back") == "Back button press executed successfully"
    assert bench.events() == pressed(bench, "back")
    assert bench.world.front.title == "Settings"


async def test_home_goes_home(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    assert await bench.call("press_home") == "Home button press executed successfully"
    assert bench.events() == pressed(bench, "home")
    assert bench.world.front.app.package == "com.android.launcher3"


async def texts(bench: Bench) -> list[str]:
    return [row[2] for row in await bench.rows()]


async def test_recents_shows_the_apps_used_lately(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    bench.world.show("com.android.calculator2")
    assert await bench.call("press_recents") == "Recents button press executed successfully"
    assert bench.events() == pressed(bench, "recents")
    screen = await bench.call("get_screen_state")
    assert "pkg:com.android.launcher3" in screen
    assert "Clear all" in await texts(bench)
    card = next(row for row in await bench.rows() if row[3] == "Calculator" and "clk" in row[6])
    await bench.call("click_element", element_id=card[0])
    assert bench.world.front.app.package == "com.android.calculator2"


async def test_a_card_is_thrown_away_by_a_swipe(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    bench.world.show("com.android.calculator2")
    await bench.call("press_recents")
    await bench.passing(bench.call("swipe", x1=540, y1=1400, x2=540, y2=300))
    assert [task.app.label for task in bench.world.tasks.recent] == ["Settings"]
    assert "Calculator" not in await texts(bench)


async def test_notifications_are_pulled_down_and_read(bench: Bench) -> None:
    bench.world.show("com.android.settings")
    bench.world.notify("com.android.calculator2", "Result", "It is 42.")
    assert await bench.call("open_notifications") == "Open notifications executed successfully"
    assert bench.events() == [("press", "notifications")]
    screen = await bench.call("get_screen_state")
    assert "title:Notification shade" in screen
    assert "com.android.settings" not in screen
    shown = await texts(bench)
    assert ("Result" in shown, "It is 42." in shown) == (True, True)
    assert await bench.call("press_back") == "Back button press executed successfully"
    assert "Result" not in await texts(bench)


async def test_a_notification_is_opened_by_its_id(bench: Bench) -> None:
    bench.world.notify("com.android.calculator2", "Result", "It is 42.")
    await bench.call("open_notifications")
    rows = await bench.rows()
    at = next(number for number, row in enumerate(rows) if row[2] == "Result")
    card = next(row for row in reversed(rows[:at]) if "clk" in row[6])
    await bench.call("click_element", element_id=card[0])
    assert bench.world.front.app.package == "com.android.calculator2"
    assert bench.world.notifications.posted == []


async def test_a_swipe_from_the_top_pulls_down_the_shade(bench: Bench) -> None:
    await bench.passing(bench.call("swipe", x1=540, y1=10, x2=540, y2=1200))
    assert "No notifications" in await texts(bench)
    await bench.passing(bench.call("swipe", x1=540, y1=1800, x2=540, y2=600))
    assert "No notifications" not in await texts(bench)


async def test_quick_settings_open_and_switch(bench: Bench) -> None:
    assert await bench.call("open_quick_settings") == "Open quick settings executed successfully"
    assert bench.events() == [("press", "quick_settings")]

    async def tile(name: str) -> tuple[str, str]:
        """The tile's id, and what it stands at."""
        rows = await bench.rows()
        at = next(number for number, row in enumerate(rows) if row[2] == name)
        return next(row[0] for row in reversed(rows[:at]) if row[3] == name), rows[at + 1][2]

    for name, key in (("Airplane mode", "airplane"), ("Flashlight", "torch")):
        for state, other in (("Off", "On"), ("On", "Off")):
            id, shown = await tile(name)
            assert shown == state
            await bench.call("click_element", element_id=id)
            assert bench.world.switches[key] == (other == "On")


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("press_back", "Back button press"),
        ("press_home", "Home button press"),
        ("press_recents", "Recents button press"),
        ("open_notifications", "Open notifications"),
        ("open_quick_settings", "Open quick settings"),
    ],
)
@pytest.mark.parametrize("wake", [False])
async def test_no_button_is_pressed_on_a_phone_that_is_to_stay_dark(
    bench: Bench, name: str, reply: str
) -> None:
    bench.world.awake = False
    failure = await bench.failure(name)
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"{reply} failed: The screen is off: a button would have no effect. Wake the phone first."
        " Nothing was done.",
    )
    assert failure.details == ()
    assert bench.events() == []


@pytest.mark.parametrize(
    "name",
    ["press_back", "press_home", "press_recents", "open_notifications", "open_quick_settings"],
)
@pytest.mark.by_helper(
    "they are keys of `input`, which needs no UiAutomation: see test_without_helper"
)
async def test_a_button_needs_uiautomation(bench: Bench, name: str) -> None:
    bench.world.automation.holder = "uiautomator2"
    failure = await bench.failure(name)
    assert (type(failure), failure.message) == (
        PermissionDenied,
        "Android's UiAutomation is held by another program (uiautomator2). Only one program at a"
        " time can have it. Stop that program (uiautomator2, Appium and test runs are the usual"
        " ones) and try again; if it is another Handheld, run `handheld phones release` there.",
    )
    assert bench.events() == []
    bench.world.automation.holder = None


async def settings_row(bench: Bench, title: str) -> str:
    """The id of the clickable row that holds that title."""
    rows = await bench.rows()
    above = next(number for number, row in enumerate(rows) if row[2] == title)
    return next(row[0] for row in reversed(rows[:above]) if "clk" in row[6])
