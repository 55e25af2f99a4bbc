"""The screen follows the preferences, and changes them."""

import pytest

from handheld.screen.model import Flag
from handheld_virtual.system.android import android
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.preferences import TABLES, Preferences, defaults
from handheld_virtual.views.drawing import theme
from handheld_virtual.world import World

from .finger import Finger, centre

SETTINGS, CALCULATOR = "com.android.settings", "com.android.calculator2"


def page(world: World, title: str) -> None:
    world.start(SETTINGS, ".SubSettings", {"title": title})


def switched(finger: Finger, title: str) -> bool:
    """The state of the switch on the line with this title."""
    nodes = finger.nodes()
    at = next(number for number, node in enumerate(nodes) if node.text == title)
    switch = next(n for n in nodes[at:] if (n.resource_id or "").endswith("switch_widget"))
    return bool(switch.flags & Flag.CHECKED)


def test_every_default_is_a_string_in_a_known_table():
    for api in (26, 28, 30, 34):
        values = defaults(android(api))
        assert set(values) == set(TABLES)
        assert all(isinstance(v, str) for table in values.values() for v in table.values())
    assert "navigation_mode" not in defaults(android(28))["secure"]


def test_a_value_that_is_no_number_reads_as_the_default():
    preferences = Preferences({"system": {"screen_brightness": "bright"}})
    assert preferences.number("system", "screen_brightness", 102) == 102
    assert preferences.number("system", "missing", 7) == 7


@pytest.mark.parametrize(
    ("title", "line", "table", "name"),
    [
        ("Network & internet", "Airplane mode", "global", "airplane_mode_on"),
        ("Network & internet", "Wi‑Fi", "global", "wifi_on"),
        ("Connected devices", "Bluetooth", "global", "bluetooth_on"),
        ("Display", "Auto-rotate screen", "system", "accelerometer_rotation"),
        ("Display", "Adaptive brightness", "system", "screen_brightness_mode"),
        ("Date & time", "Set time automatically", "global", "auto_time"),
        ("Developer options", "USB debugging", "global", "adb_enabled"),
    ],
)
def test_a_switch_writes_its_preference_and_follows_it(
    world: World, finger: Finger, title: str, line: str, table: str, name: str
):
    page(world, title)
    before = world.preferences.is_on(table, name)
    assert switched(finger, line) == before
    finger.tap(line)
    assert (world.preferences.is_on(table, name), switched(finger, line)) == (not before,) * 2
    world.preferences.turn(table, name, before)
    assert switched(finger, line) == before


def test_airplane_mode_by_its_preference_silences_the_radios(world: World, finger: Finger):
    world.preferences.put("global", "airplane_mode_on", "1")
    assert [world.switches[name] for name in ("airplane", "wifi")] == [True, False]
    assert world.preferences.get("global", "wifi_on") == "0"
    assert "airplane_mode" in {(n.resource_id or "").rpartition("/")[2] for n in finger.nodes()}
    world.preferences.put("global", "airplane_mode_on", "0")
    assert world.preferences.get("global", "wifi_on") == "1"


def level(finger: Finger) -> str:
    """The position in the description of a page's slider."""
    return (finger.find("seekbar").description or "").rpartition(", ")[2]


def test_a_slider_is_dragged_tapped_and_scrolled(world: World, finger: Finger):
    page(world, "Display")
    bar = finger.find("seekbar")
    assert (bar.class_name, bar.text, world.display.brightness) == (
        "android.widget.SeekBar",
        None,
        102,
    )
    assert bar.description == "Brightness level, 40%"
    assert world.automation.perform(bar.key, "scroll_forward")
    assert (world.display.brightness, level(finger)) == (115, "45%")
    x, y = centre(bar)
    world.touch("down", 0, x, y)
    for step in range(1, 6):
        world.touch("move", 0, x + step * 200, y)
    world.touch("up", 0, x + 1000, y)
    assert (world.display.brightness, level(finger)) == (255, "100%")
    assert not world.automation.perform(bar.key, "scroll_forward")
    finger.tap_at(x, y)
    assert (world.display.brightness, level(finger)) == (128, "50%")
    finger.drag(x, y, y - 400)  # this can scroll the page, but not move the slider
    assert world.display.brightness == 128


def test_the_slider_in_quick_settings_is_the_same_brightness(world: World, finger: Finger):
    world.press("quick_settings")
    world.preferences.put("system", "screen_brightness", "255")
    slider = finger.find("slider")
    assert slider.description == "Display brightness, 100%"
    world.automation.perform(slider.key, "scroll_backward")
    assert world.preferences.get("system", "screen_brightness") == "242"


