"""The lock screen: its content, unlocking, and the information that it hides."""

import pytest

from handheld.screen.model import Flag
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system_ui.keyguard import TRIES, WAIT_S
from handheld_virtual.world import World

from .finger import Finger

POWER, MENU, ENTER, DELETE, HOME, BACK, WAKE = 26, 82, 66, 67, 3, 4, 224
CALCULATOR = "com.android.calculator2"


@pytest.fixture
def guarded(world: World) -> World:
    """A phone with a PIN that was switched off and woken: it shows the lock screen."""
    world.keyguard.set_pin("2468")
    world.key(POWER)
    world.key(WAKE)
    return world


def titles(world: World) -> list[str | None]:
    return [window.title for window in world.automation.read_windows()]


def swipe(world: World, start: float, end: float) -> None:
    world.touch("down", 0, 540, start)
    for step in range(1, 6):
        world.touch("move", 0, 540, start + (end - start) * step / 5)
    world.touch("up", 0, 540, end)


def test_without_a_lock_the_power_key_only_turns_the_screen_off(world: World):
    world.launch(CALCULATOR)
    world.key(POWER)
    assert (world.awake, world.locked, world.keyguard.kind) == (False, False, "none")
    world.key(POWER)
    assert titles(world)[-1] == "Calculator"


@pytest.mark.parametrize(
    ("api", "title", "hint"),
    [(28, "StatusBar", "Swipe up to unlock"), (34, "NotificationShade", "Swipe up to open")],
)
def test_a_locked_phone_shows_its_lock_screen_alone(api: int, title: str, hint: str):
    world = World(clock=ManualClock(), api=api)
    world.notify("dev.handheld.notes", "Shopping", "Milk")
    world.launch(CALCULATOR)
    world.locked = True
    windows = world.automation.read_windows()
    assert [(w.package, w.title, w.focused) for w in windows] == [
        ("com.android.systemui", title, True)
    ]
    texts = Finger(world).texts()
    assert texts == ["9:41", "Wed, Feb 11", "Notes", "Shopping", "Milk", hint]
    assert world.foreground == (CALCULATOR, f"{CALCULATOR}.Calculator")


def test_a_swipe_up_opens_a_phone_without_a_pin(world: World):
    world.launch(CALCULATOR)
    world.keyguard.set_kind("swipe")
    world.key(POWER)
    world.key(WAKE)
    swipe(world, 1800, 1790)
    assert world.locked
    swipe(world, 1800, 900)
    assert not world.locked
    assert titles(world)[-1] == "Calculator"


def test_a_swipe_asks_for_the_pin_where_one_is_set(guarded: World, finger: Finger):
    swipe(guarded, 1800, 900)
    assert guarded.locked
    assert finger.text("keyguard_message_area") == "Enter your PIN"
    entry = finger.find("pinEntry")
    assert entry.class_name == "android.widget.EditText"
    assert entry.flags & Flag.PASSWORD
    finger.tap("key2", "key4", "key9")
    assert finger.text("pinEntry") == "•••"
    finger.tap("delete_button", "key6", "key8", "key_enter")
    assert not guarded.locked


def test_the_menu_key_and_typed_digits_open_it_as_scripts_do(guarded: World):
    guarded.key(MENU)
    guarded.type_text("2468")
    guarded.key(ENTER)
    assert not guarded.locked
    assert titles(guarded)[-1] == "Launcher"


async def test_wrong_pin_is_reported_and_five_cause_a_waiting_time(
    guarded: World, finger: Finger, clock: ManualClock
):
    guarded.key(MENU)
    for number in range(TRIES):
        guarded.type_text("1111")
        guarded.key(ENTER)
        shown = f"Try again in {WAIT_S} seconds." if number == TRIES - 1 else "Wrong PIN"
        assert finger.text("keyguard_message_area") == shown
    guarded.type_text("2468")
    guarded.key(ENTER)
    assert guarded.locked
    assert not finger.find("key5").flags & Flag.ENABLED
    await clock.advance((WAIT_S - 1) * 1000)
    assert finger.text("keyguard_message_area") == "Try again in 1 second."
    await clock.advance(1000)
    assert finger.text("keyguard_message_area") == "Enter your PIN"
    guarded.type_text("2468")
    guarded.key(ENTER)
    assert not guarded.locked


