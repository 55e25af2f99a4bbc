"""The claim under which a process uses a phone that other hosts can reach, too.

Other code decides who claims, and numbers the claims. Without a claim, a process uses a phone
unless another host does.
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
    """The claim on the phone at one address, whatever its connections."""

    def __init__(self, of: "PhoneClaims") -> None:
        self._of = of
        self.claim: Claim | None = None
        """Given to each helper that is started."""
        self.asked = False
        """Whether the phone was asked to accept that claim. It may not have answered."""
        self.elsewhere = ""
        """Why this process does not use the phone at all, as a sentence."""
        self.refusal: Refusal | None = None
        """What the phone answered to our claim."""
        self.guarded = False
        """The phone has accepted a claim of ours. From then on it is used only through the helper,
        which would keep us away if the phone accepted another claim."""
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
        """Forget everything if this is another phone than before. An address may lead to another
        phone by now, which must not get the first one's number."""
        if phone != self._phone:
            self._phone = phone
            self.claim = self.refusal = None
            self.elsewhere, self.guarded = "", False

    def check(self) -> None:
        """Raises HelperFailure if this process does not use the phone."""
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
            return  # the former claim, or one for another stream of ours
        self.refusal = Refusal(other, failure.data.get("live") is True)
        self.elsewhere = f"The host {other.name} has claimed this phone, by number {other.epoch}."
        self._of.changes.tell()


class PhoneClaims:
    """The claims on all phones of a process, by serial. They outlive connections."""

    def __init__(self) -> None:
        self.required = False
        self.changes = Changes()
        """Called when a phone is given a claim, or refuses it."""
        self._known: dict[str, PhoneClaim] = {}

    def of(self, serial: str) -> PhoneClaim:
        return self._known.setdefault(serial, PhoneClaim(self))
