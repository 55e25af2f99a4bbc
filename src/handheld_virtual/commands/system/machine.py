"""Commands about the phone's machine, as far as programs use them."""

import asyncio
from collections.abc import Callable

from ...files.entry import ROOT
from ...files.tree import FileTree
from ..call import CommandCall, refuse

KERNEL = {
    "s": "Linux",
    "n": "localhost",
    "r": "6.1.0-virtual",
    "v": "#1 SMP PREEMPT",
    "m": "aarch64",
}
"""The output of `uname` for each option letter."""
CORES = 8
MEMORY_KB = 4 * 1024 * 1024
"""The phone's memory, which is always free: the virtual phone uses the host's memory."""


def furnish_machine(
    tree: FileTree,
    boot_id: Callable[[], str],
    now_ms: Callable[[], float],
    connections: Callable[[], str],
    sockets: Callable[[], str],
) -> None:
    memory = ("MemTotal", "MemFree", "MemAvailable")
    content = {
        "meminfo": "".join(f"{name + ':':<15} {MEMORY_KB:>8} kB\n" for name in memory),
        "cpuinfo": "".join(f"processor\t: {core}\n\n" for core in range(CORES)),
        "version": f"Linux version {KERNEL['r']} (handheld@localhost) {KERNEL['v']}\n",
        "loadavg": "0.00 0.00 0.00 1/1 1\n",
    }
    for name, text in content.items():
        file = tree.create(f"/proc/{name}", 0o444, user=ROOT)
        file.write(text.encode())
        file.close()
    tree.furnish_generated("/proc/uptime", lambda: f"{now_ms() / 1000:.2f} 0.00")
    tree.furnish("/proc/sys", 0o555, read_only=True)
    tree.furnish("/proc/sys/kernel", 0o555, read_only=True)
    tree.furnish("/proc/sys/kernel/random", 0o555, read_only=True)
    tree.furnish_generated("/proc/sys/kernel/random/boot_id", boot_id)
    tree.furnish("/proc/net", 0o555, read_only=True)
    tree.furnish_generated("/proc/net/tcp", connections)
    tree.furnish_generated("/proc/net/unix", sockets)


async def getenforce(call: CommandCall) -> None:
    await call.write("Enforcing\n")


async def reboot(call: CommandCall) -> None:
    """Reboot only: there is no bootloader or recovery, and a phone that is off could not be
    switched on."""
    match call.arguments:
        case []:
            call.phone.reboot()
            # As on Android, the phone shuts down before the command returns.
            await asyncio.Event().wait()
        case [word] if word == "-p" or not word.startswith("-"):
            await refuse(call, "reboot: Invalid argument", 1)
        case _:
            await refuse(call, f"usage: {call.name} [-p] [rebootcommand]", 1)


async def nproc(call: CommandCall) -> None:
    """`nproc`. No CPU is offline, so `--all` makes no difference."""
    if call.arguments == ["--all"]:
        call.arguments = []
    call.options("")
    await call.write(f"{CORES}\n")
