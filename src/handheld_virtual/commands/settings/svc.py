"""`svc`: switches radios, and the screen's power while plugged in."""

from ...system.preferences import PLUGGED
from ..call import CommandCall, refuse

_USAGE = """\
Available commands:
    help     Show information about the subcommands
    power    Control the power manager
    data     Control mobile data connectivity
    wifi     Control the Wi-Fi manager
    bluetooth Control Bluetooth service
"""


async def svc(call: CommandCall) -> None:
    world = call.phone.world
    match call.arguments:
        case ["wifi" | "bluetooth" as radio, "enable" | "disable" as wanted]:
            world.switches.set(radio, wanted == "enable")
        case ["data", "enable" | "disable" as wanted]:
            world.switches.set("mobile_data", wanted == "enable")
        case ["power", "stayon", "true" | "false" | "usb" | "ac" | "wireless" as when]:
            values = {"true": PLUGGED, "false": "0", "ac": "1", "usb": "2", "wireless": "4"}
            world.preferences.put("global", "stay_on_while_plugged_in", values[when])
        case [] | ["help"]:
            await call.write(_USAGE)
        case [name, *_] if name in ("wifi", "data", "power", "bluetooth"):
            await refuse(call, f"usage: svc {name} [enable|disable]", 0)
        case _:
            await refuse(call, _USAGE.rstrip(), 0)
