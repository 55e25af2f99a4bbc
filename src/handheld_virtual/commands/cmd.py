"""`cmd`: the shell commands of the phone's services."""

from ..system.android import Android
from .call import CommandCall, refuse
from .service import services
from .table import COMMANDS_OF_SERVICES, body_at


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
            elif name in COMMANDS_OF_SERVICES and (
                name not in _ADDED or call.phone.world.android.has(_ADDED[name])
            ):
                call.arguments = rest
                await body_at(COMMANDS_OF_SERVICES[name])(call)
            else:
                # A service without commands prints the base class's message and succeeds.
                await refuse(call, "No shell command implementation.", 0)
        case _:
            pass


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
"""Services that got shell commands in some release."""
