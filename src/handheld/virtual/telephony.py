"""The phone's SIMs and short messages: what is stored, what comes, and what is sent."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from .sms_limit import confirm
from .sms_parts import Parts, divide

if TYPE_CHECKING:
    from .world import World

SEND_MS = 300.0
"""From one part's handing over to the network's answer."""
DELIVERY_MS = 900.0
"""From the network's answer to the other phone's."""
MOST_IN_A_MINUTE = 30
"""Of one app, counted in parts; Android asks the owner before it sends more."""
MINUTE_MS = 60_000.0
MOST_MESSAGES = 10_000
"""Kept; the oldest go."""
LONGEST_ADDRESS = 64


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
    Sim(1, 0, "SIM 1", "Handheld Mobile", "+36201234567", "216", "30", "hu", "8936301234567890123"),
    Sim(2, 1, "SIM 2", "Example Telecom", "+36709876543", "216", "70", "hu", "8936709876543210987"),
)
"""What a phone has unless it is told otherwise."""


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


PartTold = Callable[[int, Outcome], object]
"""Hears a part's number, from 0, and what became of it."""
PartDelivered = Callable[[int], object]


class Telephony:
    """Time is the world's: an outcome comes when somebody looks at the phone after it is due."""

    def __init__(self, world: "World", sims: Iterable[Sim] = SIMS) -> None:
        self._world = world
        self.sims = list(sims)
        self.default_sub: int | None = None
        """For messages, where the owner has chosen one; with one active SIM it needs no choice."""
        self.out_of_service: set[int] = set()
        """Subscriptions without a network."""
        self.delivery_reports = True
        """Whether the other phones answer."""
        self._messages: dict[int, Message] = {}
        self._threads: dict[str, int] = {}
        self._count = 0
        self._failing: list[Failing] = []
        self._waiting: deque[tuple[str, str, int]] = deque(maxlen=MOST_MESSAGES)
        """What the network keeps for a phone whose radio is off."""
        self._sent: dict[str, deque[float]] = {}
        self._watchers: list[Callable[[Message], object]] = []
        self._receivers: list[Callable[[Message], object]] = []
        world.preferences.watch("global", "airplane_mode_on", lambda _: self._radio_changed())

    # SIMs

    @property
    def active_sims(self) -> list[Sim]:
        """In the order of their slots."""
        return sorted((sim for sim in self.sims if sim.active), key=lambda sim: sim.slot)

    def sim(self, sub: int) -> Sim | None:
        """The active one of that subscription."""
        return next((sim for sim in self.active_sims if sim.id == sub), None)

    def set_active(self, sub: int, active: bool) -> None:
        """As the switch in the settings does. KeyError when there is no such card."""
        for place, sim in enumerate(self.sims):
            if sim.id == sub:
                self.sims[place] = replace(sim, active=active)
                if active:
                    self._radio_changed()
                return
        raise KeyError(sub)

    @property
    def default_sim(self) -> Sim | None:
        """What a message goes by when nobody says; None: the owner would be asked."""
        active = self.active_sims
        if len(active) == 1:
            return active[0]
        return None if self.default_sub is None else self.sim(self.default_sub)

    @property
    def radio_on(self) -> bool:
        return not self._world.switches["airplane"]

    # What is stored

    @property
    def messages(self) -> list[Message]:
        """The oldest first."""
        return list(self._messages.values())

    @property
    def threads(self) -> list[Thread]:
        """The one with the newest message first."""
        grouped: dict[int, list[Message]] = {}
        for message in self._messages.values():
            grouped.setdefault(message.thread, []).append(message)
        threads = [Thread(id, each[-1].address, tuple(each)) for id, each in grouped.items()]
        return sorted(threads, key=lambda thread: thread.last.id, reverse=True)

    def thread(self, address: str) -> Thread | None:
        """By the number, however it is written."""
        id = self._threads.get(plain_address(address))
        if id is None:
            return None
        found = tuple(message for message in self._messages.values() if message.thread == id)
        return Thread(id, found[-1].address, found) if found else None

    @property
    def unread(self) -> int:
        return sum(not message.read for message in self._messages.values())

    def watch(self, watcher: Callable[[Message], object]) -> None:
        """Told of every message that is new, changed or gone."""
        self._watchers.append(watcher)

    def watch_received(self, watcher: Callable[[Message], object]) -> None:
        """Told of every message that comes in, after it is stored."""
        self._receivers.append(watcher)

    def mark_read(self, address: str) -> None:
        thread = self.thread(address)
        for message in thread.messages if thread is not None else ():
            if not message.read:
                self._put(replace(message, read=True))

    def delete(self, id: int) -> bool:
        """False when there was none."""
        message = self._messages.pop(id, None)
        if message is not None:
            self._tell(message)
        return message is not None

    def delete_thread(self, address: str) -> bool:
        """False when there was none."""
        thread = self.thread(address)
        if thread is None:
            return False
        for message in thread.messages:
            del self._messages[message.id]
        self._tell(thread.last)
        return True

    def store(
        self,
        address: str,
        text: str,
        box: Box = Box.INBOX,
        *,
        sub: int = 1,
        read: bool = True,
        date: int | None = None,
        creator: str = "",
    ) -> Message:
        """One that is there already, for setting up a phone: nobody is notified."""
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

    # What comes

    def receive(self, address: str, text: str, sub: int | None = None) -> Message | None:
        """A message comes in, by the first active SIM where none is named. None while the phone
        cannot have it: the network keeps it until it can."""
        self._world.settle()
        if sub is None:
            active = self.active_sims
            sub = active[0].id if active else min((sim.id for sim in self.sims), default=1)
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

    def _reachable(self, sub: int) -> bool:
        return self.radio_on and self.sim(sub) is not None and sub not in self.out_of_service

    def _radio_changed(self) -> None:
        waiting = list(self._waiting)
        self._waiting.clear()
        for address, text, sub in waiting:
            self.receive(address, text, sub)

    def restore_service(self, sub: int) -> None:
        """The network is back, with what it has kept."""
        self.out_of_service.discard(sub)
        self._radio_changed()

    # What is sent

    def fail(self, pattern: str, outcome: Outcome, times: int | None = None) -> None:
        """From now on messages to these numbers come to that; OK lifts it."""
        outcome = Outcome(outcome)
        self._failing = [rule for rule in self._failing if rule.pattern != pattern]
        if outcome is not Outcome.OK:
            self._failing.append(Failing(pattern, outcome, times))

    def send(
        self,
        address: str,
        text: str,
        sub: int,
        *,
        package: str,
        sent: PartTold | None = None,
        delivered: PartDelivered | None = None,
    ) -> Parts:
        """Hand a text over for sending, divided as needed. `sent` hears of every part once;
        `delivered` of those that the other phone has. ValueError as Android's SmsManager has it."""
        if not address:
            raise ValueError("Invalid destinationAddress")
        if not text:
            raise ValueError("Invalid message body")
        self._world.settle()
        parts = divide(text)
        told: PartTold = sent or (lambda part, outcome: None)
        if self.sim(sub) is None:
            # Android has no store for a subscription that is not there: nothing is written.
            for part in range(parts.count):
                told(part, Outcome.GENERIC_FAILURE)
            return parts
        sending = _Sending(self._world, self, package, told, delivered or (lambda part: None))
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

    def outcome_for(self, address: str, sub: int) -> Outcome:
        """What sending comes to now; a rule for so many messages is used up by it."""
        if not self.radio_on:
            return Outcome.RADIO_OFF
        if self.sim(sub) is None or sub in self.out_of_service:
            return Outcome.NO_SERVICE
        if not any(sign.isdecimal() for sign in address):
            return Outcome.NULL_PDU
        for rule in self._failing:
            if fnmatchcase(plain_address(address), rule.pattern):
                if rule.times is not None:
                    rule.times -= 1
                    if rule.times <= 0:
                        self._failing.remove(rule)
                return rule.outcome
        return Outcome.OK

    def update(self, id: int, **changes: object) -> None:
        """Change what is stored of a message, unless it was deleted meanwhile."""
        message = self._messages.get(id)
        if message is not None:
            self._put(replace(message, **changes))  # pyright: ignore[reportArgumentType]

    def _put(self, message: Message) -> None:
        self._messages[message.id] = message
        self._tell(message)

    def _tell(self, message: Message) -> None:
        for watcher in self._watchers:
            watcher(message)


