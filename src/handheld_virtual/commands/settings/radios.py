"""The radios: `cmd wifi`, `cmd phone`, `cmd bluetooth_manager`, `cmd connectivity`. They can be
switched and report their state, but there is no network."""

from ..call import WRONG, CommandCall
from ..exceptions import throw, unknown_command

_WIFI_HELP = """\
Wi-Fi (wifi) commands:
  help or -h
    Print this help text.
  set-wifi-enabled enabled|disabled
    Enables/disables Wifi on this device.
  status
    Current wifi status
"""
_OPEN = ("help", "-h", "set-wifi-enabled", "status", "list-networks", "list-scan-results")
"""This phone's Wi-Fi commands, which do not require root."""
_PHONE_HELP = """\
Telephony Commands:
  help
    Print this help text.
  data
    Data Test Mode Commands.
"""
_DATA_HELP = """\
Mobile Data Test Mode Commands:
  data enable: enable mobile data connectivity
  data disable: disable mobile data connectivity
"""
_BLUETOOTH_HELP = """\
Bluetooth Commands:
  help or -h
    Print this help text.
  enable
    Enable Bluetooth on this device.
  disable
    Disable Bluetooth on this device.
"""
_CONNECTIVITY_HELP = """\
Connectivity service commands:
  help
    Print this help text.
  airplane-mode [enable|disable]
    Turn airplane mode on or off.
  airplane-mode
    Get airplane mode.
"""


async def wifi(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    verb = words[0] if words else "help"
    if not world.android.wifi_command or verb not in _OPEN:
        refused = f"{verb} wifi command (or such command doesn't exist)"
        if not world.android.wifi_command:
            refused = "wifi commands"
        message = f"Uid 2000 does not have access to {refused}"
        await throw(call, verb, f"java.lang.SecurityException: {message}")
        return
    match words:
        case ["set-wifi-enabled", "enabled" | "disabled" as wanted, *_]:
            world.switches.set("wifi", wanted == "enabled")
        case ["set-wifi-enabled"]:
            message = (
                'java.lang.IllegalArgumentException: Argument expected after "set-wifi-enabled"'
            )
            await throw(call, verb, message)
        case ["set-wifi-enabled", other, *_]:
            message = f"Expected 'enabled' or 'disabled' as next arg but got '{other}'"
            await throw(call, verb, f"java.lang.IllegalArgumentException: {message}")
        case ["status"]:
            on = world.switches["wifi"]
            await call.write(f"Wifi is {'enabled' if on else 'disabled'}\n")
            await call.write("Wifi scanning is only available when wifi is enabled\n")
            if on:
                await call.write(
                    "==== ClientModeManager instance: ConcreteClientModeManager ====\n"
                )
                await call.write("Wifi is not connected\n")
        case ["list-networks"]:
            await call.write("No networks\n")
        case ["list-scan-results"]:
            await call.write("No scan results\n")
        case _:
            await call.write(_WIFI_HELP)
            call.code = 0 if words else WRONG


async def phone(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    match words:
        case ["data", "enable" | "disable" as wanted] if world.android.phone_data_command:
            world.switches.set("mobile_data", wanted == "enable")
        case ["data", *_] if world.android.phone_data_command:
            await call.write(_DATA_HELP)
            call.code = 0 if words[1:] == ["help"] else WRONG
        case [] | ["help"] | ["-h"]:
            await call.write(_PHONE_HELP)
            call.code = 0 if words else WRONG
        case _:
            await unknown_command(call, words[0])


async def bluetooth_manager(call: CommandCall) -> None:
    words = call.arguments
    switches = call.phone.world.switches
    match words:
        case ["enable" | "disable" as wanted, *_]:
            on = wanted == "enable"
            await call.write(f"{'En' if on else 'Dis'}abling Bluetooth\n")
            if "bluetooth" in switches.forbidden:
                call.code = WRONG
            switches.set("bluetooth", on)
        case [] | ["help"] | ["-h"]:
            await call.write(_BLUETOOTH_HELP)
            call.code = 0 if words else WRONG
        case _:
            await unknown_command(call, words[0])


async def connectivity(call: CommandCall) -> None:
    words = call.arguments
    switches = call.phone.world.switches
    match words:
        case ["airplane-mode"]:
            await call.write("enabled\n" if switches["airplane"] else "disabled\n")
        case ["airplane-mode", "enable" | "disable" as wanted]:
            switches.set("airplane", wanted == "enable")
        case ["airplane-mode", *_] | []:
            await call.write(_CONNECTIVITY_HELP)
            call.code = WRONG
        case ["help"] | ["-h"]:
            await call.write(_CONNECTIVITY_HELP)
        case _:
            await unknown_command(call, words[0])
