"""SIM cards and short messages, as values."""

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Sim:
    """A SIM card, and what Android calls its subscription."""

    id: int
    """Of the subscription: never used again for another card."""
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
"""What a phone has unless it is told otherwise: two cards that are abroad, in other networks."""


class Box(IntEnum):
    """Where a message is, by the numbers of Android's message store."""

    INBOX = 1
    SENT = 2
    OUTBOX = 4
    FAILED = 5


class Outcome(IntEnum):
    """What became of a part, by the result codes of Android's SmsManager."""

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
    """The subscription it came or went by."""
    outcome: Outcome | None = None
    """Of one that was sent: the first failure, or OK."""
    delivered: bool = False
    """The other phone has said that it has it."""
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
    """What sending to some numbers comes to."""

    pattern: str
    """Of the number, as `fnmatch` has it: `+3620*`."""
    outcome: Outcome
    times: int | None
    """For so many messages; None: for all."""
    part: int = 1
    """The first part that it happens to; those before it are sent."""


def plain_address(address: str) -> str:
    """Without the signs that people put into a number; a name stays as it is."""
    bare = "".join(sign for sign in address if sign not in " -()./\u00a0")
    return bare if bare.lstrip("+").isdecimal() else address.strip().casefold()
