"""SIM cards and short messages, as values."""

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Sim:
    """A SIM card, which Android calls a subscription."""

    id: int
    """The subscription id: never reused for another card."""
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
"""The default: two cards, both roaming in other networks."""


class Box(IntEnum):
    """The folder of a message, by the numbers of Android's message store."""

    INBOX = 1
    SENT = 2
    OUTBOX = 4
    FAILED = 5


class Outcome(IntEnum):
    """The outcome of a part, by the result codes of Android's SmsManager."""

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
    """The subscription it was received or sent by."""
    outcome: Outcome | None = None
    """For a sent message: the first failure, or OK."""
    delivered: bool = False
    """The other phone has confirmed it."""
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
    """The outcome of sending to some numbers."""

    pattern: str
    """A pattern for the number, as in `fnmatch`: `+3620*`."""
    outcome: Outcome
    times: int | None
    """For how many messages; None: for all."""
    part: int = 1
    """The first part that fails; those before it are sent."""


def plain_address(address: str) -> str:
    """Remove the separators that people write in numbers; a name stays as it is."""
    bare = "".join(char for char in address if char not in " -()./\u00a0")
    return bare if bare.lstrip("+").isdecimal() else address.strip().casefold()