class _Sending:
    """One text on its way, part after part."""

    def __init__(
        self,
        world: "World",
        telephony: Telephony,
        package: str,
        sent: PartTold,
        delivered: PartDelivered,
    ) -> None:
        self._world, self._telephony, self._package = world, telephony, package
        self._sent, self._delivered = sent, delivered
        self._worst = Outcome.OK
        self._acknowledged = 0

    def begin(self, address: str, text: str, sub: int, parts: Parts, allowed: bool) -> None:
        telephony = self._telephony
        stored = telephony.store(address, text, Box.OUTBOX, sub=sub, creator=self._package)
        outcome = telephony.outcome_for(address, sub) if allowed else Outcome.LIMIT_EXCEEDED
        # What the phone itself finds is told at once; the network takes its time for each part.
        early = outcome in (Outcome.RADIO_OFF, Outcome.NULL_PDU, Outcome.LIMIT_EXCEEDED)
        for part in range(parts.count):
            wait = 0.0 if early else SEND_MS * (part + 1)
            self._world.timers.after(
                wait, lambda part=part: self._answered(stored, part, parts.count, outcome)
            )

    def _answered(self, stored: Message, part: int, count: int, outcome: Outcome) -> None:
        telephony = self._telephony
        if outcome is Outcome.OK and not telephony.radio_on:
            outcome = Outcome.RADIO_OFF  # switched off on the way
        if self._worst is Outcome.OK:
            self._worst = outcome
        if part == count - 1:
            box = Box.SENT if self._worst is Outcome.OK else Box.FAILED
            telephony.update(stored.id, box=box, outcome=self._worst)
        self._sent(part, outcome)
        if outcome is Outcome.OK and telephony.delivery_reports:
            self._world.timers.after(DELIVERY_MS, lambda: self._arrived(stored, part, count))

    def _arrived(self, stored: Message, part: int, count: int) -> None:
        self._acknowledged += 1
        if self._acknowledged == count:
            self._telephony.update(stored.id, delivered=True)
        self._delivered(part)


def plain_address(address: str) -> str:
    """Without the signs that people put into a number; a name stays as it is."""
    bare = "".join(sign for sign in address if sign not in " -()./\u00a0")
    return bare if bare.lstrip("+").isdecimal() else address.strip().casefold()
