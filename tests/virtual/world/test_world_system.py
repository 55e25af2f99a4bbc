"""The phone's own screens: recent apps, notifications, quick settings."""

import pytest

from handheld.screen.model import Flag
from handheld_virtual.apps.launcher.app import Home
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.notifications import NotificationAction
from handheld_virtual.world import World

from .finger import Finger, centre

HOME = "com.android.launcher3"
SETTINGS, CALCULATOR = "com.android.settings", "com.android.calculator2"


def titles(world: World) -> list[str | None]:
    return [window.title for window in world.automation.read_windows()]


def drag(world: World, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag without a fling, because all events are at the same time."""
    (x, y), (to_x, to_y) = start, end
    world.touch("down", 0, x, y)
    for step in range(1, 11):
        world.touch("move", 0, x + (to_x - x) * step / 10, y + (to_y - y) * step / 10)
    world.touch("up", 0, to_x, to_y)


# Recent apps


@pytest.fixture
def recents(world: World) -> World:
    world.launch(SETTINGS)
    world.launch(CALCULATOR)
    assert world.press("recents")
    return world


def cards(finger: Finger) -> list[str | None]:
    return [n.description for n in finger.nodes() if (n.resource_id or "").endswith("/task")]


def test_recents_shows_a_card_for_each_app_the_newest_last(recents: World, finger: Finger):
    assert recents.foreground is not None
    assert recents.foreground[0] == HOME
    assert cards(finger) == ["Settings", "Calculator"]
    assert [n.text for n in finger.nodes() if n.resource_id == f"{HOME}:id/title"] == cards(finger)
    left, _, right, _ = finger.find("Calculator").bounds
    assert 0 < left < right < 1080


def test_a_tap_on_a_card_brings_the_app_back(recents: World, finger: Finger):
    finger.tap("Calculator")
    assert recents.front.app.package == CALCULATOR
    recents.press("home")
    assert cards(finger) == []
    assert "Search apps" in finger.texts()


def test_cards_are_beside_one_another_and_scroll(recents: World, finger: Finger):
    assert finger.find("Settings").bounds.right < 0 or not (
        finger.find("Settings").flags & Flag.VISIBLE
    )
    drag(recents, (400, 1000), (900, 1000))
    assert finger.find("Settings").flags & Flag.VISIBLE
    assert recents.automation.perform(finger.find("task_list").key, "scroll_forward")
    assert not finger.find("Settings").flags & Flag.VISIBLE


def test_a_card_thrown_up_closes_its_app(recents: World, finger: Finger):
    x, y = 540, 1200
    drag(recents, (x, y), (x, y - 200))
    assert cards(finger) == ["Settings", "Calculator"]
    drag(recents, (x, y), (x, y - 900))
    assert cards(finger) == ["Settings"]
    assert recents.running.pids(CALCULATOR) == []
    assert recents.front.app.package == HOME


def test_a_cancelled_throw_leaves_the_card_where_it_was(recents: World, finger: Finger):
    before = finger.find("Calculator").bounds
    recents.touch("down", 0, 540, 1200)
    recents.touch("move", 0, 540, 300)
    assert finger.find("Calculator").bounds != before
    recents.touch("cancel", 0, 540, 300)
    assert finger.find("Calculator").bounds == before


def test_an_app_that_is_ended_by_force_leaves_recents(recents: World, finger: Finger):
    recents.stop(CALCULATOR)
    assert cards(finger) == ["Settings"]


def test_clear_all_closes_every_app(recents: World, finger: Finger):
    finger.tap("Clear all")
    assert recents.tasks.recent == []
    assert "Search apps" in finger.texts()
    recents.press("recents")
    assert finger.text("empty_message") == "No recent items"


@pytest.mark.parametrize("button", ["back", "home"])
def test_back_and_home_lead_from_recents_to_the_home_screen(
    recents: World, finger: Finger, button: str
):
    recents.press(button)
    assert isinstance(recents.front, Home)
    assert "Search apps" in finger.texts()


def test_recents_pressed_twice_goes_to_the_app_before_the_last(recents: World):
    recents.press("recents")
    assert recents.front.app.package == SETTINGS
    recents.press("recents")
    recents.press("recents")
    assert recents.front.app.package == CALCULATOR


def test_an_app_that_comes_to_the_front_ends_recents(recents: World, finger: Finger):
    recents.launch(SETTINGS)
    recents.press("home")
    assert "Search apps" in finger.texts()


@pytest.mark.slow
def test_a_card_shows_its_apps_screen_and_a_secure_one_nothing(recents: World):
    def colors() -> int:
        box = (300, 500, 800, 1900)
        return len(recents.picture().crop(box).getcolors(1 << 20) or ())

    shown = colors()
    recents.secure_packages.add(CALCULATOR)
    assert colors() < shown / 4


# Notifications


@pytest.fixture
def shade(world: World) -> World:
    world.launch(SETTINGS)
    world.notify(CALCULATOR, "Result", "It is 42.")
    world.notify(SETTINGS, "Update", "Up to date.")
    assert world.press("notifications")
    return world


def notification_titles(finger: Finger) -> list[str | None]:
    return [n.text for n in finger.nodes() if n.resource_id == "android:id/title"]


def test_the_shade_is_a_window_of_the_system_over_all_others(shade: World, finger: Finger):
    assert [(w.type, w.package, w.title, w.focused) for w in shade.automation.read_windows()] == [
        ("SYSTEM", "com.android.systemui", "Navigation bar", False),
        ("SYSTEM", "com.android.systemui", "Notification shade", True),
    ]
    assert notification_titles(finger) == ["Update", "Result"]
    assert [n.text for n in finger.nodes() if n.resource_id == "android:id/text"] == [
        "Up to date.",
        "It is 42.",
    ]


def test_back_closes_the_shade_and_nothing_else(shade: World):
    shade.press("back")
    assert titles(shade) == ["Navigation bar", "Status bar", "Settings"]
    shade.press("notifications")
    shade.press("home")
    assert titles(shade)[-1] == "Launcher"


def test_a_tap_on_a_notification_opens_its_app_and_takes_it_away(shade: World, finger: Finger):
    finger.tap("Result")
    assert shade.front.app.package == CALCULATOR
    assert [note.title for note in shade.notifications.posted] == ["Update"]
    assert titles(shade)[-1] == "Calculator"


def test_an_app_may_say_what_a_tap_does(world: World, finger: Finger):
    opened: list[str] = []
    world.notify("com.nobody", "Hello", "there", on_open=lambda: opened.append("it"))
    world.press("notifications")
    finger.tap("Hello")
    assert opened == ["it"]
    assert world.front.app.package == HOME


def test_a_notification_swiped_aside_is_gone(shade: World, finger: Finger):
    x, y = centre(finger.find("Update"))
    drag(shade, (x, y), (x + 100, y))
    assert notification_titles(finger) == ["Update", "Result"]
    drag(shade, (x, y), (x + 600, y))
    assert notification_titles(finger) == ["Result"]


def test_ongoing_notifications_stay(world: World, finger: Finger):
    world.notify(SETTINGS, "Music", "Song", ongoing=True)
    world.notify(SETTINGS, "Update", "Up to date.")
    world.press("notifications")
    finger.tap("dismiss_text")
    assert notification_titles(finger) == ["Music"]
    world.notifications.dismiss(world.notifications.posted[0])
    assert notification_titles(finger) == ["Music"]


def test_buttons_of_a_notification_are_pressed_in_the_panel(world: World, finger: Finger):
    pressed: list[str] = []
    world.notify(
        CALCULATOR,
        "Ada",
        "Hello",
        actions=(
            NotificationAction("Mute", pressed.append),
            NotificationAction("Answer", pressed.append, takes_text=True),
        ),
    )
    world.press("notifications")
    finger.tap("Mute")
    assert pressed == [""]
    finger.tap("Answer")
    assert (pressed, world.front.app.package) == ([""], CALCULATOR)


def test_those_of_another_user_are_not_shown(world: World, finger: Finger):
    world.notify(SETTINGS, "Work", "", user=10)
    world.press("notifications")
    assert finger.text("no_notifications") == "No notifications"


def test_a_snoozed_group_comes_back(world: World):
    for title in ("one", "two"):
        world.notify(SETTINGS, title, "", group="g")
    summary = world.notify(SETTINGS, "all", "", group="g", summary=True)
    other = world.notify(CALCULATOR, "other", "", group="g")
    world.notifications.snooze(summary, 1000)
    assert world.notifications.posted == [other]
    world.notifications.forget(SETTINGS)
    assert world.notifications.snoozed == []


def test_clear_all_takes_every_notification(shade: World, finger: Finger):
    finger.tap("Clear all")
    assert shade.notifications.posted == []
    assert finger.text("no_notifications") == "No notifications"


def test_what_is_told_while_the_shade_is_open_appears_in_it(shade: World, finger: Finger):
    before = shade.automation.seq
    shade.notify(SETTINGS, "Battery", "86%")
    assert notification_titles(finger)[0] == "Battery"
    assert shade.automation.seq > before


def test_the_status_bar_has_a_sign_for_each_app_that_told_something(world: World, finger: Finger):
    for number in range(3):
        world.notify(SETTINGS, f"Update {number}", "")
    world.notify(CALCULATOR, "Result", "")
    words = [n.description for n in finger.nodes() if "notification:" in (n.description or "")]
    assert words == ["Calculator notification: Result", "Settings notification: Update 2"]


def test_an_app_keeps_no_more_than_fifty_notifications(world: World):
    for number in range(60):
        world.notify(SETTINGS, str(number), "")
    assert [note.title for note in world.notifications.posted] == [
        str(number) for number in range(59, 9, -1)
    ]


async def test_a_notification_says_how_old_it_is(world: World, finger: Finger, clock: ManualClock):
    world.notify(SETTINGS, "Update", "")
    seen: list[str | None] = []
    for minutes in (0, 5, 120):
        await clock.advance(minutes * 60_000)
        world.press("notifications")
        seen.append(finger.text("app_name_text"))
        world.press("back")
    assert seen == ["Settings • now", "Settings • 5m", "Settings • 2h"]


async def test_the_shades_clock_goes_on(shade: World, finger: Finger, clock: ManualClock):
    assert (finger.text("clock"), finger.text("date")) == ("9:41", "Wed, Feb 11")
    await clock.advance(60_000)
    assert (finger.text("clock"), finger.text("app_name_text")) == ("9:42", "Settings • 1m")


def test_a_swipe_down_from_the_status_bar_opens_the_shade(world: World):
    drag(world, (500, 30), (500, 60))
    assert titles(world)[-1] == "Launcher"
    drag(world, (500, 30), (500, 900))
    assert titles(world)[-1] == "Notification shade"


def test_a_swipe_up_closes_the_shade_and_one_down_opens_quick_settings(
    shade: World, finger: Finger
):
    drag(shade, (500, 1700), (500, 1900))
    assert "Airplane mode" in finger.texts()
    drag(shade, (500, 1700), (500, 1200))
    assert titles(shade)[-1] == "Settings"


def test_the_keyboard_goes_when_the_shade_comes(world: World, finger: Finger):
    world.launch("dev.handheld.form")
    finger.tap("name")
    assert "Keyboard" in titles(world)
    world.press("notifications")
    world.press("back")
    assert "Keyboard" not in titles(world)


def test_many_notifications_scroll(world: World, finger: Finger):
    for number in range(30):
        world.notify(SETTINGS, f"Note {number}", "Words")
    world.press("notifications")
    assert finger.find("Note 29").flags & Flag.VISIBLE
    assert not finger.find("Note 0").flags & Flag.VISIBLE
    assert world.automation.perform(
        finger.find("notification_stack_scroller").key, "scroll_forward"
    )
    assert not finger.find("Note 29").flags & Flag.VISIBLE


# Quick settings


def states(world: World) -> dict[str | None, str | None]:
    texts = [
        n
        for window in world.automation.read_windows()
        for n in window.nodes
        if (n.resource_id or "").endswith(("/tile_label", "/app_label"))
    ]
    return {name.text: state.text for name, state in zip(texts[::2], texts[1::2], strict=True)}


def test_tiles_say_what_is_on_and_switch(world: World, finger: Finger):
    assert world.press("quick_settings")
    assert states(world) == {
        "Wi‑Fi": "On",
        "Bluetooth": "Off",
        "Flashlight": "Off",
        "Auto-rotate": "On",
        "Airplane mode": "Off",
        "Dark theme": "Off",
    }
    finger.tap("Flashlight", "Auto-rotate")
    assert (states(world)["Flashlight"], states(world)["Auto-rotate"]) == ("On", "Off")
    assert (world.switches["torch"], world.switches["rotate"]) == (True, False)
    tile = finger.find("tile_torch")
    assert tile.class_name == "android.widget.Switch"
    assert tile.flags & Flag.CHECKED
    assert world.automation.perform(tile.key, "click")
    assert not finger.find("tile_torch").flags & Flag.CHECKED


def test_airplane_mode_silences_the_radios_and_gives_them_back(world: World, finger: Finger):
    def signs() -> set[str]:
        names = ("airplane_mode", "wifi_signal", "mobile_signal")
        ids = {(n.resource_id or "").rpartition("/")[2] for n in finger.nodes()}
        return ids.intersection(names)

    assert signs() == {"wifi_signal", "mobile_signal"}
    world.press("quick_settings")
    finger.tap("Airplane mode")
    assert (states(world)["Wi‑Fi"], states(world)["Airplane mode"]) == ("Off", "On")
    world.press("back")
    assert signs() == {"airplane_mode"}
    world.press("quick_settings")
    finger.tap("Airplane mode")
    world.press("back")
    assert signs() == {"wifi_signal", "mobile_signal"}


def test_a_radio_switched_on_in_airplane_mode_stays_on(world: World):
    for name in ("airplane", "bluetooth", "airplane"):
        world.switches.turn(name)
    assert [world.switches[name] for name in ("airplane", "bluetooth", "wifi")] == [
        False,
        True,
        True,
    ]


def test_the_gear_opens_settings(world: World, finger: Finger):
    world.press("quick_settings")
    finger.tap("settings_button")
    assert titles(world)[-1] == "Settings"


def test_panels_follow_one_another_in_one_window(world: World):
    world.press("notifications")
    window = world.automation.read_windows()[-1].id
    world.press("quick_settings")
    assert world.automation.read_windows()[-1].id == window
    world.press("notifications")
    world.press("recents")
    assert titles(world)[-1] == "Launcher"


def test_the_keys_of_a_keyboard_open_them_too(world: World, finger: Finger):
    world.key(187)
    assert finger.text("empty_message") == "No recent items"
    world.key(83)
    assert titles(world)[-1] == "Notification shade"
