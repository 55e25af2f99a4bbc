"""A small Android in Python that speaks adbd's side of the wire.

    from handheld_virtual import VirtualPhone

    async with VirtualPhone.from_scene("office") as phone:
        ...  # reachable over adb at phone.address; phone.world is what is on it

Shares only codecs (`adb.wire`, `adb.keys`, `helper.protocol`) and `ui.model` with the product, so
that it stays an honest opponent.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .faults import FaultError
    from .phone import VirtualPhone
    from .phone_thread import PhoneThread
    from .scenes.scene import Scene
    from .scenes.table import SceneError
    from .system.clock import Clock, ManualClock, RealClock
    from .world import Event, World

__all__ = [
    "Clock",
    "Event",
    "FaultError",
    "ManualClock",
    "PhoneThread",
    "RealClock",
    "Scene",
    "SceneError",
    "VirtualPhone",
    "World",
]

_HOMES = {
    "Clock": "system.clock",
    "Event": "world",
    "FaultError": "faults",
    "ManualClock": "system.clock",
    "PhoneThread": "phone_thread",
    "RealClock": "system.clock",
    "Scene": "scenes.scene",
    "SceneError": "scenes.table",
    "VirtualPhone": "phone",
    "World": "world",
}


def __getattr__(name: str) -> object:
    """Import on first use: a program that needs one part does not load all."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
