"""Models' names of keys."""

import difflib

from ...driver.by_shell.keys import KEY_NAMES, SYSTEM_BUTTONS, read_key
from ...errors import InvalidParams
from ...screen.rows.words import clean, cut

BUTTONS = {
    "back": "press_back",
    "home": "press_home",
    "recents": "press_recents",
    "notifications": "open_notifications",
    "quick_settings": "open_quick_settings",
}
"""The phone's own buttons, and the main tools that press them."""
HIDE_KEYBOARD = "hide_keyboard"
GOES_BACK = frozenset({"back", "escape"})
"""Keys that Android turns into back if no app takes them."""
SETS = {
    **dict.fromkeys(("volume_up", "volume_down", "volume_mute"), "set_volume"),
    **dict.fromkeys(("brightness_up", "brightness_down"), "set_appearance"),
    **dict.fromkeys(("power", "sleep", "wakeup", "endcall"), "set_screen"),
}
"""Keys that change a setting, and the main tools that set it."""
_CLICKS = frozenset({"enter", "space", "center"})
"""Keys that click the element with the focus, unless it is a field."""
_CUTS_AND_COPIES = frozenset(
    {"copy", "cut", "ctrl+c", "ctrl+x", "ctrl+insert", "shift+forward_del"}
)
_PASTES = frozenset({"paste", "ctrl+v", "shift+insert"})
"""Keys with which Android's text fields use the clipboard."""
IN_FIELD = {"enter": "enter", "del": "del", "tab": "tab", "space": "space"}
"""Keys that are typed into the focused field."""
_SHORT = {HIDE_KEYBOARD: "back"}
"""What has no key, and the key that does it."""
_NAMES = {
    "delete": "del",
    "backspace": "del",
    "return": "enter",
    "esc": "escape",
    "app_switch": "recents",
    "overview": "recents",
    "dpad_up": "up",
    "dpad_down": "down",
    "dpad_left": "left",
    "dpad_right": "right",
}
"""Other names of keys."""


def key_name(key: str) -> str:
    """Return the name of a key for pressing it and for rules: `KEYCODE_BACK` is `back`."""
    word = key.strip().lower()
    held, plus, last = word.rpartition("+")
    last = last.strip().replace(" ", "_").replace("-", "_").removeprefix("keycode_")
    return f"{held.replace(' ', '')}{plus}{_NAMES.get(last, last)}"


def clipboard_tool(name: str) -> str:
    """Return the main tool with the same effect on the clipboard as this key; "" for other keys.
    Apps may accept more modifiers, such as ctrl+shift+v."""
    *held, key = name.split("+")
    pressed = {key, *(f"{each}+{key}" for each in held)}
    if pressed & _PASTES:
        return "get_clipboard"
    return "set_clipboard" if pressed & _CUTS_AND_COPIES else ""


def is_shortcut(name: str) -> bool:
    """Whether it may be one of Android's own keyboard shortcuts, which differ between releases:
    they go back or home, or open a panel or the overview."""
    *held, key = name.split("+")
    return "meta" in held or ("alt" in held and key == "tab")


def clicks(key: str) -> bool:
    """Whether this key, in its raw form, clicks the focused element."""
    return key_name(key).rpartition("+")[2] in _CLICKS


def pressed_key(name: str) -> str:
    """Return the driver's key for a name from `key_name`. Raises InvalidParams."""
    key = _SHORT.get(name, name)
    if key in SYSTEM_BUTTONS:
        return key
    try:
        read_key(key)
    except InvalidParams:
        known = (*SYSTEM_BUTTONS, *_SHORT, *KEY_NAMES)
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"Nearest: {', '.join(near)}." if near else "back, enter, up or ctrl+a are some."
        raise InvalidParams(f'There is no key "{cut(clean(name), 40)}". {hint}') from None
    return key
