"""Touches and keys from the shell: their effects, and the errors of each release."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phone_shell import Result, new_phone, run, run_while_time_passes
from wire_client import until

from handheld_virtual.input.key_codes import CODES, code_of, last_code
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.android import android
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.widgets.field import Field
from handheld_virtual.world import World

FORM = "dev.handheld.form"


def events(phone: VirtualPhone) -> list[tuple[object, ...]]:
    return [(event.kind, *event.details) for event in phone.world.events]


def focus(world: World) -> str | None:
    window = world.focused_window
    assert window is not None
    return window.focus.id if window.focus is not None else None


def field(world: World, name: str) -> Field:
    window = world.focused_window
    assert window is not None
    (found,) = [view for view in window.root.walk() if isinstance(view, Field) and view.id == name]
    return found


@pytest.mark.parametrize(
    ("words", "reached"),
    [
        ("tap 10 20.5", [("touch", "down", 0, 10.0, 20.5), ("touch", "up", 0, 10.0, 20.5)]),
        ("touchscreen tap 1 2", [("touch", "down", 0, 1.0, 2.0), ("touch", "up", 0, 1.0, 2.0)]),
        ("mouse -d 0 tap 1 2", [("touch", "down", 0, 1.0, 2.0), ("touch", "up", 0, 1.0, 2.0)]),
        ("-d DEFAULT_DISPLAY tap 1 -2 3", [("touch", "down", 0, 1.0, -2.0)]),
        ("motionevent down 5 6", [("touch", "down", 0, 5.0, 6.0)]),
        ("keyevent HOME KEYCODE_BACK 24", [("key", 3), ("key", 4), ("key", 24)]),
        ("keyevent --longpress 26", [("key", 26)]),
        ("keyevent nonsense 9999", [("key", 0), ("key", 0)]),
        ("keyboard text a%sb", [("type", "a b")]),
        ("text a%%sb", [("type", "a% b")]),
        ("press", [("key", 23)]),
        ("roll 2 -1", [("key", 22), ("key", 22)]),
        ("trackball roll 0 -1", [("key", 19)]),
        # Events that do not reach the screen have no effect, and cause no message.
        ("motionevent CANCEL", []),
        ("joystick tap 1 2", []),
        ("-d 3 tap 1 2", []),
        ("-d 3 keyevent 3", []),
    ],
)
async def test_input_reaches_the_world(words: str, reached: list[tuple[object, ...]]):
    phone = new_phone()
    phone.world.events.clear()
    assert await run(phone, f"input {words}") == Result("")
    assert events(phone)[: len(reached) or None] == reached


async def test_a_cancel_ends_the_touch_that_another_command_began():
    phone = new_phone()
    phone.world.events.clear()
    for words in ("DOWN 5 6", "CANCEL 0 0"):
        await run(phone, f"input motionevent {words}")
    assert [event[1] for event in events(phone)] == ["down", "cancel"]


async def test_a_swipe_follows_the_clock_and_a_drag_holds_first():
    for command, took in (("swipe", 32), ("draganddrop", 532)):
        phone = new_phone()
        phone.world.events.clear()
        got = await run_while_time_passes(phone, f"input {command} 0 500 0 100 32", 5000)
        assert got == Result("")
        assert phone.clock.now() == took
        assert events(phone) == [
            ("touch", "down", 0, 0.0, 500.0),
            ("touch", "move", 0, 0.0, 300.0),
            ("touch", "move", 0, 0.0, 100.0),
            ("touch", "up", 0, 0.0, 100.0),
        ]


async def test_killed_drag_cancels_its_touch():
    clock = ManualClock()
    phone = new_phone(clock=clock)
    drag = asyncio.create_task(run(phone, "input draganddrop 0 500 0 100"))
    await until(lambda: clock.sleepers)
    phone.kill("input")
    assert (await drag).code == 137
    assert events(phone)[-1] == ("touch", "cancel", 0, 0.0, 500.0)


EXPECTED = 'java.lang.IllegalArgumentException: Argument expected after "{}"\n'
THROWN = "\nException occurred while executing '{}':\n"
INVALID = "Error: Invalid arguments for command: "


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tap", Result("", THROWN.format("tap") + EXPECTED.format("tap"), 255)),
        ("tap 1", Result("", THROWN.format("tap") + EXPECTED.format("1"), 255)),
        ("mouse", Result("", THROWN.format("mouse") + EXPECTED.format("mouse"), 255)),
        (
            "tap 1 x",
            Result(
                "",
                THROWN.format("tap") + f"java.lang.IllegalArgumentException: {INVALID}tap\n",
                255,
            ),
        ),
        (
            "-d x tap 1 2",
            Result(
                "",
                THROWN.format("-d")
                + "java.lang.IllegalArgumentException: Error: Invalid arguments for display ID.\n",
                255,
            ),
        ),
        (
            "text zażółć",
            Result(
                "",
                THROWN.format("text")
                + "java.lang.NullPointerException: Attempt to get length of null array\n",
                255,
            ),
        ),
        (
            "keycombination 113",
            Result(
                "",
                THROWN.format("keycombination") + "java.lang.IllegalArgumentException: "
                "keycombination requires at least 2 keycodes\n",
                255,
            ),
        ),
        ("nope", Result("Unknown command: nope\n")),
    ],
)
async def test_input_errors_are_exceptions_since_android_12(words: str, expected: Result):
    phone = new_phone()
    phone.world.events.clear()
    assert await run(phone, f"input {words}") == expected
    assert phone.world.events == []


@pytest.mark.parametrize(
    ("api", "words", "first", "last", "code"),
    [
        (28, "tap 1", INVALID + "tap", None, 0),
        (28, "tap 1 2 3", INVALID + "tap", None, 0),
        (28, "motionevent DOWN 1 2", "Error: Unknown command: motionevent", None, 0),
        (28, "-d 0 tap 1 2", "Error: Unknown command: -d", None, 0),
        (28, "keyevent --longpress", INVALID + "keyevent", None, 0),
        (30, "tap 1", None, 'Error: Argument expected after "1"', 0),
        (30, "tap 1 x", None, f"Error: {INVALID}tap", 0),
        (30, "keycombination 1 2", None, "Error: Unknown command: keycombination", 0),
        (
            30,
            "text ä",
            "java.lang.NullPointerException: Attempt to get length of null array",
            None,
            1,
        ),
    ],
)
async def test_input_errors_print_the_usage_before_android_12(
    api: int, words: str, first: str | None, last: str | None, code: int
):
    phone = new_phone(api)
    phone.world.events.clear()
    got = await run(phone, f"input {words}")
    lines = got.stderr.splitlines()
    assert (got.stdout, got.code, phone.world.events) == ("", code, [])
    assert first is None or lines[0] == first
    assert last is None or lines[-1] == last
    assert code or (
        "      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)" in lines
    )


@pytest.mark.parametrize("api", [28, 30, 34])
async def test_usage_lists_what_the_release_supports(api: int):
    got = await run(new_phone(api), "input")
    text = got.stderr if api == 28 else got.stdout
    assert text.startswith("Usage: input [<source>] ")
    assert ("-d DISPLAY_ID" in text, "motionevent" in text) == (api >= 29, api >= 29)
    assert ("keycombination" in text, "--doubletap" in text) == (api >= 31, api >= 31)


async def test_vendor_switch_refuses_input():
    phone = new_phone()
    phone.world.input_refused = True
    got = await run(phone, "input tap 1 2")
    assert (got.stdout, got.code) == ("", 255)
    assert "java.lang.SecurityException: Injecting input events requires" in got.stderr
    assert "INJECT_EVENTS" in got.stderr


@pytest.mark.parametrize(("api", "downs"), [(35, 2), (36, 1)])
async def test_leftover_finger_blocks_the_next_since_api_36(api: int, downs: int):
    phone = new_phone(api)
    got = await run(phone, "input motionevent DOWN 5 5; input tap 9 9")
    assert (got.stderr, got.code) == ("", 0)
    touches = [event.details[0] for event in phone.world.events]
    assert touches == ["down"] * downs + ["up"]  # "up" lifts every finger that is down
    phone.world.events.clear()
    await run(phone, "input tap 9 9")
    assert [event.details[0] for event in phone.world.events] == ["down", "up"]


# Keys


def test_every_key_has_its_number():
    assert (CODES["HOME"], CODES["A"], CODES["ENTER"], CODES["F12"]) == (3, 29, 66, 142)
    assert (CODES["APP_SWITCH"], CODES["PASTE"], CODES["MACRO_4"]) == (187, 279, 316)
    assert sorted(CODES.values()) == list(range(len(CODES)))
    assert [last_code(android(api)) for api in (26, 28, 30, 33, 34, 36)] == [
        283,
        285,
        288,
        304,
        316,
        318,
    ]


@given(st.text(max_size=20) | st.sampled_from(sorted(CODES)) | st.integers().map(str))
def test_any_word_is_a_known_key_of_the_release_or_unknown(word: str):
    assert 0 <= code_of(word, android(34)) <= last_code(android(34))


async def test_keys_move_the_focus_and_click():
    phone = new_phone()
    world = phone.world
    world.show(FORM)
    await run(phone, "input keyevent TAB")
    first = focus(world)
    assert first is not None
    await run(phone, "input keyevent TAB; input keyevent DPAD_DOWN")
    assert focus(world) not in (None, first)
    await run(phone, "input keycombination SHIFT_LEFT TAB; input keyevent DPAD_UP")
    assert focus(world) == first
    while focus(world) != "submit":
        await run(phone, "input keyevent TAB")
    await run(phone, "input keyevent DPAD_CENTER")
    shown = await run_while_time_passes(phone, "uiautomator dump /dev/tty", 2000)
    assert 'text="Name is required"' in shown.stdout


async def test_keys_edit_select_copy_and_paste():
    phone = new_phone()
    world = phone.world
    world.show(FORM)
    await run(phone, "input keyevent TAB; input text Anna")
    name = focus(world)
    assert name is not None
    await run(phone, "input keycombination CTRL_LEFT A; input keycombination CTRL_LEFT C")
    assert world.clipboard.paste() == "Anna"
    await run(phone, "input keyevent MOVE_END PASTE; input keycombination SHIFT_LEFT B")
    assert field(world, name).content == "AnnaAnnaB"
    await run(phone, "input keyevent MOVE_HOME FORWARD_DEL DPAD_RIGHT DEL NUMPAD_7")
    assert field(world, name).content == "7naAnnaB"
    await run(phone, "input keycombination 113 29; input keyevent CUT")
    assert (field(world, name).content, world.clipboard.paste()) == ("", "7naAnnaB")


async def test_a_new_line_in_a_text_is_the_enter_key():
    phone = new_phone()
    phone.world.show(FORM)
    await run(phone, "input keyevent TAB")
    phone.world.events.clear()
    assert await run(phone, "input text 'a\nb\t'") == Result("")
    assert events(phone) == [("type", "a"), ("key", 66), ("type", "b"), ("key", 61)]


async def test_system_keys_have_their_effect():
    phone = new_phone()
    world = phone.world
    before = world.display.brightness
    await run(phone, "input keyevent BRIGHTNESS_UP")
    assert world.display.brightness > before
    await run(phone, "input keyevent VOLUME_UP VOLUME_UP VOLUME_DOWN")
    assert world.preferences.get("system", "volume_music_speaker") == "6"
    await run(phone, "input keyevent VOLUME_MUTE")
    assert world.preferences.get("system", "volume_music_speaker") == "0"
    await run(phone, "input keyevent SETTINGS")
    assert world.foreground == ("com.android.settings", "com.android.settings.Settings")
    await run(phone, "input keyevent CALCULATOR")
    assert world.foreground == ("com.android.calculator2", "com.android.calculator2.Calculator")
    await run(phone, "input keyevent HOME; input keyevent SLEEP; input tap 500 500")
    assert not world.awake
    await run(phone, "input keyevent WAKEUP")
    assert world.awake
