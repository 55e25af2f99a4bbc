"""`input`: injects touches and keys. Up to Android 11 it is a Java program; since then it is part
of system_server, with other messages."""

import asyncio
import re
from collections.abc import Awaitable, Callable

from ...faults import REFUSED_INPUT
from ...input.hard_keys import MODIFIERS
from ...input.key_codes import code_of
from ...system.android import Android
from ..call import CommandCall, refuse

SWIPE_MS = 300
STEP_MS = 16
LONG_PRESS_MS = 500
"""How long a finger is down before a drag."""
DOUBLE_TAP_MS = 40
MOST_MS = 24 * 60 * 60 * 1000
"""A limit of durations, to keep sums within the clock's range."""

SOURCES = {
    "dpad": False,
    "keyboard": False,
    "mouse": True,
    "touchpad": False,
    "gamepad": False,
    "touchnavigation": False,
    "joystick": False,
    "touchscreen": True,
    "stylus": True,
    "trackball": False,
}
"""For each source, whether its coordinates are positions on the screen."""

_USAGE = """\
Usage: input [<source>] {display}<command> [<arg>...]

The sources are: 
{sources}
{about}The commands and default sources are:
      text <string> (Default: keyboard)
      keyevent [{keys}] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
"""  # noqa: W291 (Android's own space)
_ABOUT_DISPLAY = """\
[-d]: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)

"""
_MOTION = "      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)\n"
_COMBINATION = "      keycombination{wait} <key code 1> <key code 2> ... (Default: keyboard)\n"
_INVALID = "Error: Invalid arguments for command: "
_MOTIONS = {"DOWN": "down", "UP": "up", "MOVE": "move", "CANCEL": "cancel"}
_DPAD_UP, _DPAD_DOWN, _DPAD_LEFT, _DPAD_RIGHT, _DPAD_CENTER = range(19, 24)
_TAB, _ENTER = 61, 66
_MOST_ROLLED = 20
_NO_KEY = (
    "java.lang.NullPointerException: Attempt to invoke virtual method 'boolean"
    " java.lang.String.startsWith(java.lang.String)' on a null object reference"
)


class Wrong(Exception):
    """The arguments are wrong. The message is Android's."""


class Thrown(Exception):
    """An uncaught Java exception, with its class and message."""


