"""The app that offers a tool, and how far its owner trusts it."""

from enum import StrEnum
from typing import NamedTuple


class Standing(StrEnum):
    """Whether an app's tools may be used."""

    APPROVED = "approved"
    """By the owner."""
    OURS = "ours"
    """It is an app of a virtual phone that this program started."""
    FOUND = "found"
    """It was there at the first look at this phone."""
    LATER = "later"
    """It came after that."""
    NEW = "new"
    """Seen, and not listed until it is approved."""
    CHANGED = "changed"
    """It has changed since it was approved or first seen."""
    REVOKED = "revoked"

    @property
    def listed(self) -> bool:
        return self in (Standing.APPROVED, Standing.OURS, Standing.FOUND, Standing.LATER)


class AppOffer(NamedTuple):
    """The app whose tool is called, as it was when the tool was found."""

    package: str
    phone: str
    """The phone's name, as approvals know it."""
    seen: str
    """The digest of its signer and its declaration."""
    standing: Standing
