"""`virtual`: a program for adb clients to set faults and latency, which Android does not have."""

from ..faults import FAULTS
from ..system.latency import PROFILES
from .call import CommandCall, refuse

USAGE = """\
usage: virtual fault                   list the active faults
       virtual fault NAME[=VALUE] ...  inject faults
       virtual fault clear [NAME]      clear one fault, or all
       virtual latency [PROFILE]       print or set the latency profile: {profiles}
faults:
{faults}
This program exists only on virtual phones.
"""


def usage() -> str:
    names = [f"{f.name}={f.value}" if f.value else f.name for f in FAULTS.values()]
    width = max(map(len, names))
    lines = [
        f"  {name:<{width}}  {fault.help}"
        for name, fault in zip(names, FAULTS.values(), strict=True)
    ]
    return USAGE.format(profiles=", ".join(PROFILES), faults="\n".join(lines))


async def virtual(call: CommandCall) -> None:
    faults = call.phone.faults
    try:
        match call.arguments:
            case ["fault"]:
                lines = [f"{n}={v}" if v else n for n, v in faults.active.items()]
                await call.write("".join(f"{line}\n" for line in lines))
            case ["fault", "clear"]:
                faults.clear()
            case ["fault", "clear", name]:
                faults.clear(name)
            case ["fault", *words]:
                for word in words:
                    faults.set(word)
            case ["latency"]:
                await call.write(f"{call.phone.latency}\n")
            case ["latency", profile]:
                call.phone.latency = profile
            case ["help" | "--help" | "-h"]:
                await call.write(usage())
            case _:
                await refuse(call, usage().rstrip("\n"), 2)
    except ValueError as problem:  # FaultError is one
        await refuse(call, f"virtual: {problem}", 1)
