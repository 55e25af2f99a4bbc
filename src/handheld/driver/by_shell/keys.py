"""Keys by name, alone or with modifiers: `paste`, `ctrl+a`, `shift+tab`."""

from typing import NamedTuple

from ...errors import InvalidParams
from ...screen.text import brief

SYSTEM_BUTTONS = ("back", "home", "recents", "notifications", "quick_settings")
"""System buttons and panels, which are not key events."""


class Modifier(NamedTuple):
    code: int
    """The key code of the left key."""
    meta: int
    """The modifier's bit in an event's meta state."""


MODIFIERS = {
    "shift": Modifier(59, 1),
    "alt": Modifier(57, 2),
    "ctrl": Modifier(113, 0x1000),
    "meta": Modifier(117, 0x10000),
}

CODES = {
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(ord("a") + letter): 29 + letter for letter in range(26)},
    **{f"f{number}": 130 + number for number in range(1, 13)},
    "enter": 66,
    "tab": 61,
    "space": 62,
    "del": 67,
    "forward_del": 112,
    "escape": 111,
    "up": 19,
    "down": 20,
    "left": 21,
    "right": 22,
    "center": 23,
    "insert": 124,
    "page_up": 92,
    "page_down": 93,
    "move_home": 122,
    "move_end": 123,
    "cut": 277,
    "copy": 278,
    "paste": 279,
    "search": 84,
    "menu": 82,
    "assist": 219,
    "camera": 27,
    "call": 5,
    "endcall": 6,
}
_ALSO_ASLEEP = {
    "power": 26,
    "sleep": 223,
    "wakeup": 224,
    "volume_up": 24,
    "volume_down": 25,
    "volume_mute": 164,
    "brightness_up": 221,
    "brightness_down": 220,
    "media_play_pause": 85,
    "media_stop": 86,
    "media_next": 87,
    "media_previous": 88,
    "media_rewind": 89,
    "media_fast_forward": 90,
    "media_play": 126,
    "media_pause": 127,
}
"""Keys that work while the screen is off. Handheld does not switch the screen on for them: the
power key would switch it off again."""
_SHORTCUTS = {"select_all": "ctrl+a", "undo": "ctrl+z", "redo": "ctrl+shift+z"}
"""Names for key combinations."""

KEY_NAMES = (*CODES, *_ALSO_ASLEEP, *_SHORTCUTS)


class KeyPress(NamedTuple):
    code: int
    modifiers: tuple[Modifier, ...] = ()
    wakes: bool = True
    """Whether a screen that is off is switched on before the key is pressed."""

    @property
    def meta(self) -> int:
        return sum(modifier.meta for modifier in self.modifiers)


def read_key(name: str) -> KeyPress:
    """Raises InvalidParams."""
    words = name.strip().lower()
    *held, key = _SHORTCUTS.get(words, words).split("+")
    code = CODES.get(key, _ALSO_ASLEEP.get(key))
    if code is None or len(set(held)) < len(held) or not MODIFIERS.keys() >= set(held):
        raise InvalidParams(
            f"Unknown key '{brief(name)}'. A key is one of"
            f" {', '.join((*SYSTEM_BUTTONS, *KEY_NAMES))}; it may be prefixed with"
            f" {', '.join(f'{each}+' for each in MODIFIERS)}, each once."
        )
    return KeyPress(code, tuple(MODIFIERS[each] for each in held), key not in _ALSO_ASLEEP)
