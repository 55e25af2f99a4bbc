"""The values in which a driver reports SIM cards and messages that were to be sent."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subscription:
    """A SIM card that is in use, as Android knows it."""

    id: int
    slot: int
    display_name: str
    carrier_name: str


class SmsFailed(Exception):
    """The phone has not said that all of a message was sent."""


class NotSent(SmsFailed):
    """The phone refused a part."""

    def __init__(self, result: int, part: int, parts: int, sent: int) -> None:
        super().__init__(f"part {part} of {parts}: result {result}")
        self.result = result
        """As Android's SmsManager numbers them."""
        self.part = part
        """The first that was refused, from 1."""
        self.parts = parts
        self.sent = sent
        """How many parts went out all the same."""


class SubscriptionGone(SmsFailed):
    """No active SIM has that subscription any more. Nothing was sent."""


class MayBeSent(SmsFailed):
    """Nobody knows: the phone has not said in time, or was lost. `why` is a sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


MAY_BE_SENT = (
    "The message may have been sent. Look into the messages of the phone before sending it again."
)
NOTHING_SENT = "Nothing was sent."
