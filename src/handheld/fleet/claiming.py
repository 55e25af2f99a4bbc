"""Decides what a host does about its claim on a phone, from what the host knows.

The rules in `tests/fleet/search.py` keep a phone from having two holders, whatever hosts decide
here: this module only decides who gets it. A host asks the phone. Another host's row counts only if
the phone names that host: only a host that reaches a phone can have its claim accepted there.
"""

from typing import NamedTuple

from ..helper.claim import Refusal


class Sight(NamedTuple):
    """What a host knows about a phone connected to it."""

    host: str
    """Its own id."""
    epoch: int
    """The epoch of its own claim; 0 without a claim, or after it began to release it."""
    refusal: Refusal | None
    """The phone's reply to the host's own claim: the host it has accepted."""
    listed: bool
    """Whether the host that the phone names says that it has the phone."""
    away: bool
    """Whether that host has been silent for a while."""


class ClaimUse(NamedTuple):
    """Use the phone if it accepts this epoch."""

    epoch: int


class Leave(NamedTuple):
    """Leave the phone to another host."""

    name: str


FIRST = 1
"""A phone that has accepted nobody accepts this epoch; any other phone replies with its host. It
ends nobody's claim."""


def decide(sight: Sight) -> ClaimUse | Leave:
    host, epoch, refusal, listed, away = sight
    if refusal is None:
        return ClaimUse(epoch or FIRST)
    other = refusal.claim
    # A host that uses the phone but does not list it belongs to another engine, or ours has lost
    # its row.
    kept = not away if listed else refusal.live
    if kept and other.host != host:
        return Leave(other.name)
    # If several hosts want the phone, it accepts one; for the others, this epoch is then another
    # host's.
    return ClaimUse(max(epoch, other.epoch) + 1)
