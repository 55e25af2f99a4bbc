"""The device: what it is, its settings and where it is. The protocol and its values."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol


class Reach(StrEnum):
    """Over which network of the phone its connection goes, as a sentence names it."""

    OWN = ""
    """None: by a cable, or into an emulator."""
    WIFI = "Wi-Fi"
    MOBILE = "the mobile network"
    BLUETOOTH = "Bluetooth"
    OTHER = "its own network"
    """A tunnel, or an interface of unknown kind: any of its radios may carry it."""


class Answer(NamedTuple):
    """What the phone has after a change, and what Android printed meanwhile."""

    facts: Mapping[str, str]
    said: str


class Fix(NamedTuple):
    """Where the phone is."""

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
    """Whether the owner has the location switched on."""


class DeviceDriver(Protocol):
    async def read_device(self, names: Collection[str]) -> Mapping[str, str]:
        """Return what Android prints for each of these names of `device_facts.FACTS`."""
        ...

    async def change_device(self, line: str, names: Collection[str]) -> Answer:
        """Run a command line that changes a setting, and return what the phone has then."""
        ...

    async def reach(self) -> Reach:
        """Return over which network of the phone this connection goes."""
        ...

    async def languages(self) -> list[str]:
        """Return the language tags of the system, the preferred one first."""
        ...

    async def set_languages(self, tags: Sequence[str]) -> list[str]:
        """Set them; return those that the system has then."""
        ...

    async def whereabouts(self, fresh_ms: int) -> Whereabouts:
        """Return where the phone is: as last known, or found anew within so many milliseconds."""
        ...

    async def pretend_place(self, place: tuple[float, float] | None) -> None:
        """Make apps believe that the phone is there; None: where it is."""
        ...

    async def keyboard_shown(self) -> bool:
        """Return whether the keyboard is on the screen."""
        ...
