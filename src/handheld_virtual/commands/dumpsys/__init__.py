"""`dumpsys`: the state of the phone's services, with a module for each."""

import asyncio
import re

from ..call import CommandCall, refuse
from ..table import DUMPS_OF_SERVICES, body_at

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
        if name not in DUMPS_OF_SERVICES:
            await refuse(call, f"Can't find service: {name}", 0)
            return
        await _dump(call, name, rest, timeout_ms)
        return
    await call.write("Currently running services:\n")
    for name in sorted(DUMPS_OF_SERVICES):
        await call.write(f"  {name}{' (skipped)' if name in skipped else ''}\n")
    for name in sorted(DUMPS_OF_SERVICES) if not listed else []:
        if name in skipped:
            continue
        started = call.phone.clock.now()
        await call.write(f"{_RULE}\nDUMP OF SERVICE {name}:\n")
        await _dump(call, name, [], timeout_ms)
        seconds = (call.phone.clock.now() - started) / 1000
        ended = call.phone.world.wall.now().strftime("%Y-%m-%d %H:%M:%S")
        await call.write(
            f"--------- {seconds:.3f}s was the duration of dumpsys {name}, ending at: {ended}\n"
        )


async def _dump(call: CommandCall, name: str, words: list[str], timeout_ms: int) -> None:
    call.arguments = words
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            await body_at(DUMPS_OF_SERVICES[name])(call)
    except TimeoutError:
        # Android does not consider this a failure of dumpsys.
        await call.write(f"\n*** SERVICE '{name}' DUMP TIMEOUT ({timeout_ms}ms) EXPIRED ***\n\n")
