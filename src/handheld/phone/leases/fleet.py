"""The phones together, as the tools that take and give back phones use them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .lease import Lease


@dataclass(frozen=True, slots=True)
class FleetPhone:
    """A phone that is connected."""

    name: str
    """Slug or serial."""
    serial: str
    model: str
    api: int
    """0 if it did not tell."""
    tags: tuple[str, ...]
    state: str
    """free, yours, leased, stopped (its owner holds agents back), or elsewhere (another host uses
    it)."""
    lease: Lease | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which phone is wanted; what is empty does not matter."""

    model: str = ""
    """A part of it, in any case."""
    api: int = 0
    tags: tuple[str, ...] = ()
    """All of them."""
    name: str = ""
    """Slug or serial."""


@dataclass(frozen=True, slots=True)
class TakenPhone:
    phone: FleetPhone
    lease: Lease
    notes: Sequence[str]
    """What else its holder should know."""


class Fleet(Protocol):
    """For one caller: others' phones that it may not use are not there."""

    @property
    def now(self) -> float: ...

    async def phones(self) -> Sequence[FleetPhone]: ...

    async def take(self, wanted: Wanted, minutes: int) -> TakenPhone:
        """Raises ToolError."""
        ...

    async def status(self) -> tuple[Sequence[Lease], str]:
        """The caller's leases, which are renewed by that, and what it was not told yet of those
        that ended."""
        ...

    async def give_back(self, ref: str) -> str:
        """End a lease, by its handle or its phone; with "" the only one. Returns a sentence. Raises
        ToolError."""
        ...
