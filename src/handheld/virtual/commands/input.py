"""`input`: touches and keys from the shell."""

import asyncio
import re
from collections.abc import Awaitable, Callable

from ..faults import REFUSED_INPUT
from .call import Call, refuse

SWIPE_MS = 300
STEP_MS = 16

_KEYS = {
    "HOME": 3,
    "BACK": 4,
    "DPAD_UP": 19,
    "DPAD_DOWN": 20,
    "DPAD_LEFT": 21,
    "DPAD_RIGHT": 22,
    "DPAD_CENTER": 23,
    "VOLUME_UP": 24,
    "VOLUME_DOWN": 25,
    "POWER": 26,
    "COMMA": 55,
    "PERIOD": 56,
    "TAB": 61,
    "SPACE": 62,
    "ENTER": 66,
    "DEL": 67,
    "MENU": 82,
    "NOTIFICATION": 83,
    "ESCAPE": 111,
    "FORWARD_DEL": 112,
    "MOVE_HOME": 122,
    "MOVE_END": 123,
    "APP_SWITCH": 187,
    "SLEEP": 223,
    "WAKEUP": 224,
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(ord("A") + letter): 29 + letter for letter in range(26)},
}


async def input(call: Call) -> None:
    words = call.arguments
    if words and words[0] in ("touchscreen", "keyboard"):
        words = words[1:]
    if words[:2] == ["-d", "0"]:
        words = words[2:]
    if not words:
        await refuse(call, "Error: Invalid arguments for command: input")
        return
    command = _INPUT.get(words[0])
    if command is None:
        await refuse(call, f"Error: Unknown command: {words[0]}")
        return
    if call.phone.world.input_refused:
        await refuse(
            call,
            f"Exception occurred while executing '{words[0]}':\n"
            f"java.lang.SecurityException: {REFUSED_INPUT}",
        )
        return
    try:
        await command(call, words[1:])
    except ValueError:
        await refuse(call, f"Error: Invalid arguments for command: {words[0]}")


def _coordinate(text: str) -> float:
    if not re.fullmatch(r"-?\d{1,7}(\.\d{1,6})?", text):
        raise ValueError(text)
    return float(text)


async def _tap(call: Call, words: list[str]) -> None:
    x, y = map(_coordinate, words)
    call.phone.world.touch("down", 0, x, y)
    call.phone.world.touch("up", 0, x, y)


async def _swipe(call: Call, words: list[str]) -> None:
    if len(words) == 5 and not re.fullmatch(r"\d{1,6}", words[4]):
        raise ValueError(words[4])
    duration = int(words.pop()) if len(words) == 5 else SWIPE_MS
    x1, y1, x2, y2 = map(_coordinate, words)
    world, clock = call.phone.world, call.phone.clock
    start = clock.now()
    x, y = x1, y1
    world.touch("down", 0, x, y)
    try:
        while (passed := clock.now() - start) < duration:
            await clock.sleep(min(STEP_MS, duration - passed))
            done = min(1.0, (clock.now() - start) / duration)
            x, y = x1 + (x2 - x1) * done, y1 + (y2 - y1) * done
            world.touch("move", 0, x, y)
    except asyncio.CancelledError:
        world.touch("cancel", 0, x, y)
        raise
    world.touch("up", 0, x2, y2)


async def _keyevent(call: Call, words: list[str]) -> None:
    if not words:
        raise ValueError
    codes: list[int] = []
    for word in words:
        name = word.removeprefix("KEYCODE_")
        code = int(word) if re.fullmatch(r"\d{1,3}", word) else _KEYS.get(name)
        if code is None:
            await refuse(call, f"Error: Unknown keycode: {word}")
            return
        codes.append(code)
    for code in codes:
        call.phone.world.key(code)


async def _text(call: Call, words: list[str]) -> None:
    (text,) = words
    if not text.isascii():
        await refuse(
            call,
            "Exception occurred while executing 'text':\n"
            "java.lang.NullPointerException: Attempt to get length of null array",
        )
        return
    call.phone.world.type_text(text.replace("%s", " "))


_INPUT: dict[str, Callable[[Call, list[str]], Awaitable[None]]] = {
    "tap": _tap,
    "swipe": _swipe,
    "keyevent": _keyevent,
    "text": _text,
}
