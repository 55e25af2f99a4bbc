"""SIM cards, text messages and the radio: the protocols and their values."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class Subscription(NamedTuple):
    """An active SIM card."""

    id: int
    slot: int
    display_name: str
    carrier_name: str


class SmsFailed(Exception):
    """The phone has not confirmed that all parts of a message were sent."""


class NotSent(SmsFailed):
    """The phone refused a part."""

    def __init__(self, result: int, part: int, parts: int, sent: int) -> None:
        super().__init__(f"part {part} of {parts}: result {result}")
        self.result = result
        """A result code of Android's SmsManager."""
        self.part = part
        """The first refused part, from 1."""
        self.parts = parts
        self.sent = sent
        """The number of parts that were sent."""


class SubscriptionGone(SmsFailed):
    """No active SIM has this subscription any more. Nothing was sent."""


class MayBeSent(SmsFailed):
    """The outcome is unknown: the phone did not report in time, or was lost. `why` is a
    sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


MAY_BE_SENT = "The message may have been sent. Check the phone's messages before sending it again."
NOTHING_SENT = "Nothing was sent."


class SmsDriver(Protocol):
    async def sent_messages(self) -> Mapping[int, str] | None:
        """Return the recipients of this phone's text messages, sent or not, by message id; None if
        Android does not let the shell read them."""
        ...

    async def subscriptions(self) -> list[Subscription]:
        """List the active SIM cards, by slot."""
        ...

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        """Send a message, once; return the number of parts. Raises SmsFailed."""
        ...


class RadioDriver(Protocol):
    async def known_subscriptions(self) -> frozenset[int] | None:
        """Return the ids of all SIM cards that were ever in the phone; None if unknown."""
        ...

    async def airplane_mode(self) -> bool | None:
        """Return whether airplane mode is on; None if unknown."""
        ...
