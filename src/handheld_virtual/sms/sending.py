"""The sending of one text to the network, and its results."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from .message import Box, Message, Outcome
from .parts import Parts

if TYPE_CHECKING:
    from ..world import World
    from .telephony import Telephony

SEND_MS = 300.0
"""The time from handing over a part to the network's answer."""
DETECTED_LOCALLY = frozenset(Outcome) - {
    Outcome.OK,
    Outcome.GENERIC_FAILURE,
    Outcome.NO_SERVICE,
}
DELIVERY_MS = 900.0
"""The time from the network's answer to the delivery report."""

PartReport = Callable[[int, Outcome], object]
"""Called with a part's index, from 0, and its outcome."""
PartDelivered = Callable[[int], object]


class Sending:
    """Sends one part after another."""

    def __init__(
        self,
        world: "World",
        telephony: "Telephony",
        package: str,
        sent: PartReport,
        delivered: PartDelivered,
    ) -> None:
        self._world, self._telephony, self._package = world, telephony, package
        self._sent, self._delivered = sent, delivered
        self._worst = Outcome.OK
        self._acknowledged = 0

    def begin(self, address: str, text: str, sub: int, parts: Parts, allowed: bool) -> None:
        telephony = self._telephony
        stored = telephony.store(address, text, Box.OUTBOX, sub=sub, creator=self._package)
        result, since = Outcome.LIMIT_EXCEEDED, 1
        if allowed:
            result, since = telephony.outcome_for(address, sub)
        # The phone reports immediately what it detects itself; the network takes time.
        early = result in DETECTED_LOCALLY and since == 1
        for part in range(parts.count):
            wait = 0.0 if early else SEND_MS * (part + 1)
            outcome = result if part + 1 >= since else Outcome.OK
            self._world.timers.after(
                wait,
                lambda part=part, outcome=outcome: self._answered(
                    stored, part, parts.count, outcome
                ),
            )

    def _answered(self, stored: Message, part: int, count: int, outcome: Outcome) -> None:
        telephony = self._telephony
        if outcome is Outcome.OK and not telephony.radio_on:
            outcome = Outcome.RADIO_OFF  # the radio was switched off in the meantime
        if self._worst is Outcome.OK:
            self._worst = outcome
        if part == count - 1:
            telephony.conclude(stored.id, self._worst)
        self._sent(part, outcome)
        if outcome is Outcome.OK and telephony.delivery_reports:
            self._world.timers.after(DELIVERY_MS, lambda: self._arrived(stored, part, count))

    def _arrived(self, stored: Message, part: int, count: int) -> None:
        self._acknowledged += 1
        if self._acknowledged == count:
            self._telephony.acknowledge(stored.id)
        self._delivered(part)
