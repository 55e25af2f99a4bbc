"""`cmd`: the shell commands of the phone's services."""

from collections.abc import Awaitable, Callable

from ..system.android import Android
from .activity.activities import activity
from .call import WRONG, CommandCall, refuse
from .exceptions import unknown_command
from .notification import notification
from .packages.app_function import app_function
from .packages.packages import package
from .screen.input import input
from .service import services
from .settings.appearance import display, uimode
from .settings.locale import locale
from .settings.places import location, run_appops
from .settings.radios import bluetooth_manager, connectivity, phone, wifi
from .settings.settings import run_settings
from .settings.sound import audio, media_session
from .users import user

Shell = Callable[[CommandCall, list[str]], Awaitable[None]]


async def cmd(call: CommandCall) -> None:
    known = services(call.phone.world.android)
    match call.arguments:
        case ["-l"]:
            await call.write("Currently running services:\n")
            for name in known:
                await call.write(f"  {name}\n")
        case [] | ["-w"]:
            await refuse(call, "cmd: No service specified; use -l to list all services", 20)
        case ["-w", name, *rest] | [name, *rest]:
            if name not in known:
                await refuse(call, f"cmd: Can't find service: {name}", 20)
            elif name in _SHELLS and (
                name not in _ADDED or call.phone.world.android.has(_ADDED[name])
            ):
                await _SHELLS[name](call, rest)
            else:
                # A service without commands answers as the base class does, and succeeds.
                await refuse(call, "No shell command implementation.", 0)
        case _:
            pass


async def _input(call: CommandCall, words: list[str]) -> None:
    call.arguments = words
    await input(call)


async def _window(call: CommandCall, words: list[str]) -> None:
    from .screen.wm import wm

    call.arguments = words
    await wm(call)


async def _input_method(call: CommandCall, words: list[str]) -> None:
    from .screen.ime import run_ime

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


_SHELLS: dict[str, Shell] = {
    "activity": activity,
    "app_function": app_function,
    "appops": run_appops,
    "audio": audio,
    "battery": _battery,
    "bluetooth_manager": bluetooth_manager,
    "connectivity": connectivity,
    "deviceidle": _device_idle,
    "display": display,
    "input": _input,
    "input_method": _input_method,
    "locale": locale,
    "location": location,
    "media_session": media_session,
    "notification": notification,
    "overlay": _overlay,
    "package": package,
    "phone": phone,
    "settings": run_settings,
    "statusbar": _statusbar,
    "uimode": uimode,
    "user": user,
    "wifi": wifi,
    "window": _window,
}
_ADDED = {
    "audio": Android.audio_command,
    "bluetooth_manager": Android.bluetooth_command,
    "connectivity": Android.airplane_mode_command,
    "display": Android.display_command,
    "input": Android.input_shell_command,
    "location": Android.location_command,
    "media_session": Android.media_session_command,
    "notification": Android.notification_command,
}
"""Services that have shell commands since some release."""