def test_brightness_is_not_in_pictures(world: World):
    before = world.picture(300).tobytes()
    world.display.brightness = 1
    assert world.picture(300).tobytes() == before


@pytest.mark.parametrize(
    ("value", "scale"),
    [("1.3", 1.3), ("9", 2.0), ("0.1", 0.85), ("nan", 1.0), ("big", 1.0), ("inf", 2.0)],
)
def test_letters_grow_with_their_preference(world: World, value: str, scale: float):
    world.launch(SETTINGS)
    finger = Finger(world)
    before = finger.find("Apps").bounds
    world.press("home")
    world.preferences.put("system", "font_scale", value)
    assert world.display.font_scale == scale
    world.launch(SETTINGS)
    after = finger.find("Apps").bounds
    assert (after.right - after.left) == pytest.approx((before.right - before.left) * scale, abs=1)


def test_the_size_of_letters_is_chosen_from_a_list(world: World, finger: Finger):
    page(world, "Display")
    finger.tap("Font size", "Largest")
    assert world.preferences.get("system", "font_scale") == "1.3"
    assert "Largest" in finger.texts()


# Dark


def test_the_dark_theme_is_seen_at_once_and_changes_no_node(world: World, finger: Finger):
    world.launch(CALCULATOR)
    key = centre(finger.find("digit_5"))
    spot = (round(key[0]) - 60, round(key[1]))
    nodes = finger.nodes()
    assert world.picture().getpixel(spot) == tuple(theme.SURFACE_HIGH)
    world.preferences.put("secure", "ui_night_mode", "2")
    assert world.display.night
    assert world.picture().getpixel(spot) == theme.at_night(theme.SURFACE_HIGH)
    assert finger.nodes() == nodes
    world.switches.turn("dark")
    assert world.preferences.get("secure", "ui_night_mode") == "1"
    assert world.picture().getpixel(spot) == tuple(theme.SURFACE_HIGH)


def test_the_dark_theme_has_one_switch_in_three_places(world: World, finger: Finger):
    page(world, "Display")
    finger.tap("Dark theme")
    assert (world.display.night, world.switches["dark"]) == (True, True)
    world.press("quick_settings")
    finger.tap("Dark theme")
    assert not world.display.night
    world.press("back")
    assert not switched(finger, "Dark theme")


@pytest.mark.parametrize("screen", [SETTINGS, CALCULATOR, "dev.handheld.notes", "home", "lock"])
def test_words_can_be_told_from_their_ground_at_night(world: World, screen: str):
    """The text is light on a dark background: most of the picture is dark, and a part is light."""
    if screen == "lock":
        world.locked = True
    elif screen != "home":
        world.launch(screen)
    world.switches.turn("dark")
    grey = world.picture(400).convert("L").histogram()
    total = sum(grey)
    assert sum(grey[:110]) > total * 0.8
    assert sum(grey[200:]) > 50


def test_a_mixture_of_roles_is_mixed_at_night_too():
    mixed = theme.mix(theme.SURFACE, theme.ON_SURFACE, 0.5)
    day, night = (248, 250, 253), theme.at_night(theme.SURFACE)
    assert mixed == tuple(round((a + 31) / 2) for a in day)
    assert theme.at_night(mixed) == tuple(round((a + 227) / 2) for a in night)
    assert theme.mix(theme.WHITE, theme.BLACK, 1) == theme.BLACK


# Turned


def test_what_is_shown_follows_the_phone_only_with_auto_rotate(world: World):
    world.switches.turn("rotate")
    world.rotate(1)
    assert (world.rotation, world.width) == (0, 1080)
    world.preferences.put("system", "user_rotation", "3")
    assert (world.rotation, world.width) == (3, 2400)
    world.switches.turn("rotate")
    assert world.rotation == 1
    world.switches.turn("rotate")
    assert (world.rotation, world.preferences.get("system", "user_rotation")) == (1, "1")
    world.rotate(0)
    assert world.rotation == 1


@pytest.mark.parametrize("value", ["4", "-1", "left"])
def test_a_rotation_that_there_is_not_leaves_the_screen_upright(world: World, value: str):
    world.preferences.turn("system", "accelerometer_rotation", False)
    world.preferences.put("system", "user_rotation", value)
    assert world.rotation == 0


