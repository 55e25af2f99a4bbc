"""The phone's SIMs and short messages: stored, received and sent."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from .limit import confirm
from .message import SIMS, Box, Failing, Message, Outcome, Sim, Thread, plain_address
from .parts import Parts, divide
from .sending import PartDelivered, PartReport, Sending

if TYPE_CHECKING:
    from ..world import World

MOST_IN_A_MINUTE = 30
"""How many parts an app may send; Android asks the owner before it sends more."""
MINUTE_MS = 60_000.0
MOST_MESSAGES = 10_000
"""How many messages are stored; the oldest are dropped."""
LONGEST_ADDRESS = 64


class Telephony:
    """SIMs and messages. Results follow the world's time: they arrive at the first access to the
    phone after they are due."""

    def __init__(self, world: "World", sims: Iterable[Sim] = SIMS) -> None:
        self._world = world
        self.sims = list(sims)
        self.default_sub: int | None = None
        """The SIM that the owner chose for messages; a single active SIM needs no choice."""
        self.out_of_service: set[int] = set()
        """Subscriptions without service."""
        self.delivery_reports = True
        """Whether the other phones confirm delivery."""
        self._messages: dict[int, Message] = {}
        self._threads: dict[str, int] = {}
        self._count = 0
        self._failing: list[Failing] = []
        self._waiting: deque[tuple[str, str, int]] = deque(maxlen=MOST_MESSAGES)
        """Messages that the network holds until their SIM can receive them."""
        self._sent: dict[str, deque[float]] = {}
        self._watchers: list[Callable[[Message], object]] = []
        self._receivers: list[Callable[[Message], object]] = []
        world.preferences.watch("global", "airplane_mode_on", lambda _: self._radio_changed())

    # SIMs

    @property
    def active_sims(self) -> list[Sim]:
        """The active SIMs in the order of their slots."""
        return sorted((sim for sim in self.sims if sim.active), key=lambda sim: sim.slot)

    def sim(self, sub: int) -> Sim | None:
        """The active SIM with this subscription id."""
        return next((sim for sim in self.active_sims if sim.id == sub), None)

    def set_active(self, sub: int, active: bool) -> None:
        """Switch a SIM on or off, as the settings app does. Raises KeyError for an unknown SIM."""
        for place, sim in enumerate(self.sims):
            if sim.id == sub:
                self.sims[place] = replace(sim, active=active)
                if active:
                    self._radio_changed()
                return
        raise KeyError(sub)

    @property
    def default_sim(self) -> Sim | None:
        """The SIM for a message without a chosen SIM; None if Android would ask the owner."""
        active = self.active_sims
        if len(active) == 1:
            return active[0]
        return None if self.default_sub is None else self.sim(self.default_sub)

    @property
    def radio_on(self) -> bool:
        return not self._world.switches["airplane"]

    # Stored messages

    @property
    def messages(self) -> list[Message]:
        """All messages, the oldest first."""
        return sorted(self._messages.values(), key=_age)

    @property
    def threads(self) -> list[Thread]:
        """All threads; the one with the newest message is first."""
        grouped: dict[int, list[Message]] = {}
        for message in self.messages:
            grouped.setdefault(message.thread, []).append(message)
        threads = [Thread(id, each[-1].address, tuple(each)) for id, each in grouped.items()]
        return sorted(threads, key=lambda thread: _age(thread.last), reverse=True)

    def thread(self, address: str) -> Thread | None:
        """The thread with a number, in any notation."""
        id = self._threads.get(plain_address(address))
        if id is None:
            return None
        found = tuple(message for message in self.messages if message.thread == id)
        return Thread(id, found[-1].address, found) if found else None

    @property
    def unread(self) -> int:
        return sum(not message.read for message in self._messages.values())

    def watch(self, watcher: Callable[[Message], object]) -> None:
        """Call the watcher for every message that is new, changed or deleted."""
        self._watchers.append(watcher)

    def watch_received(self, watcher: Callable[[Message], object]) -> None:
        """Call the watcher for every received message, after it is stored."""
        self._receivers.append(watcher)

    def mark_read(self, address: str) -> None:
        thread = self.thread(address)
        for message in thread.messages if thread is not None else ():
            if not message.read:
                self._put(replace(message, read=True))

    def delete(self, id: int) -> bool:
        """Return False when there was none."""
        message = self._messages.pop(id, None)
        if message is not None:
            self._notify(message)
        return message is not None

    def delete_thread(self, address: str) -> bool:
        """Return False when there was none."""
        thread = self.thread(address)
        if thread is None:
            return False
        for message in thread.messages:
            del self._messages[message.id]
        self._notify(thread.last)
        return True

    def store(
        self,
        address: str,
        text: str,
        box: Box = Box.INBOX,
        *,
        sub: int | None = None,
        read: bool = True,
        date: int | None = None,
        creator: str = "",
    ) -> Message:
        """Store a message without a notification, to set up a phone."""
        sub = self._first_sub() if sub is None else sub
        key = plain_address(address)
        thread = self._threads.setdefault(key, len(self._threads) + 1)
        self._count += 1
        if date is None:
            date = int(self._world.wall.now().timestamp() * 1000)
        message = Message(self._count, thread, address, text, date, box, read, sub, creator=creator)
        self._put(message)
        while len(self._messages) > MOST_MESSAGES:
            del self._messages[next(iter(self._messages))]
        return message

    # Received messages

    def receive(self, address: str, text: str, sub: int | None = None) -> Message | None:
        """Receive a message, by default with the first active SIM. Returns None while the SIM is
        off or without service, when the network holds the message."""
        self._world.settle()
        if sub is None:
            sub = self._first_sub()
        if not any(sim.id == sub for sim in self.sims):
            raise KeyError(sub)
        if not address.strip() or len(address) > LONGEST_ADDRESS:
            raise ValueError(f"a sender has 1 to {LONGEST_ADDRESS} characters")
        if not self._reachable(sub):
            self._waiting.append((address, text, sub))
            return None
        message = self.store(address, text, sub=sub, read=False)
        for receiver in self._receivers:
            receiver(message)
        return message

    def _first_sub(self) -> int:
        active = self.active_sims
        return active[0].id if active else min((sim.id for sim in self.sims), default=1)

    def _reachable(self, sub: int) -> bool:
        return self.radio_on and self.sim(sub) is not None and sub not in self.out_of_service

    def _radio_changed(self) -> None:
        waiting = list(self._waiting)
        self._waiting.clear()
        for address, text, sub in waiting:
            self.receive(address, text, sub)

    def restore_service(self, sub: int) -> None:
        """End the loss of service: deliver the messages that the network held."""
        self.out_of_service.discard(sub)
        self._radio_changed()

    # Sent messages

    def fail(self, pattern: str, outcome: Outcome, times: int | None = None, part: int = 1) -> None:
        """Set the outcome of messages to matching numbers, from a part on; OK removes the rule."""
        outcome = Outcome(outcome)
        self._failing = [rule for rule in self._failing if rule.pattern != pattern]
        if outcome is not Outcome.OK:
            self._failing.append(Failing(pattern, outcome, times, part))

    def send(
        self,
        address: str,
        text: str,
        sub: int,
        *,
        package: str,
        sent: PartReport | None = None,
        delivered: PartDelivered | None = None,
    ) -> Parts:
        """Send a text, divided into parts if necessary. `sent` is called once for each part,
        `delivered` for the parts that the other phone confirms. Raises ValueError as Android's
        SmsManager does."""
        if not address:
            raise ValueError("Invalid destinationAddress")
        if not text:
            raise ValueError("Invalid message body")
        self._world.settle()
        parts = divide(text)
        report: PartReport = sent or (lambda part, outcome: None)
        if self.sim(sub) is None:
            # Android has no store for an unknown subscription, so nothing is written.
            for part in range(parts.count):
                report(part, Outcome.GENERIC_FAILURE)
            return parts
        sending = Sending(self._world, self, package, report, delivered or (lambda part: None))
        if self._over_limit(package, parts.count):
            confirm(
                self._world,
                package,
                lambda allowed: sending.begin(address, text, sub, parts, allowed),
            )
        else:
            sending.begin(address, text, sub, parts, True)
        return parts

    def _over_limit(self, package: str, count: int) -> bool:
        now = self._world.timers.now()
        times = self._sent.setdefault(package, deque())
        while times and times[0] <= now - MINUTE_MS:
            times.popleft()
        if len(times) + count > MOST_IN_A_MINUTE:
            return True
        times.extend([now] * count)
        return False

    def outcome_for(self, address: str, sub: int) -> tuple[Outcome, int]:
        """The current outcome of sending, and the first part it applies to. Counts down a rule's
        `times`."""
        if not self.radio_on:
            return Outcome.RADIO_OFF, 1
        if self.sim(sub) is None or sub in self.out_of_service:
            return Outcome.NO_SERVICE, 1
        if not any(char.isdecimal() for char in address):
            return Outcome.NULL_PDU, 1
        for rule in self._failing:
            if fnmatchcase(plain_address(address), rule.pattern):
                if rule.times is not None:
                    rule.times -= 1
                    if rule.times <= 0:
                        self._failing.remove(rule)
                return rule.outcome, rule.part
        return Outcome.OK, 1

    def conclude(self, id: int, outcome: Outcome) -> None:
        """Store the outcome once every part has a result. A message that was deleted in the
        meantime stays deleted."""
        message = self._messages.get(id)
        if message is not None:
            box = Box.SENT if outcome is Outcome.OK else Box.FAILED
            self._put(replace(message, box=box, outcome=outcome))

    def acknowledge(self, id: int) -> None:
        """Record that the other phone has confirmed all parts."""
        message = self._messages.get(id)
        if message is not None:
            self._put(replace(message, delivered=True))

    def _put(self, message: Message) -> None:
        self._messages[message.id] = message
        self._notify(message)

    def _notify(self, message: Message) -> None:
        for watcher in self._watchers:
            watcher(message)


def _age(message: Message) -> tuple[int, int]:
    return message.date, message.id
