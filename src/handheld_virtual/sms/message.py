"""Types of SIM cards and short messages."""

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Sim:
    """A SIM card, which Android calls a subscription."""

    id: int
    """The subscription id, which is never reused for another card."""
    slot: int
    display_name: str
    carrier: str
    number: str
    mcc: str
    mnc: str
    country: str
    icc_id: str
    active: bool = True


SIMS = (
    Sim(14, 0, "Orange F", "vodafone UK", "+33700900123", "208", "01", "fr", "8933011234567890123"),
    Sim(
        *(17, 1, "Yettel HU", "EE | Yettel HU", "+36201234567"),
        *("216", "01", "hu", "8936012345678901234"),
    ),
)
"""The default: two cards, both roaming."""


class Box(IntEnum):
    """The folder of a message, with the numbers of Android's message store."""

    INBOX = 1
    SENT = 2
    OUTBOX = 4
    FAILED = 5


class Outcome(IntEnum):
    """The outcome of a part, with the result codes of Android's SmsManager."""

    OK = -1
    GENERIC_FAILURE = 1
    RADIO_OFF = 2
    NULL_PDU = 3
    NO_SERVICE = 4
    LIMIT_EXCEEDED = 5
    FDN_CHECK_FAILURE = 6
    SHORT_CODE_NOT_ALLOWED = 7
    SHORT_CODE_NEVER_ALLOWED = 8


@dataclass(frozen=True, slots=True)
class Message:
    id: int
    thread: int
    address: str
    body: str
    date: int
    """Milliseconds since 1970."""
    box: Box
    read: bool
    sub: int
    """The subscription that received or sent it."""
    outcome: Outcome | None = None
    """For a sent message: the outcome of the first part that failed, or OK."""
    delivered: bool = False
    """Whether the other phone has confirmed it."""
    creator: str = ""
    """The package that sent it."""


@dataclass(frozen=True, slots=True)
class Thread:
    """All messages from and to one number, the oldest first; never empty."""

    id: int
    address: str
    messages: tuple[Message, ...]

    @property
    def last(self) -> Message:
        return self.messages[-1]

    @property
    def unread(self) -> int:
        return sum(not message.read for message in self.messages)


@dataclass(slots=True)
class Failing:
    """A rule for the outcome of sending to certain numbers."""

    pattern: str
    """An `fnmatch` pattern for the number: `+3620*`."""
    outcome: Outcome
    times: int | None
    """How many messages it applies to; None means all."""
    part: int = 1
    """The first part that fails; the parts before it are sent."""


def plain_address(address: str) -> str:
    """Remove the separators from a number; a name stays unchanged."""
    bare = "".join(char for char in address if char not in " -()./\u00a0")
    return bare if bare.lstrip("+").isdecimal() else address.strip().casefold()