class Words:
    """The remaining arguments."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._last = ""
        self.display: int | None = None
        """The display that key events name."""

    def next(self) -> str | None:
        if not self._words:
            return None
        self._last = self._words.pop(0)
        return self._last

    def required(self) -> str:
        before = self._last
        word = self.next()
        if word is None:
            raise Wrong(f'Argument expected after "{before}"')
        return word

    def number(self) -> float:
        """Parse a number as Java parses a float."""
        word = self.required()
        if not re.fullmatch(
            r"[-+]?(\d{1,40}|\d{1,20}\.\d{0,20}|\.\d{1,20})([eE][-+]?\d{1,2})?[fFdD]?", word
        ):
            raise ValueError(word)
        return float(word.rstrip("fFdD"))

    def duration(self) -> int:
        word = self.next()
        return SWIPE_MS if word is None else _milliseconds(word)

    def __len__(self) -> int:
        return len(self._words)


def _milliseconds(word: str) -> int:
    if not re.fullmatch(r"[-+]?\d{1,10}", word):
        raise ValueError(word)
    number = int(word)
    # As in Android, a negative duration means the default.
    return SWIPE_MS if number < 0 else min(number, MOST_MS)


async def input(call: CommandCall) -> None:
    """`input ARGUMENTS`, which since Android 12 is also `cmd input ARGUMENTS`."""
    arguments = call.arguments
    android = call.phone.world.android
    first = arguments[0] if arguments else ""
    if not arguments or (android.input_shell_command and first in ("help", "-h")):
        await _show_usage(call, error=not android.input_usage_first)
        return
    words = Words(list(arguments))
    name = words.required()
    try:
        pointer: bool | None = None
        if name in SOURCES or (name == "rotaryencoder" and android.input_rotary_encoder):
            pointer = SOURCES.get(name, False)
            name = words.required()
        shown = True
        if name == "-d" and android.input_display:
            shown, words.display = _display(words.required())
            name = words.required()
        operation = _OPERATIONS.get(name)
        if operation is None or (name in _ADDED and not android.has(_ADDED[name])):
            await _unknown(call, name)
            return
        if not android.input_extra_arguments:
            _check_length(name, len(words))
        if call.phone.world.input_refused:
            raise Thrown(f"java.lang.SecurityException: {REFUSED_INPUT}")
        hits = shown and (name in _KEY_OPERATIONS or pointer is not False)
        try:
            await operation(call, words, hits)
        except ValueError:
            raise Wrong(_INVALID + name) from None
    except Wrong as problem:
        await _refuse(call, first, name, str(problem))
    except Thrown as problem:
        if android.input_shell_command:
            await refuse(call, f"\nException occurred while executing '{first}':\n{problem}")
        else:
            before = "" if android.input_usage_first else 'Exception in thread "main" '
            await refuse(call, f"{before}{problem}", 1)


def _display(word: str) -> tuple[bool, int | None]:
    """Whether events for a display can reach the phone's own, and the display that key events
    name."""
    named = {"INVALID_DISPLAY": None, "DEFAULT_DISPLAY": 0}
    if word.upper() in named:
        return True, named[word.upper()]
    if not re.fullmatch(r"[-+]?\d{1,10}", word):
        raise Wrong("Error: Invalid arguments for display ID.")
    return int(word) <= 0, int(word) if int(word) >= 0 else None


def _check_length(name: str, count: int) -> None:
    """Check the number of arguments. Up to Android 9, extra arguments are also an error."""
    fits = {
        "text": count == 1,
        "keyevent": count >= 1,
        "tap": count == 2,
        "swipe": count in (4, 5),
        "draganddrop": count in (4, 5),
        "press": True,
        "roll": count == 2,
    }
    if not fits[name]:
        raise Wrong(_INVALID + name)


async def _unknown(call: CommandCall, name: str) -> None:
    android = call.phone.world.android
    if android.input_shell_command:
        await call.write(f"Unknown command: {name}\n")
    elif android.input_usage_first:
        await _show_usage(call, error=True)
        await refuse(call, f"\nError: Unknown command: {name}", 0)
    else:
        await refuse(call, f"Error: Unknown command: {name}", 0)
        await _show_usage(call, error=True)


async def _refuse(call: CommandCall, first: str, name: str, message: str) -> None:
    android = call.phone.world.android
    if android.input_shell_command:
        what = f"java.lang.IllegalArgumentException: {message}"
        await refuse(call, f"\nException occurred while executing '{first}':\n{what}")
    elif android.input_usage_first:
        await _show_usage(call, error=True)
        await refuse(call, f"\nError: {message}", 0)
    else:
        await refuse(call, _INVALID + name, 0)
        await _show_usage(call, error=True)


async def _show_usage(call: CommandCall, error: bool) -> None:
    android = call.phone.world.android
    names = [*SOURCES, *(["rotaryencoder"] if android.input_rotary_encoder else [])]
    text = _USAGE.format(
        display="[-d DISPLAY_ID] " if android.input_display else "",
        sources="".join(f"      {name}\n" for name in names),
        about=_ABOUT_DISPLAY if android.input_display else "",
        keys="--longpress|--doubletap" if android.input_double_tap else "--longpress",
    )
    if android.input_motionevent:
        text += _MOTION
    if android.input_key_combination:
        wait = " [-t duration(ms)]" if android.input_key_combination_duration else ""
        text += _COMBINATION.format(wait=wait)
    await (call.process.stderr if error else call.process.stdout).write(text.encode())


# Touches. `hits` is whether the event reaches the screen.


def _touch(call: CommandCall, motion: str, x: float, y: float) -> None:
    """Inject a touch; Android does not report a refusal here."""
    call.phone.world.injection.inject(motion, 0, [(0, x, y)])


async def _tap(call: CommandCall, words: Words, hits: bool) -> None:
    x, y = words.number(), words.number()
    if hits:
        _touch(call, "down", x, y)
        _touch(call, "up", x, y)


async def _swipe(call: CommandCall, words: Words, hits: bool) -> None:
    await _stroke(call, words, hits, 0)


async def _drag(call: CommandCall, words: Words, hits: bool) -> None:
    await _stroke(call, words, hits, LONG_PRESS_MS)


async def _stroke(call: CommandCall, words: Words, hits: bool, hold_ms: int) -> None:
    x1, y1, x2, y2 = (words.number() for _ in range(4))
    duration = words.duration()
    clock = call.phone.clock
    if not hits:
        await clock.sleep(hold_ms + duration)
        return
    x, y = x1, y1
    _touch(call, "down", x, y)
    try:
        if hold_ms:
            await clock.sleep(hold_ms)
        start = clock.now()
        while (passed := clock.now() - start) < duration:
            await clock.sleep(min(STEP_MS, duration - passed))
            done = min(1.0, (clock.now() - start) / duration)
            x, y = x1 + (x2 - x1) * done, y1 + (y2 - y1) * done
            _touch(call, "move", x, y)
    except asyncio.CancelledError:
        _touch(call, "cancel", x, y)
        raise
    _touch(call, "up", x2, y2)


async def _motion(call: CommandCall, words: Words, hits: bool) -> None:
    name = words.required()
    motion = _MOTIONS.get(name.upper())
    if motion is None:
        raise Wrong(f"Unknown action: {name}")
    if motion == "cancel" and not len(words):
        x = y = 0.0
    else:
        x, y = words.number(), words.number()
    if hits:
        _touch(call, motion, x, y)


# A trackball: motion that no app handles becomes keys.


async def _press(call: CommandCall, words: Words, hits: bool) -> None:
    call.phone.world.key(_DPAD_CENTER, display=words.display)


async def _roll(call: CommandCall, words: Words, hits: bool) -> None:
    across, down = words.number(), words.number()
    forth, back = (_DPAD_RIGHT, _DPAD_LEFT) if abs(across) > abs(down) else (_DPAD_DOWN, _DPAD_UP)
    way = across if abs(across) > abs(down) else down
    for _ in range(min(_MOST_ROLLED, round(abs(way)))):
        call.phone.world.key(forth if way > 0 else back, display=words.display)


# Keys


async def _keyevent(call: CommandCall, words: Words, hits: bool) -> None:
    world, android = call.phone.world, call.phone.world.android
    word = words.required()
    long, double, delay = False, False, 0
    while True:
        if word == "--longpress":
            long = True
        elif word == "--doubletap" and android.input_double_tap:
            double = True
        elif word == "--delay" and android.input_key_options:
            delay = _milliseconds(words.required())
        elif word == "--duration" and android.input_key_options:
            long = _milliseconds(words.required()) >= LONG_PRESS_MS
        elif word != "--async" or not android.input_key_options:
            break  # keys take effect immediately here, so --async changes nothing
        if not len(words) and not android.input_extra_arguments:
            raise Wrong(_INVALID + "keyevent")
        if not len(words) and android.input_key_options:
            raise Thrown(_NO_KEY)
        word = words.required()
    while word is not None:
        code = code_of(word, android)
        if hits:
            world.key(code, long=long, display=words.display)
        if double:
            await call.phone.clock.sleep(DOUBLE_TAP_MS)
            if hits:
                world.key(code, display=words.display)
            return
        word = words.next()
        if word is not None:
            await call.phone.clock.sleep(delay)


async def _combination(call: CommandCall, words: Words, hits: bool) -> None:
    world, android = call.phone.world, call.phone.world.android
    word = words.required()
    wait = 0
    if word == "-t" and android.input_key_combination_duration:
        wait = _milliseconds(words.required())
        word = words.required()
    codes: list[int] = []
    while word is not None:
        code = code_of(word, android)
        if not code:
            raise Wrong(f"Unknown keycode: {word}")
        codes.append(code)
        word = words.next()
    if len(codes) < 2:
        raise Wrong("keycombination requires at least 2 keycodes")
    await call.phone.clock.sleep(wait)
    meta = 0
    for code in codes:
        meta |= MODIFIERS.get(code, 0)
    for code in codes if hits else []:
        if code not in MODIFIERS:
            world.key(code, meta, display=words.display)


async def _text(call: CommandCall, words: Words, hits: bool) -> None:
    text = words.required().replace("%s", " ")
    if not all(" " <= char <= "~" or char in "\n\t" for char in text):
        # Android's virtual keyboard has no key for the character, and `input` does not check that.
        raise Thrown("java.lang.NullPointerException: Attempt to get length of null array")
    world = call.phone.world
    for piece in re.split("([\n\t])", text) if hits else []:
        if piece in ("\n", "\t"):
            world.key(_ENTER if piece == "\n" else _TAB, display=words.display)
        elif piece:
            world.type_text(piece, words.display)


_OPERATIONS: dict[str, Callable[[CommandCall, Words, bool], Awaitable[None]]] = {
    "text": _text,
    "keyevent": _keyevent,
    "tap": _tap,
    "swipe": _swipe,
    "draganddrop": _drag,
    "press": _press,
    "roll": _roll,
    "motionevent": _motion,
    "keycombination": _combination,
}
_ADDED = {
    "motionevent": Android.input_motionevent,
    "keycombination": Android.input_key_combination,
}
_KEY_OPERATIONS = ("text", "keyevent", "keycombination", "press", "roll")