@pytest.mark.parametrize("key", [BACK, HOME])
def test_back_and_home_lead_from_the_pin_to_the_lock_screen(
    guarded: World, finger: Finger, key: int
):
    guarded.key(MENU)
    guarded.type_text("24")
    guarded.key(key)
    assert finger.find("lockscreen_clock_view").text == "9:41"
    guarded.key(key)
    assert guarded.locked
    guarded.key(MENU)
    assert finger.text("pinEntry") == ""


def test_an_app_that_is_launched_starts_behind_the_lock_screen(guarded: World):
    guarded.launch(CALCULATOR)
    assert titles(guarded) == ["NotificationShade"]
    guarded.locked = False
    assert titles(guarded)[-1] == "Calculator"


def test_what_is_typed_does_not_reach_the_app_behind(world: World, finger: Finger):
    world.launch("dev.handheld.form")
    finger.tap("name")
    world.locked = True
    world.type_text("secret")
    world.key(29)
    world.locked = False
    assert finger.text("name") == "Full name"  # the hint, because nothing was typed


def test_a_notification_on_the_lock_screen_opens_after_the_pin(guarded: World, finger: Finger):
    guarded.notify("dev.handheld.notes", "Shopping", "Milk")
    finger.tap("Shopping")
    assert guarded.locked
    guarded.type_text("2468")
    guarded.key(ENTER)
    assert titles(guarded)[-1] == "Notes"


def test_notifications_are_hidden_according_to_the_setting(guarded: World, finger: Finger):
    guarded.notify("dev.handheld.notes", "Shopping", "Milk")
    assert "Shopping" in finger.texts()
    guarded.preferences.put("secure", "lock_screen_show_notifications", "0")
    assert "Shopping" not in finger.texts()


def test_the_panel_comes_down_over_the_lock_screen(guarded: World, finger: Finger):
    guarded.press("notifications")
    assert titles(guarded)[-1] == "Notification shade"
    guarded.press("quick_settings")
    finger.tap("settings_button")
    assert finger.text("keyguard_message_area") == "Enter your PIN"
    guarded.type_text("2468")
    guarded.key(ENTER)
    assert titles(guarded)[-1] == "Settings"


@pytest.mark.parametrize("pin", ["123", "12a4", "1" * 17, "", "１２３４"])
def test_invalid_pin_is_rejected(world: World, pin: str):
    with pytest.raises(ValueError, match="4 to 16 digits"):
        world.keyguard.set_pin(pin)
    assert world.keyguard.kind == "none"


async def test_screen_times_out_and_locks(guarded: World, clock: ManualClock):
    guarded.locked = False
    await clock.advance(3_600_000)
    guarded.settle()
    assert guarded.awake  # it is plugged in, and set to stay on
    guarded.preferences.put("system", "screen_off_timeout", "30000")
    guarded.preferences.put("global", "stay_on_while_plugged_in", "0")
    guarded.settle()
    assert not guarded.awake  # it has not been used for an hour
    guarded.key(WAKE)
    guarded.locked = False
    await clock.advance(20_000)
    guarded.touch("cancel", 0, 0, 0)
    await clock.advance(29_000)
    guarded.settle()
    assert guarded.awake
    await clock.advance(1_000)
    guarded.settle()
    assert (guarded.awake, guarded.locked) == (False, True)


def test_the_settings_app_sets_the_lock(world: World, finger: Finger):
    world.start("com.android.settings", ".SubSettings", {"title": "Security & privacy"})
    finger.tap("Screen lock", "Swipe")
    assert (world.keyguard.kind, "Swipe" in finger.texts()) == ("swipe", True)
    finger.tap("Screen lock", "PIN", "PIN")  # the choice, then the field with the same hint
    world.type_text("97531")
    finger.tap("OK")
    assert (world.keyguard.kind, "PIN" in finger.texts()) == ("pin", True)
    world.key(POWER)
    world.key(MENU)
    world.key(WAKE)
    world.key(MENU)
    world.type_text("97531")
    world.key(ENTER)
    assert not world.locked