@pytest.mark.parametrize(
    ("rotation", "order", "side"),
    [
        (0, ["back", "home", "recent_apps"], (0, 2274, 1080, 2400)),
        (1, ["recent_apps", "home", "back"], (2274, 0, 2400, 1080)),
        (3, ["back", "home", "recent_apps"], (0, 0, 126, 1080)),
    ],
)
def test_the_navigation_bar_stays_at_the_end_of_the_phone(
    world: World, rotation: int, order: list[str], side: tuple[int, int, int, int]
):
    world.rotate(rotation)
    bar = world.automation.read_windows()[0]
    assert bar.nodes[0].bounds == side
    buttons = [n for n in bar.nodes if n.class_name == "android.widget.ImageButton"]
    assert [(n.resource_id or "").rpartition("/")[2] for n in buttons] == order
    app = world.automation.read_windows()[-1]
    content = next(n for n in app.nodes if n.resource_id == "android:id/content").bounds
    assert not (content.left < side[2] and side[0] < content.right and content.bottom > side[1])


def seen(world: World) -> list[tuple[object, ...]]:
    """The nodes without their keys, because as on Android some views are new."""
    return [
        (window.title, n.depth, n.class_name, n.text, n.description, n.resource_id, n.bounds)
        for window in world.automation.read_windows()
        for n in window.nodes
    ]


SCREENS = (
    *("com.android.launcher3", SETTINGS, CALCULATOR),
    *("dev.handheld.notes", "dev.handheld.gallery", "dev.handheld.form"),
)


@pytest.mark.parametrize("package", SCREENS)
def test_an_app_that_is_turned_and_back_is_as_it_was(world: World, package: str):
    world.bring(package)
    before = seen(world)
    world.rotate(3)
    assert world.automation.read_windows()[-1].nodes[0].bounds == (0, 0, 2400, 1080)
    assert seen(world) != before
    world.rotate(0)
    assert seen(world) == before


def test_a_formula_survives_the_turn(world: World, finger: Finger):
    world.launch(CALCULATOR)
    finger.tap("digit_7", "op_mul")
    world.rotate(1)
    finger.tap("digit_6", "eq")
    world.rotate(0)
    assert finger.text("result") == "42"


# Settings


def test_a_build_number_tapped_seven_times_makes_a_developer(world: World, finger: Finger):
    world.preferences.put("global", "development_settings_enabled", "0")
    world.launch(SETTINGS)
    home = world.front
    page(world, "About phone")
    for _ in range(6):
        finger.tap("Build number")
    assert finger.text("footer") == "You are now 1 step away from being a developer."
    assert world.preferences.get("global", "development_settings_enabled") == "0"
    finger.tap("Build number")
    assert finger.text("footer") == "You are now a developer!"
    assert world.preferences.get("global", "development_settings_enabled") == "1"
    finger.tap("Build number")
    assert finger.text("footer") == "No need, you are already a developer."
    assert home is not world.front


def test_an_app_is_stopped_from_its_page(world: World, finger: Finger):
    world.launch(CALCULATOR)
    world.start(SETTINGS, ".applications.InstalledAppDetails", {"package": CALCULATOR})
    assert world.running.pids(CALCULATOR)
    finger.tap("force_stop", "OK")
    assert not world.running.pids(CALCULATOR)
    assert not finger.find("force_stop").flags & Flag.ENABLED
    assert not finger.find("uninstall").flags & Flag.ENABLED


def test_the_timeout_is_chosen_from_a_list(world: World, finger: Finger):
    page(world, "Display")
    finger.tap("Screen timeout", "5 minutes")
    assert world.preferences.get("system", "screen_off_timeout") == "300000"
    summary = "After 5 minutes of inactivity; stays on while plugged in"
    assert summary in finger.texts()
    world.preferences.put("global", "stay_on_while_plugged_in", "0")
    assert "After 5 minutes of inactivity" in finger.texts()


def test_the_name_of_the_phone_is_a_preference(clock: ManualClock):
    world = World(clock=clock)
    page(world, "About phone")
    world.preferences.put("global", "device_name", "My phone")
    assert "My phone" in Finger(world).texts()


def test_settings_are_found_by_their_words(world: World, finger: Finger):
    def titles() -> list[str | None]:
        return [n.text for n in finger.nodes() if n.resource_id == "android:id/title"]

    world.launch(SETTINGS)
    every = titles()
    assert len(every) > 5
    finger.tap("search_action_bar_title")
    world.type_text("wi-fi")
    assert titles() == ["Network & internet"]
    world.type_text("zzz")
    assert titles() == []
    assert finger.text("no_results") == "No results"
    field = finger.find("search_action_bar_title")
    world.automation.set_text(field.key, "")
    world.input_method.hide()
    assert titles() == every
