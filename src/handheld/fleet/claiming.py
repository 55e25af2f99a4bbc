"""What a host does about its claim on a phone, by what it knows. `tests/fleet/search.py` has the
rules that keep a phone from having two holders whatever hosts decide here: this is only about who
gets it.

It asks the phone. What another host has written counts only if the phone names that host: only a
host that reaches a phone can have its claim accepted there.
"""

from typing import NamedTuple

from ..helper.claim import Refusal


class Sight(NamedTuple):
    """What a host knows about a phone that is connected to it."""

    host: str
    """Its own id."""
    epoch: int
    """Of its own claim; 0 without one, and after one that it began to release."""
    refusal: Refusal | None
    """What the phone said to the own claim: whose it has accepted."""
    listed: bool
    """Whether the host that the phone names says that it has the phone."""
    away: bool
    """Whether that host was not heard of for a while."""


class Use(NamedTuple):
    """It is ours if the phone accepts this number."""

    epoch: int


class Leave(NamedTuple):
    """Another host has it."""

    name: str


FIRST = 1
"""A phone accepts it that has accepted nobody, and of others it tells whom: nobody's is ended by
it."""


def decide(sight: Sight) -> Use | Leave:
    host, epoch, refusal, listed, away = sight
    if refusal is None:
        return Use(epoch or FIRST)
    other = refusal.claim
    # One that uses it but does not list it is of another engine, or ours has lost its row.
    kept = not away if listed else refusal.live
    if kept and other.host != host:
        return Leave(other.name)
    # Of several that want it the phone accepts one: to the others this number is another host's.
    return Use(max(epoch, other.epoch) + 1)
