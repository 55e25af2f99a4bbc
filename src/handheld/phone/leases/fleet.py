"""The fleet of phones, for the tools that take and give back phones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .lease import Lease


@dataclass(frozen=True, slots=True)
class FleetPhone:
    """A connected phone."""

    name: str
    """The slug or the serial."""
    serial: str
    model: str
    api: int
    """0 if unknown."""
    tags: tuple[str, ...]
    state: str
    """free, yours, leased, stopped (its owner has stopped agents), or elsewhere (another host uses
    it)."""
    lease: Lease | None


@dataclass(frozen=True, slots=True)
class WantedPhone:
    """The requirements for a phone; empty ones do not matter."""

    model: str = ""
    """A part of the model's name, ignoring case."""
    api: int = 0
    tags: tuple[str, ...] = ()
    """Tags that the phone must have."""
    name: str = ""
    """Slug or serial."""


@dataclass(frozen=True, slots=True)
class TakenPhone:
    phone: FleetPhone
    lease: Lease
    notes: Sequence[str]
    """Further notes for the holder."""


class Fleet(Protocol):
    """The phones for one caller: those that it may not use do not appear."""

    @property
    def now(self) -> float: ...

    async def phones(self) -> Sequence[FleetPhone]: ...

    async def take(self, wanted: WantedPhone, minutes: int) -> TakenPhone:
        """Raises ToolError."""
        ...

    async def status(self) -> tuple[Sequence[Lease], str]:
        """Return and renew the caller's leases. The text describes ended leases of which the caller
        has not been told yet."""
        ...

    async def give_back(self, ref: str) -> str:
        """End a lease, named by its handle or its phone; "" means the only one. Returns a sentence.
        Raises ToolError."""
        ...
