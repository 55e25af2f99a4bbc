"""The machine that the phone would be built on, as far as programs ask about it."""

from ..files import ROOT, FileTree
from .call import Call

CORES = 8
MEMORY_KB = 4 * 1024 * 1024
"""None of it is in use: what the virtual phone takes is its computer's, not its own."""


def furnish_machine(tree: FileTree) -> None:
    lines = (f"{name + ':':<15} {MEMORY_KB:>8} kB\n" for name in ("MemTotal", "MemFree"))
    file = tree.create("/proc/meminfo", 0o444, user=ROOT)
    file.write("".join(lines).encode())
    file.close()


async def getenforce(call: Call) -> None:
    await call.write("Enforcing\n")


async def nproc(call: Call) -> None:
    """`--all` gives the same: none of them sleeps."""
    if call.arguments == ["--all"]:
        call.arguments = []
    call.options("")
    await call.write(f"{CORES}\n")
