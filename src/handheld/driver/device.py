"""The device's properties, settings and location: the protocol and its values."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol


class Reach(StrEnum):
    """The phone's network that carries the connection, named as in a sentence."""

    OWN = ""
    """No network: a cable, or an emulator."""
    WIFI = "Wi-Fi"
    MOBILE = "the mobile network"
    BLUETOOTH = "Bluetooth"
    OTHER = "its own network"
    """A tunnel, or an interface of unknown kind: any of its radios may carry it."""


class FactAnswer(NamedTuple):
    """The phone's values after a change, and Android's output during it."""

    facts: Mapping[str, str]
    said: str


class Fix(NamedTuple):
    """The phone's location."""

    latitude: float
    longitude: float
    accuracy: float | None
    """In metres."""
    provider: str
    age_ms: int | None
    mock: bool


class Whereabouts(NamedTuple):
    fix: Fix | None
    enabled: bool
    """Whether location is switched on."""


class DeviceDriver(Protocol):
    async def setting(self, table: str, name: str) -> str | None:
        """Return the value in one of Android's three tables (system, secure, global); None if there
        is none."""
        ...

    async def read_device(self, names: Collection[str]) -> Mapping[str, str]:
        """Return Android's output for each of these names of `probes.FACTS`."""
        ...

    async def change_device(self, line: str, names: Collection[str]) -> FactAnswer:
        """Run a command line that changes a setting, and return the phone's values after it."""
        ...

    async def reach(self) -> Reach:
        """Return the phone's network that carries this connection."""
        ...

    async def languages(self) -> list[str]:
        """Return the language tags of the system, the preferred one first."""
        ...

    async def set_languages(self, tags: Sequence[str]) -> list[str]:
        """Set the system's languages; return those that it has afterwards."""
        ...

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        """Return the last known location, or a new fix that took at most `fresh_ms`."""
        ...

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        """Mock the phone's location for apps; None ends that."""
        ...

    async def keyboard_shown(self) -> bool:
        """Return whether the keyboard is on the screen."""
        ...
