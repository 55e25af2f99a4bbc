"""What a host does about its claim on a phone, by what it knows. `tests/fleet/search.py` has the
rules that keep a phone from having two holders whatever hosts decide here: this is only about who
gets it."""

from typing import NamedTuple

from ..engine.claims import ClaimRow
from ..helper.claim import Refusal


class Sight(NamedTuple):
    """What a host knows about a phone that is connected to it."""

    host: str
    """Its own id."""
    epoch: int
    """Of its own claim; 0 without one, and after one that it began to release."""
    row: ClaimRow | None
    away: bool
    """Whether the row's host was not heard of for a while."""
    refusal: Refusal | None
    """What the phone said to the own claim."""


class Stay(NamedTuple):
    """The phone is ours."""

    epoch: int


class Take(NamedTuple):
    """Claim it, over the row with this revision."""

    revision: int
    above: int


class Leave(NamedTuple):
    """Another host has it."""

    name: str


def decide(sight: Sight) -> Stay | Take | Leave:
    host, epoch, row, away, refusal = sight
    above = max(row.above if row is not None else 0, refusal.claim.epoch if refusal else 0)
    nobody_elses = row is None or row.host == host
    if nobody_elses and refusal is not None and refusal.live and refusal.claim.host != host:
        # The engine has lost that claim, or it is another engine's. In the first case its host
        # gives way; in the second nobody knows better than the phone.
        return Leave(refusal.claim.name)
    if row is None:
        return Take(0, max(above, epoch))
    if row.host == host:
        # A release of it may be on its way, which a new revision makes void.
        if refusal is not None or not epoch:
            return Take(row.revision, above)
        # An engine that was restored has a lower number than the phone may have accepted.
        return Stay(max(row.epoch, epoch))
    if row.epoch < epoch:
        # We claimed it later, and the engine has lost that.
        return Take(row.revision, max(above, epoch))
    return Take(row.revision, above) if away else Leave(row.name)
