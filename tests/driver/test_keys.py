"""Keys by name, through the helper and through the shell."""

from collections.abc import AsyncIterator

import pytest

from handheld.driver import Driver
from handheld.driver.by_shell.keys import KEY_NAMES, KeyPress, read_key
from handheld.driver.by_shell.keystrokes import key_line
from handheld.driver.by_shell.unsupported import NeedsHelper, Unsupported
from handheld.errors import InvalidParams
from handheld_virtual.apps.form import ContactForm
from handheld_virtual.input.hard_keys import VOLUME
from handheld_virtual.input.key_codes import CODES
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.views.widgets.field import Field
from harness.phones import reached

FORM = "dev.handheld.form"
_OTHER_NAMES = {
    "up": "DPAD_UP",
    "down": "DPAD_DOWN",
    "left": "DPAD_LEFT",
    "right": "DPAD_RIGHT",
    "center": "DPAD_CENTER",
    "select_all": "A",
    "undo": "Z",
    "redo": "Z",
}


@pytest.mark.parametrize("name", KEY_NAMES)
def test_every_name_is_that_of_androids_key(name: str) -> None:
    assert read_key(name).code == CODES[_OTHER_NAMES.get(name, name.upper())]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("paste", "input -d 0 keyevent 279"),
        ("Volume_Up", "input -d 0 keyevent 24"),
        ("select_all", "input -d 0 keycombination 113 29"),
        ("ctrl+a", "input -d 0 keycombination 113 29"),
        ("shift+tab", "input -d 0 keycombination 59 61"),
        ("ctrl+shift+z", "input -d 0 keycombination 113 59 54"),
        ("alt+tab", "input -d 0 keycombination 57 61"),
        ("meta+i", "input -d 0 keycombination 117 37"),
    ],
)
def test_a_key_is_pressed_by_androids_command(name: str, line: str) -> None:
    assert key_line(read_key(name), 34) == line


@pytest.mark.parametrize(("api", "line"), [(28, "input keyevent 4"), (29, "input -d 0 keyevent 4")])
def test_a_key_names_its_display_since_android_10(api: int, line: str) -> None:
    assert key_line(KeyPress(4), api) == line


def test_modifiers_are_bits_of_the_events_meta_state() -> None:
    assert read_key("shift+alt+ctrl+meta+a").meta == 0x11003
    assert read_key("power") == KeyPress(26, wakes=False)


@pytest.mark.parametrize("name", ["", "nothing", "ctrl", "ctrl+", "+a", "a+ctrl", "ctrl+ctrl+a"])
def test_an_unknown_key_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        read_key(name)
    assert caught.value.message.startswith(f"Unknown key '{name}'. A key is one of back, home, ")
    assert caught.value.message.endswith(" ctrl+, meta+, each once.")


class Pressed:
    def __init__(self, device: VirtualPhone, driver: Driver, by: str) -> None:
        self.world, self.driver, self.by = device.world, driver, by

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.driver.press(key)

    def field(self, id: str) -> Field:
        form = self.world.front
        assert isinstance(form, ContactForm)
        assert form.window is not None
        found = next(view for view in form.window.root.walk() if view.id == id)
        assert isinstance(found, Field)
        return found


@pytest.fixture
def api() -> int:
    return 34


@pytest.fixture(params=["helper", "shell"])
async def pressed(request: pytest.FixtureRequest, api: int) -> AsyncIterator[Pressed]:
    async with reached(VirtualPhone(api=api), request.param) as used:
        yield Pressed(used.device, used.driver, request.param)


async def test_text_is_selected_cut_copied_and_pasted_by_keys(pressed: Pressed) -> None:
    pressed.world.show(FORM)
    field = pressed.field("notes")
    field.click()
    field.content = "abc"
    await pressed.press("select_all", "copy", "move_end", "paste")
    assert field.content == "abcabc"
    await pressed.press("ctrl+a", "cut")
    assert (field.content, pressed.world.clipboard.paste()) == ("", "abcabc")
    await pressed.press("paste", "ctrl+move_home", "forward_del", "right", "del", "shift+x", "7")
    assert field.content == "X7cabc"


async def test_tab_and_shift_tab_move_the_focus(pressed: Pressed) -> None:
    pressed.world.show(FORM)
    pressed.field("name").click()
    await pressed.press("tab")
    assert pressed.field("email").focused
    await pressed.press("shift+tab")
    assert pressed.field("name").focused
    await pressed.press("down")
    assert pressed.field("email").focused


async def test_keys_of_the_phone_need_no_screen(pressed: Pressed) -> None:
    loudness = pressed.world.preferences.number("system", VOLUME, 5)
    await pressed.press("volume_up", "media_play_pause")
    assert pressed.world.preferences.number("system", VOLUME, 5) == loudness + 1
    await pressed.press("power")
    assert not pressed.world.awake
    await pressed.press("power")
    assert pressed.world.awake
    await pressed.press("sleep")
    assert not pressed.world.awake


async def test_a_key_for_what_is_shown_switches_the_screen_on(pressed: Pressed) -> None:
    pressed.world.awake = False
    await pressed.press("escape")
    assert pressed.world.awake


async def test_buttons_of_the_system_are_pressed_by_the_same_verb(pressed: Pressed) -> None:
    pressed.world.show(FORM)
    await pressed.press("home")
    assert pressed.world.foreground is not None
    assert pressed.world.foreground[0] == "com.android.launcher3"


@pytest.mark.parametrize("api", [30])
async def test_keys_together_need_the_helper_before_android_12(pressed: Pressed) -> None:
    pressed.world.show(FORM)
    field = pressed.field("notes")
    field.click()
    field.content = "abc"
    if pressed.by == "helper":
        await pressed.press("select_all")
        assert field.editing.selection == (0, 3)
        return
    with pytest.raises(NeedsHelper) as caught:
        await pressed.press("select_all")
    assert caught.value.unsupported is Unsupported.COMBINATIONS
    assert field.editing.selection == (0, 0)
    await pressed.press("paste")  # a key of its own
