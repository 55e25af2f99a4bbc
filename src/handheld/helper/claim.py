"""By which claim a process uses a phone that other hosts can reach, too.

Who claims, and how claims are numbered, is decided elsewhere; without a claim a phone is used as
ever, unless another host uses it.
"""

from typing import NamedTuple

from ..changes import Changes
from .protocol import Claim, Code, HelperFailure


class Refusal(NamedTuple):
    """The claim that the phone has accepted before ours, or after it."""

    claim: Claim
    live: bool
    """Whether its host uses the phone now."""


class PhoneClaim:
    """Of the phone at one address, whatever its connections."""

    def __init__(self, of: "PhoneClaims") -> None:
        self._of = of
        self.claim: Claim | None = None
        """Given to each helper that is started."""
        self.asked = False
        """Whether the phone was asked if it accepts that claim. It may not have answered."""
        self.elsewhere = ""
        """Why the phone is not used here at all, as a sentence."""
        self.refusal: Refusal | None = None
        """What the phone said to the claim that we have."""
        self.guarded = False
        """The phone has accepted a claim of ours: it is not used without the helper any more, by
        which it would keep us away if it accepted another."""
        self._phone = ""

    @property
    def required(self) -> bool:
        """Whether the phone is leased only under a claim."""
        return self._of.required

    @property
    def ours(self) -> bool:
        """Whether the phone may be leased here."""
        return self.claim is not None and self.asked and not self.elsewhere

    def belongs_to(self, phone: str) -> None:
        """Given what tells a phone from others, forget all if it is not the one of before: an
        address may lead to another phone by now, which must not be given that one's number."""
        if phone != self._phone:
            self._phone = phone
            self.claim = self.refusal = None
            self.elsewhere, self.guarded = "", False

    def check(self) -> None:
        """Raises HelperFailure if the phone is not used here."""
        if self.elsewhere:
            raise HelperFailure(Code.CLAIMED, self.elsewhere)

    def give(self, claim: Claim) -> None:
        """To each helper that is started from now on."""
        self.claim, self.refusal, self.elsewhere, self.asked = claim, None, "", False

    def settle(self) -> None:
        self.asked = True
        self._of.changes.tell()

    def accept(self, claim: Claim) -> None:
        """The phone has accepted it."""
        self.guarded = True
        if claim == self.claim:
            self.refusal = None

    def refuse(self, claim: Claim | None, failure: HelperFailure) -> None:
        """The phone has refused a claim, or ended its stream for another."""
        other = Claim.decode(failure.data)
        if other is None or claim != self.claim or other == claim:
            return  # that of before, or for another stream of our own
        self.refusal = Refusal(other, failure.data.get("live") is True)
        self.elsewhere = f"The host {other.name} has claimed this phone, by number {other.epoch}."
        self._of.changes.tell()


class PhoneClaims:
    """Of all phones of a process, by serial: they outlive connections."""

    def __init__(self) -> None:
        self.required = False
        self.changes = Changes()
        """Told when a phone is given a claim, or refuses it."""
        self._known: dict[str, PhoneClaim] = {}

    def of(self, serial: str) -> PhoneClaim:
        return self._known.setdefault(serial, PhoneClaim(self))
