"""`dumpsys battery` and `cmd battery`: the battery, real or overridden."""

import re

from ..call import CommandCall, refuse

_NUMBERS = ("level", "status", "temp", "counter", "invalid")
_SWITCHES = ("ac", "usb", "wireless", "present", "dock")
_USAGE = """\
Battery service (battery) commands:
  help
    Print this help text.
  get [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid]
  set [-f] [ac|usb|wireless|dock|status|level|temp|present|counter|invalid] <value>
    Force a battery property value, freezing battery state.
    -f: force a battery change broadcast be sent, prints new sequence.
  unplug [-f]
    Force battery unplugged, freezing battery state.
    -f: force a battery change broadcast be sent, prints new sequence.
  reset [-f]
    Unfreeze battery state, returning to current hardware values.
    -f: force a battery change broadcast be sent, prints new sequence.
"""


async def battery(call: CommandCall) -> None:
    words = call.arguments
    if words and words[0] not in ("-a", "--checkin"):
        await change(call)
        return
    state = call.phone.world.battery
    charge = state.charge
    lines = [
        "Current Battery Service state:",
        *(["  (UPDATES STOPPED -- use 'reset' to restart)"] if state.pretended else []),
        f"  AC powered: {_yes(charge.ac)}",
        f"  USB powered: {_yes(charge.usb)}",
        f"  Wireless powered: {_yes(charge.wireless)}",
        *(["  Dock powered: false"] if call.phone.world.android.battery_dock else []),
        f"  Max charging current: {500000 if charge.usb else 0}",
        f"  Max charging voltage: {5000000 if charge.usb else 0}",
        f"  Charge counter: {charge.level * 45000}",
        f"  status: {charge.status}",
        "  health: 2",
        f"  present: {_yes(charge.present)}",
        f"  level: {charge.level}",
        "  scale: 100",
        f"  voltage: {charge.voltage}",
        f"  temperature: {charge.temperature}",
        "  technology: Li-ion",
    ]
    await call.write("".join(f"{line}\n" for line in lines))


def _yes(value: bool) -> str:
    return str(value).lower()


async def change(call: CommandCall) -> None:
    """The commands: `set`, `get`, `unplug` and `reset`."""
    words = call.arguments
    state = call.phone.world.battery
    words = [word for word in words if word != "-f"]
    match words:
        case ["set", name, value] if name in _NUMBERS + _SWITCHES:
            await _set(call, name, value)
        case ["set", name, *_] if name in _NUMBERS + _SWITCHES:
            await refuse(call, "No value specified")
        case ["set"]:
            await refuse(call, "No property specified")
        case ["set" | "get", name, *_] if name not in _NUMBERS + _SWITCHES:
            await refuse(call, f"Unknown {words[0]} option: {name}")
        case ["get", name]:
            charge = state.charge
            values = {
                "ac": _yes(charge.ac),
                "usb": _yes(charge.usb),
                "wireless": _yes(charge.wireless),
                "present": _yes(charge.present),
                "status": str(charge.status),
                "level": str(charge.level),
                "temp": str(charge.temperature),
                "counter": str(charge.level * 45000),
                "dock": "false",
                "invalid": "0",
            }
            await call.write(f"{values[name]}\n")
        case ["unplug"]:
            state.unplug()
        case ["reset"]:
            state.reset()
        case _:
            await call.write(_USAGE)
            call.code = 0 if words == ["help"] else 255


async def _set(call: CommandCall, name: str, value: str) -> None:
    state = call.phone.world.battery
    if not re.fullmatch("-?[0-9]{1,9}", value):
        await refuse(call, f"Bad value: {value}")
        return
    number = int(value)
    if name in ("counter", "invalid", "dock"):
        await refuse(call, f"Unknown set option: {name}")
    elif name in _SWITCHES:
        state.set(**{name: number != 0})
    elif name == "temp":
        state.set(temperature=number)
    elif name == "level":
        state.set(level=max(0, min(100, number)))
    else:
        state.set(status=number)
