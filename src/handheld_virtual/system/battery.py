"""The battery's state, real or as set by `dumpsys battery set`."""

from collections.abc import Callable
from dataclasses import dataclass, replace

UNKNOWN, CHARGING, DISCHARGING, NOT_CHARGING, FULL = 1, 2, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Charge:
    ac: bool = False
    usb: bool = True
    wireless: bool = False
    status: int = CHARGING
    level: int = 86
    present: bool = True
    voltage: int = 4150
    temperature: int = 250
    """Tenths of a degree."""


class Battery:
    """A battery that charges over USB unless changed, like a phone connected to adb."""

    def __init__(self, changed: Callable[[], object] = lambda: None) -> None:
        self._changed = changed
        self._true = self.charge = Charge()
        self.pretended = False
        """Whether the reported state is not the real one."""

    def become(self, charge: Charge) -> None:
        """Set the real state, and report it."""
        self._true, self.charge, self.pretended = charge, charge, False
        self._changed()

    def set(self, **values: object) -> None:
        self.charge = replace(self.charge, **values)  # pyright: ignore[reportArgumentType]
        self.pretended = True
        self._changed()

    def unplug(self) -> None:
        self.set(ac=False, usb=False, wireless=False)

    def reset(self) -> None:
        self.charge, self.pretended = self._true, False
        self._changed()
