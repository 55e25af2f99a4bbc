"""`cmd uimode` and `cmd display`: the theme and the brightness."""

import re

from ...system.display import BRIGHTEST
from ..call import WRONG, CommandCall, refuse
from ..exceptions import unknown_command

_CUSTOM = "3"
_DISPLAY_HELP = """\
Display manager commands:
  help
    Print this help text.

  set-brightness BRIGHTNESS
    Sets the current brightness to BRIGHTNESS (a number between 0 and 1).
  reset-brightness-configuration
    Reset the brightness to its default configuration.
"""
_NUMBER = re.compile(r"[-+]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})")


async def uimode(call: CommandCall) -> None:
    words = call.arguments
    preferences, android = call.phone.world.preferences, call.phone.world.android
    modes = {"yes": "2", "no": "1", "auto": "0"}
    if android.night_mode_schedules:
        modes |= {"custom_schedule": _CUSTOM, "custom_bedtime": _CUSTOM}
    elif android.night_mode_custom:
        modes["custom"] = _CUSTOM
    match words:
        case ["night"]:
            pass
        case ["night", mode, *_] if mode in modes:
            if mode.startswith("custom_"):
                preferences.turn("secure", "ui_night_mode_custom_type", mode == "custom_bedtime")
            preferences.put("secure", "ui_night_mode", modes[mode])
        case ["night", *_]:
            names = "'yes', 'no', or 'auto'"
            if android.night_mode_schedules:
                names += ", or 'custom_schedule', or 'custom_bedtime'"
            elif android.night_mode_custom:
                names += ", or 'custom'"
            await refuse(call, f"Error: mode must be {names}")
            return
        case [] | ["help"] | ["-h"]:
            call.code = WRONG
            await call.write(
                "UiModeManager service (uimode) commands:\n  help\n    Print this help text.\n"
                "  night [yes|no|auto]\n    Set or read night mode.\n"
            )
            return
        case _:
            await unknown_command(call, words[0])
            return
    now = preferences.get("secure", "ui_night_mode") or "1"
    if now == _CUSTOM and android.night_mode_schedules:
        bedtime = preferences.is_on("secure", "ui_night_mode_custom_type")
        shown = "custom_bedtime" if bedtime else "custom_schedule"
    else:
        shown = next((name for name, number in modes.items() if number == now), "unknown")
    await call.write(f"Night mode: {shown}\n")


async def display(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    match words:
        case ["set-brightness"]:
            await refuse(call, "Error: no brightness specified", 1)
        case ["set-brightness", word, *_]:
            brightness = float(word) if _NUMBER.fullmatch(word) else -1.0
            if not 0 <= brightness <= 1:
                text = "Error: brightness should be a number between 0 and 1"
                await refuse(call, text, 1)
            elif world.android.brightness_is_switch:
                # Because of Android's misplaced cast, every number below 1 becomes 0.
                world.preferences.put(
                    "system", "screen_brightness", str(int(brightness) * BRIGHTEST)
                )
            else:
                level = round(brightness * (BRIGHTEST - 1)) + 1
                world.preferences.put("system", "screen_brightness", str(level))
        case ["reset-brightness-configuration", *_]:
            pass
        case [] | ["help"] | ["-h"]:
            await call.write(_DISPLAY_HELP)
            call.code = 0 if words else WRONG
        case _:
            await unknown_command(call, words[0])
