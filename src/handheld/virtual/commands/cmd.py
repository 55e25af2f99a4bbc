"""`cmd`: the shell commands of the phone's services."""

from collections.abc import Awaitable, Callable

from ..system.android import Android
from .activities import activity
from .call import WRONG, CommandCall, refuse
from .exceptions import unknown_command
from .input import input
from .notification import notification
from .packages import package
from .service import SERVICES
from .settings import run_settings

Shell = Callable[[CommandCall, list[str]], Awaitable[None]]


async def cmd(call: CommandCall) -> None:
    match call.arguments:
        case ["-l"]:
            await call.write("Currently running services:\n")
            for name in SERVICES:
                await call.write(f"  {name}\n")
        case [] | ["-w"]:
            await refuse(call, "cmd: No service specified; use -l to list all services", 20)
        case ["-w", name, *rest] | [name, *rest]:
            if name in _SHELLS and (
                name not in _ADDED or call.phone.world.android.has(_ADDED[name])
            ):
                await _SHELLS[name](call, rest)
            elif name in SERVICES:
                # A service without commands answers as the base class does, and succeeds.
                await refuse(call, "No shell command implementation.", 0)
            else:
                await refuse(call, f"cmd: Can't find service: {name}", 20)
        case _:
            pass


async def _input(call: CommandCall, words: list[str]) -> None:
    call.arguments = words
    await input(call)


async def _window(call: CommandCall, words: list[str]) -> None:
    from .wm import wm

    call.arguments = words
    await wm(call)


async def _input_method(call: CommandCall, words: list[str]) -> None:
    from .ime import run_ime

    await run_ime(call, words)


async def _statusbar(call: CommandCall, words: list[str]) -> None:
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


async def _uimode(call: CommandCall, words: list[str]) -> None:
    preferences, android = call.phone.world.preferences, call.phone.world.android
    modes = {"yes": "2", "no": "1", "auto": "0"}
    match words:
        case ["night"]:
            pass
        case ["night", mode, *_] if mode in modes:
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
    shown = next((name for name, number in modes.items() if number == now), "no")
    await call.write(f"Night mode: {shown}\n")


async def _connectivity(call: CommandCall, words: list[str]) -> None:
    switches = call.phone.world.switches
    match words:
        case ["airplane-mode"]:
            await call.write("enabled\n" if switches["airplane"] else "disabled\n")
        case ["airplane-mode", "enable" | "disable" as wanted]:
            if not call.phone.world.android.airplane_mode_command:
                await unknown_command(call, "airplane-mode")
                return
            if switches["airplane"] != (wanted == "enable"):
                switches.turn("airplane")
        case ["help"] | []:
            await call.write(
                "Connectivity service commands:\n  help\n    Print this help text.\n"
                "  airplane-mode [enable|disable]\n    Turn airplane mode on or off.\n"
                "  airplane-mode\n    Get airplane mode.\n"
            )
        case _:
            await unknown_command(call, words[0])


async def _battery(call: CommandCall, words: list[str]) -> None:
    from .dumpsys.battery import change

    await change(call, words)


async def _device_idle(call: CommandCall, words: list[str]) -> None:
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


async def _overlay(call: CommandCall, words: list[str]) -> None:
    match words:
        case ["list", *_]:
            pass
        case [name, *_]:
            await unknown_command(call, name)
        case _:
            call.code = WRONG


async def _display(call: CommandCall, words: list[str]) -> None:
    match words:
        case [name, *_]:
            await unknown_command(call, name)
        case _:
            call.code = WRONG


_SHELLS: dict[str, Shell] = {
    "activity": activity,
    "battery": _battery,
    "connectivity": _connectivity,
    "deviceidle": _device_idle,
    "display": _display,
    "input": _input,
    "input_method": _input_method,
    "notification": notification,
    "overlay": _overlay,
    "package": package,
    "settings": run_settings,
    "statusbar": _statusbar,
    "uimode": _uimode,
    "window": _window,
}
_ADDED = {
    "input": Android.input_shell_command,
    "notification": Android.notification_command,
}
"""Services that have shell commands since some release."""
