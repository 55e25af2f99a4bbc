"""Identify the device at the end of a connection with Android's own commands."""

import re
from typing import NamedTuple, Protocol

from ..adb import shell
from ..adb.link import AdbError, Link

_COMMAND = (
    "sh",
    "-c",
    "getprop ro.serialno; cat /proc/sys/kernel/random/boot_id;"
    " getprop ro.build.version.sdk; getprop ro.product.model",
)
_SECONDS = 10.0
_LIMIT = 4096
_GENERIC = re.compile(r"unknown|virtual|0123456789abcdef.*|emulator.*", re.I | re.DOTALL)
"""Serial numbers that many devices share: those of emulators, and of boards without one. A repeated
single character is generic, too."""


class Hardware(NamedTuple):
    serial: str
    """The serial number; empty if it is not unique to the device."""
    boot: str
    """The boot id, which changes with each start."""
    api: int = 0
    """The API level; 0 if unknown."""
    model: str = ""


class HardwareDriver(Protocol):
    async def hardware(self) -> Hardware | None:
        """Identify the device; None if the phone did not answer."""
        ...


async def read_hardware(link: Link) -> Hardware | None:
    try:
        result = await shell.run(link, _COMMAND, timeout=_SECONDS, limit=_LIMIT)
    except AdbError:
        return None
    lines = result.stdout.decode(errors="replace").split("\n")
    serial, boot, api, model = (line.strip() for line in [*lines[:4], *[""] * (4 - len(lines))])
    generic = len({*serial.lower()}) < 2 or _GENERIC.fullmatch(serial)
    own = "" if generic else serial[:100]
    level = int(api) if api.isascii() and api.isdigit() and len(api) < 5 else 0
    return Hardware(own, boot, level, model[:100])
