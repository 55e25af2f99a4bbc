"""Typing with Android's `input`: the supported characters and the command lines."""

import random
from collections.abc import Iterator, Sequence

from ...adb.shell import quote
from .finger import QUICK_SINCE
from .keys import CODES, KeyPress

LINE = 3000
"""Bytes of one command line: old phones accept at most 4096 for a service's name."""
KEYS_AT_ONCE = 100
PROGRAM_MS = 500
"""The cost of a command where each one starts a program."""
DONE = "."
"""Printed after each piece as a progress report."""

COMBINATIONS_SINCE = 31
"""The API level since which `input` can press keys together."""
DISPLAYS_SINCE = 29
"""The API level since which `input` can name a display; before, keys go to the focused display."""

ENTER, SPACE, DELETE, FORWARD_DELETE = (
    CODES[name] for name in ("enter", "space", "del", "forward_del")
)
RIGHT, HOME, END = (CODES[name] for name in ("right", "move_home", "move_end"))


def untypable(text: str) -> str:
    """Return the first character without a key; "" when all have one."""
    return next((sign for sign in text if not " " <= sign <= "~"), "")


def pieces(text: str, delay_ms: int, api: int) -> Iterator[str]:
    """Split the text into pieces, one per command: single characters if commands are fast, else
    longer pieces that keep the pace on average."""
    size = 1 if api >= QUICK_SINCE else max(1, round(PROGRAM_MS / max(delay_ms, 1)))
    at = 0
    while at < len(text):
        piece = text[at : at + size]
        # `input` turns this sequence into a space.
        if "%s" in piece:
            piece = piece[: piece.index("%s") + 1]
        yield piece
        at += len(piece)


def typing_lines(
    text: str, delay_ms: int, variance_ms: int, api: int
) -> Iterator[tuple[str, Sequence[int]]]:
    """Return command lines, each with the lengths of its pieces; each piece ends with `DONE`."""
    line = ""
    sizes: list[int] = []
    first = True
    for piece in pieces(text, delay_ms, api):
        spent = PROGRAM_MS if api < QUICK_SINCE else 0
        pause = 0
        if not first:
            varied = random.randint(-variance_ms, variance_ms)  # noqa: S311 a pace, not a secret
            # Like the helper: a pause is at least 1 ms long.
            pause = max(0 if spent else 1, (delay_ms + varied) * len(piece) - spent)
        first = False
        words = f"{_input(api)} text {quote([piece.replace(' ', '%s')])}"
        part = f"{f'sleep {pause / 1000:.3f} && ' if pause else ''}{words} && echo {DONE}"
        if sizes and len(line) + len(part) > LINE:
            yield line, sizes
            line, sizes = "", []
        line = f"{line} && {part}" if line else part
        sizes.append(len(piece))
    if sizes:
        yield line, sizes


def _input(api: int) -> str:
    """Return `input` for the phone's own display, the only one that Handheld reads."""
    return "input -d 0" if api >= DISPLAYS_SINCE else "input"


def key_line(pressed: KeyPress, api: int) -> str:
    """Return the command line that presses a key together with its modifiers."""
    if not pressed.modifiers:
        return f"{_input(api)} keyevent {pressed.code}"
    held = " ".join(str(modifier.code) for modifier in pressed.modifiers)
    return f"{_input(api)} keycombination {held} {pressed.code}"


def key_lines(codes: Sequence[int], api: int) -> Iterator[str]:
    """Return command lines that press keys in order, as many as fit into each line."""
    for start in range(0, len(codes), KEYS_AT_ONCE):
        some = codes[start : start + KEYS_AT_ONCE]
        yield f"{_input(api)} keyevent {' '.join(map(str, some))}"
