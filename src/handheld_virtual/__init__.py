"""A small Android in Python that implements adbd's side of the adb protocol.

    from handheld_virtual import VirtualPhone

    async with VirtualPhone.from_scene("office") as phone:
        ...  # reachable over adb at phone.address; phone.world is its state

The public modules are this one, `handheld_virtual.toolkit` for writing apps,
`handheld_virtual.apps` for the content of the built-in apps, and `handheld_virtual.command_line`.
All other modules may change with any version.

It shares only codecs (`adb.wire`, `adb.keys`, `helper.protocol`) and `screen.model` with the
product, so it stays an independent check.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .faults import FaultError
    from .files.entry import ROOT
    from .packages.error_reports import JavaException
    from .phone import VirtualPhone
    from .phone_thread import PhoneThread
    from .scenes.scene import Scene
    from .scenes.table import SceneError
    from .sms.message import Box, Message
    from .system.clock import Clock, ManualClock, RealClock
    from .system.preferences import TABLES
    from .system.releases import DEFAULT_API, NEWEST_API, OLDEST_API
    from .world import Event, World

_HOMES = {
    "DEFAULT_API": "system.releases",
    "NEWEST_API": "system.releases",
    "OLDEST_API": "system.releases",
    "ROOT": "files.entry",
    "TABLES": "system.preferences",
    "Box": "sms.message",
    "Clock": "system.clock",
    "Event": "world",
    "FaultError": "faults",
    "JavaException": "packages.error_reports",
    "ManualClock": "system.clock",
    "Message": "sms.message",
    "PhoneThread": "phone_thread",
    "RealClock": "system.clock",
    "Scene": "scenes.scene",
    "SceneError": "scenes.table",
    "VirtualPhone": "phone",
    "World": "world",
}
"""The module of each name."""

__all__ = [
    "DEFAULT_API",
    "NEWEST_API",
    "OLDEST_API",
    "ROOT",
    "TABLES",
    "Box",
    "Clock",
    "Event",
    "FaultError",
    "JavaException",
    "ManualClock",
    "Message",
    "PhoneThread",
    "RealClock",
    "Scene",
    "SceneError",
    "VirtualPhone",
    "World",
]


def __getattr__(name: str) -> object:
    """Import on first use: a program that needs one part does not load the others."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
