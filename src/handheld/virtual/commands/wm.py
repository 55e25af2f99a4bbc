"""`wm`: the size and density that apps see, the lock screen, the rotation."""

import re

from ..world import World
from .call import WRONG, CommandCall, refuse

LEAST_SIDE = 200
MOST_TIMES = 2
"""The limits of a requested size: at least these pixels, at most so many times the panel's."""
LEAST_DENSITY = 72
MOST_DENSITY = 1000
"""Finer than any panel; letters that are larger than the screen are of no use."""

_SIZE = ("global", "display_size_forced")
_DENSITY = ("secure", "display_density_forced")
_HELP = """\
Window manager (window) commands:
  help
      Print this help text.
  size [reset|WxH|WdpxHdp]{display}
    Return or override display size.
    width and height in pixels unless suffixed with 'dp'.
  density [reset|DENSITY]{display}
    Return or override display density.
  dismiss-keyguard
    Dismiss the keyguard, prompting user for auth if necessary.
"""
_ROTATION_HELP = """\
  {name} [free|lock] [-d DISPLAY_ID] [rotation]
    Return or set user rotation mode and user rotation.
"""


class Bad(Exception):
    """Wrong arguments; the message is what follows `Error: `."""


async def wm(call: CommandCall) -> None:
    await run_wm(call, call.arguments)


async def run_wm(call: CommandCall, arguments: list[str]) -> None:
    """`wm ARGUMENTS`, which is also `cmd window ARGUMENTS`."""
    world = call.phone.world
    command, words = (arguments[0], arguments[1:]) if arguments else ("help", [])
    rotation = "user-rotation" if world.android.wm_rotation_renamed else "set-user-rotation"
    try:
        if command == "size":
            await _size(call, words)
        elif command == "density":
            await _density(call, words)
        elif command == "dismiss-keyguard":
            world.keyguard.dismiss()
        elif command == rotation and world.android.wm_rotation:
            await _rotation(call, words)
        elif command in ("help", "-h"):
            text = _HELP.format(display=" [-d DISPLAY_ID]" if world.android.wm_display else "")
            text += _ROTATION_HELP.format(name=rotation) if world.android.wm_rotation else ""
            await call.write(text)
            call.code = WRONG
        else:
            await call.write(f"Unknown command: {command}\n")
            call.code = WRONG
    except Bad as problem:
        await refuse(call, f"Error: {problem}")


def _on_display(world: World, words: list[str]) -> tuple[list[str], bool]:
    """The arguments without `-d N`, and whether that is the phone's only screen."""
    if "-d" not in words or not world.android.wm_display:
        return words, True
    place = words.index("-d")
    value = words[place + 1] if len(words) > place + 1 else ""
    if not re.fullmatch(r"-?\d{1,9}", value):
        raise Bad(f'bad number java.lang.NumberFormatException: For input string: "{value}"')
    return words[:place] + words[place + 2 :], int(value) == 0


def _forced(world: World) -> tuple[int, int, int]:
    """The size and density that apps see, for the upright phone."""
    if world.rotation % 2:
        return world.height, world.width, world.density
    return world.width, world.height, world.density


async def _size(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words, here = _on_display(world, words)
    width, height, density = _forced(world)
    if not words:
        physical = world.physical[:2] if here else (0, 0)
        await call.write(f"Physical size: {physical[0]}x{physical[1]}\n")
        if here and (width, height) != world.physical[:2]:
            await call.write(f"Override size: {width}x{height}\n")
        return
    if words[0] == "reset":
        wanted = world.physical[:2]
    else:
        across, cross, down = words[0].partition("x")
        if not cross or not across or not down:
            raise Bad(f"bad size {words[0]}")
        wanted = (_pixels(across, density), _pixels(down, density))
        if min(wanted) <= 0:
            raise Bad(f"bad size {words[0]}")
    if not here:
        return
    width, height = (
        min(max(side, LEAST_SIDE), own * MOST_TIMES) if words[0] != "reset" else own
        for side, own in zip(wanted, world.physical[:2], strict=True)
    )
    if words[0] == "reset":
        world.preferences.delete(*_SIZE)
    else:
        world.preferences.put(*_SIZE, f"{width},{height}")
    world.resize(width, height, density)


def _pixels(word: str, density: int) -> int:
    number = word.removesuffix("dp")
    if not re.fullmatch(r"[-+]?\d{1,9}", number):
        raise Bad(f'bad number java.lang.NumberFormatException: For input string: "{word}"')
    return int(number) * density // 160 if word.endswith("dp") else int(number)


async def _density(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words, here = _on_display(world, words)
    width, height, density = _forced(world)
    if not words:
        await call.write(f"Physical density: {world.physical[2] if here else 0}\n")
        if here and density != world.physical[2]:
            await call.write(f"Override density: {density}\n")
        return
    if words[0] == "reset":
        wanted = world.physical[2]
    else:
        wanted = _pixels(words[0], density) if not words[0].endswith("dp") else 0
        if wanted < LEAST_DENSITY:
            raise Bad(f"density must be >= {LEAST_DENSITY}")
    if not here:
        return
    if words[0] == "reset":
        world.preferences.delete(*_DENSITY)
    else:
        wanted = min(wanted, MOST_DENSITY)
        world.preferences.put(*_DENSITY, str(wanted))
    world.resize(width, height, wanted)


async def _rotation(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words, here = _on_display(world, words)
    preferences = world.preferences
    if not words:
        if not world.android.wm_rotation_renamed:
            raise Bad("lock mode needed: free or lock")
        fixed = preferences.number("system", "user_rotation", 0)
        await call.write("free\n" if world.display.auto_rotate else f"lock {fixed}\n")
        return
    mode, *rest = words
    if mode not in ("free", "lock"):
        raise Bad(f"argument needs to be either -d, free or lock, but we get {mode}")
    if rest and not re.fullmatch(r"[0-3]", rest[0]):
        raise Bad(f"expecting rotation between 0 and 3, but we get {rest[0]}")
    if not here:
        return
    if mode == "free":
        preferences.put("system", "accelerometer_rotation", "1")
        return
    preferences.put("system", "user_rotation", rest[0] if rest else str(world.rotation))
    preferences.put("system", "accelerometer_rotation", "0")
