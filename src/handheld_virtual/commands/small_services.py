"""`cmd statusbar`, `cmd deviceidle` and `cmd overlay`: the few of their commands that tools use."""

from .call import WRONG, CommandCall
from .exceptions import unknown_command


async def statusbar(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    match words:
        case ["expand-notifications"]:
            world.press("notifications")
        case ["expand-settings", *_]:
            world.press("quick_settings")
        case ["collapse"]:
            world.panel.close()
        case ["get-status-icons"] if world.android.status_icons_command:
            for name in ("battery", "clock", "wifi", "mobile", "airplane", "bluetooth"):
                await call.write(f"{name}\n")
        case [] | ["help"] | ["-h"]:
            call.code = int(not words) if world.android.statusbar_help_succeeds else WRONG
            await call.write(
                "Status bar commands:\n  help\n    Print this help text.\n\n"
                "  expand-notifications\n    Open the notifications panel.\n\n"
                "  expand-settings\n    Open the notifications panel and expand quick settings if"
                " present.\n\n  collapse\n    Collapse the notifications and settings panel.\n\n"
                "  get-status-icons\n"
            )
        case _:
            await unknown_command(call, words[0])


async def device_idle(call: CommandCall) -> None:
    words = call.arguments
    match words:
        case ["tempwhitelist", *rest]:
            name = next(
                (
                    w
                    for at, w in enumerate(rest)
                    if not w.startswith("-") and (not at or rest[at - 1] not in ("-u", "-d"))
                ),
                "",
            )
            if not name:
                return
            if name not in call.phone.world.apps:
                await call.write(f"Failed: java.lang.IllegalArgumentException: {name}\n")
                call.code = WRONG
        case [name, *_]:
            await unknown_command(call, name)
        case _:
            call.code = WRONG


async def overlay(call: CommandCall) -> None:
    words = call.arguments
    match words:
        case ["list", *_]:
            pass
        case [name, *_]:
            await unknown_command(call, name)
        case _:
            call.code = WRONG
