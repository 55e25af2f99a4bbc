"""`wm`: the size and density for apps, the lock screen, the rotation."""

import re

from ...world import World
from ..call import WRONG, CommandCall, refuse
from ..exceptions import throw

LEAST_SIDE = 200
MOST_TIMES = 2
"""The limits of a requested size: the minimum in pixels, and the maximum as a multiple of the
panel's size."""
LEAST_DENSITY = 72
MOST_ROTATION = 3
MOST_DENSITY = 1000
"""A limit above any panel's density, where letters would exceed the screen."""

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
    """The arguments are wrong. The message follows `Error: `."""


async def wm(call: CommandCall) -> None:
    """`wm ARGUMENTS`, which is also `cmd window ARGUMENTS`."""
    arguments = call.arguments
    world = call.phone.world
    command, words = (arguments[0], arguments[1:]) if arguments else ("help", [])
    rotation = "user-rotation" if world.android.wm_rotation_renamed else "set-user-rotation"
    try:
        if command == "size":
            await _size(call, words)
        elif command == "density":
            await _density(call, words)
        elif command == "dismiss-keyguard":
            if not world.quirks.keeps_keyguard:
                world.keyguard.dismiss()
        elif command == rotation and world.android.wm_rotation:
            await _rotation(call, words, command)
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


async def _on_display(call: CommandCall, words: list[str]) -> tuple[list[str], bool]:
    """The arguments without the display, and whether that is the phone's only one. A display that
    is not a number is reported, and the phone's display used."""
    if not call.phone.world.android.wm_display:
        return words[:1], True
    value, rest = words[:1], words[1:]
    if value == ["-d"]:
        value, rest = [], ["-d", *rest]
    if rest[:1] != ["-d"]:
        return value, True
    if len(rest) == 1:
        wrong = 'java.lang.IllegalArgumentException: Argument expected after "-d"'
    elif not re.fullmatch(r"[-+]?\d{1,9}", rest[1]):
        wrong = f'bad number java.lang.NumberFormatException: For input string: "{rest[1]}"'
    else:
        return value, int(rest[1]) == 0
    await refuse(call, f"Error: {wrong}", 0)
    return value, True


def _forced(world: World) -> tuple[int, int, int]:
    """The size and density for apps, in portrait orientation."""
    if world.rotation % 2:
        return world.height, world.width, world.density
    return world.width, world.height, world.density


async def _size(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words, here = await _on_display(call, words)
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
    number = _integer(word.removesuffix("dp"))
    return number * density // 160 if word.endswith("dp") else number


def _integer(word: str) -> int:
    if not re.fullmatch(r"[-+]?\d{1,9}", word):
        raise Bad(f'bad number java.lang.NumberFormatException: For input string: "{word}"')
    return int(word)


async def _density(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words, here = await _on_display(call, words)
    width, height, density = _forced(world)
    if not words:
        await call.write(f"Physical density: {world.physical[2] if here else 0}\n")
        if here and density != world.physical[2]:
            await call.write(f"Override density: {density}\n")
        return
    if words[0] == "reset":
        wanted = world.physical[2]
    else:
        wanted = _integer(words[0])
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


async def _rotation(call: CommandCall, words: list[str], verb: str) -> None:
    world = call.phone.world
    preferences = world.preferences
    here = True
    if words[:1] == ["-d"] and re.fullmatch(r"[-+]?\d{1,9}", "".join(words[1:2])):
        here, words = int(words[1]) == 0, words[2:]
    if not words:
        if not world.android.wm_rotation_renamed:
            message = f'java.lang.IllegalArgumentException: Argument expected after "{verb}"'
            await throw(call, verb, message)
            return
        fixed = preferences.number("system", "user_rotation", 0)
        await call.write("free\n" if world.display.auto_rotate else f"lock {fixed}\n")
        return
    mode, *rest = words
    if mode not in ("free", "lock"):
        renamed = world.android.wm_rotation_renamed
        what = "argument needs to be either -d," if renamed else "lock mode needs to be either"
        raise Bad(f"{what} free or lock.")
    if rest and not re.fullmatch(r"[-+]?\d{1,9}", rest[0]):
        raise Bad(f'For input string: "{rest[0]}"')
    rotation = int(rest[0]) if rest else -1
    if mode == "lock" and not -1 <= rotation <= MOST_ROTATION:
        raise Bad("Rotation argument must be -1 or a valid rotation constant.")
    if not here:
        return
    if mode == "free":
        preferences.put("system", "accelerometer_rotation", "1")
        return
    preferences.put("system", "user_rotation", str(world.rotation if rotation < 0 else rotation))
    preferences.put("system", "accelerometer_rotation", "0")
