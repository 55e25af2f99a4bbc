"""`dumpsys`: the state of the phone's services, one module each."""

import asyncio
import re
from collections.abc import Awaitable, Callable

from ..call import CommandCall, refuse
from ..settings.places import dump_location
from .accessibility import accessibility
from .activity import activity
from .audio import audio
from .battery import battery
from .cpuinfo import cpuinfo
from .display import display, surface_flinger
from .dropbox import dropbox
from .gfxinfo import gfxinfo
from .input import input
from .input_method import input_method
from .meminfo import meminfo
from .notification import notification
from .package import package
from .power import power
from .telephony import isub, telephony_registry
from .window import window

Service = Callable[[CommandCall, list[str]], Awaitable[None]]
"""Prints a service's state; receives the arguments after its name."""

SERVICES: dict[str, Service] = {
    "SurfaceFlinger": surface_flinger,
    "accessibility": accessibility,
    "activity": activity,
    "audio": audio,
    "cpuinfo": cpuinfo,
    "display": display,
    "dropbox": dropbox,
    "gfxinfo": gfxinfo,
    "input": input,
    "input_method": input_method,
    "meminfo": meminfo,
    "notification": notification,
    "power": power,
    "window": window,
    "battery": battery,
    "isub": isub,
    "location": dump_location,
    "package": package,
    "telephony.registry": telephony_registry,
}
"""What is not in this table is not a service of this phone."""

_RULE = "-" * 79
_USAGE = """\
usage: dumpsys
         To dump all services.
or:
       dumpsys [-t TIMEOUT] [-T TIMEOUT_MS] [--help | -l | --skip SERVICES | SERVICE [ARGS]]
         --help: shows this help
         -l: only list services, do not dump them
         -t TIMEOUT_SEC: TIMEOUT to use in seconds instead of default 10 seconds
         -T TIMEOUT_MS: TIMEOUT to use in milliseconds instead of default 10 seconds
         --skip SERVICES: dumps all services but SERVICES (comma-separated list)
         SERVICE [ARGS]: dumps only service SERVICE, optionally passing ARGS to it
"""


async def dumpsys(call: CommandCall) -> None:
    words = list(call.arguments)
    timeout_ms = 10_000
    listed = False
    skipped: list[str] = []
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "--help":
            await call.write(_USAGE)
            return
        if option == "-l":
            listed = True
        elif option in ("-t", "-T") and words and re.fullmatch(r"[1-9]\d{0,6}", words[0]):
            timeout_ms = int(words.pop(0)) * (1000 if option == "-t" else 1)
        elif option in ("-t", "-T") and words:
            await refuse(call, f"Error: invalid timeout value, argument: '{words[0]}'")
            return
        elif option == "--skip" and words:
            skipped = words.pop(0).split(",")
        else:
            await refuse(call, _USAGE.rstrip("\n"))
            return
    if words and not listed:
        name, *rest = words
        service = SERVICES.get(name)
        if service is None:
            await refuse(call, f"Can't find service: {name}", 0)
            return
        await _dump(call, name, service, rest, timeout_ms)
        return
    await call.write("Currently running services:\n")
    for name in sorted(SERVICES):
        await call.write(f"  {name}{' (skipped)' if name in skipped else ''}\n")
    for name in sorted(SERVICES) if not listed else []:
        if name in skipped:
            continue
        started = call.phone.clock.now()
        await call.write(f"{_RULE}\nDUMP OF SERVICE {name}:\n")
        await _dump(call, name, SERVICES[name], [], timeout_ms)
        seconds = (call.phone.clock.now() - started) / 1000
        ended = call.phone.world.wall.now().strftime("%Y-%m-%d %H:%M:%S")
        await call.write(
            f"--------- {seconds:.3f}s was the duration of dumpsys {name}, ending at: {ended}\n"
        )


async def _dump(
    call: CommandCall, name: str, service: Service, words: list[str], timeout_ms: int
) -> None:
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            await service(call, words)
    except TimeoutError:
        # For Android this is not a failure of dumpsys itself.
        await call.write(f"\n*** SERVICE '{name}' DUMP TIMEOUT ({timeout_ms}ms) EXPIRED ***\n\n")
