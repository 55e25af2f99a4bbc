"""The questions of all hosts at the console of a gateway."""

import asyncio
import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..access.approval import MOST_QUESTIONS
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ActionFailed
from .asking import PRESENT_EVERY, read_told
from .messages import AskedQuestion, BadFleetMessage, EndedQuestion, GivenAnswer, Presence
from .nats.directory import Directory
from .nats.frames import BadFrame, NatsFrame
from .nats.names import ANSWER, ASK, is_member_id, to_host
from .nats.wire import EngineWire, WireFault

if TYPE_CHECKING:
    from .nats.client import Msg

ANSWER_WITHIN = 2.0
_GRACE = 5.0
"""Seconds after its end when a question is dropped if its host is silent."""

log = logging.getLogger(__name__)

Told = Callable[[Mapping[str, Any]], None]
"""Called at each change with a question as JSON, its `state`, and `who` answered it."""


class _Open(NamedTuple):
    host: str
    asked: AskedQuestion
    shown: Mapping[str, Any]
    ends: float


class FleetQuestions:
    """Create it before the wire is opened."""

    def __init__(self, wire: EngineWire, directory: Directory, clock: Clock = SYSTEM_CLOCK) -> None:
        self._wire = wire
        self._directory = directory
        self._clock = clock
        self._consoles = 0
        self._changed = asyncio.Event()
        self._open: dict[str, _Open] = {}
        self._answered: dict[str, str] = {}
        """Who has answered here, by question."""
        self._listeners: list[Told] = []
        wire.serve(f"hh1.{ASK}.*", self._heard)

    @property
    def consoles(self) -> int:
        """How many consoles are open here now. The console server updates it."""
        return self._consoles

    @consoles.setter
    def consoles(self, count: int) -> None:
        if bool(count) != bool(self._consoles):
            self._changed.set()
        self._consoles = count

    async def run(self) -> None:
        """Tell hosts until cancelled whether somebody is here."""
        told: set[str] = set()
        while True:
            self._changed.clear()
            open = self._consoles > 0
            hosts = {host for host, _, fresh in self._directory.hosts() if fresh} if open else told
            for host in hosts:
                await self._tell_host(host, open=open)
            told = hosts if open else set()
            for id, each in list(self._open.items()):
                if self._clock.now() > each.ends + _GRACE:
                    self._end(id, "unanswered", "")
            with suppress(TimeoutError):
                async with self._clock.timeout(PRESENT_EVERY):
                    await self._changed.wait()

    async def _tell_host(self, host: str, *, open: bool) -> None:
        shown = frozenset(
            (each.asked.run, each.asked.number) for each in self._open.values() if each.host == host
        )
        with suppress(WireFault):  # it is sent again
            frame = NatsFrame(Presence(open, shown).pack()).encode()
            await self._wire.publish(to_host(ANSWER, host, self._wire.id), frame)

    def pending(self) -> list[Mapping[str, Any]]:
        """The oldest first."""
        return [each.shown for each in self._open.values()]

    @contextmanager
    def listening(self, told: Told) -> Generator[None]:
        self._listeners.append(told)
        try:
            yield
        finally:
            self._listeners.remove(told)

    async def answer(self, id: str, allow: bool, who: str, at: str) -> bool:
        """`at` is the name of this gateway. Returns False if the question is no longer open; this
        answer then has no effect. Raises ActionFailed."""
        if (question := self._open.get(id)) is None:
            return False
        asked, name = question.asked, self._directory.name(question.host)
        given = GivenAnswer(asked.run, asked.number, asked.seen, allow, f"{who} at {at}")
        self._answered[id] = who
        try:
            subject = to_host(ANSWER, question.host, self._wire.id)
            reply = await self._wire.request(
                subject, NatsFrame(given.pack()).encode(), ANSWER_WITHIN
            )
            return NatsFrame.decode(reply.data).head.get("counts") is True
        except (WireFault, BadFrame) as problem:
            if isinstance(problem, WireFault) and not problem.sent:
                raise ActionFailed(
                    f"Your answer did not reach the host {name}: {problem}"
                ) from problem
            raise ActionFailed(
                f"The host {name} does not answer: whether your answer counted is unknown."
            ) from problem

    def _heard(self, message: "Msg") -> None:
        if (found := read_told(message, ASK)) is None:
            return
        words, head = found
        if len(words) != 3 or not is_member_id(words[2]):
            return
        host = words[2]
        try:
            if "question" in head:
                self._ask(host, AskedQuestion.read(head))
            else:
                ended = EndedQuestion.read(head)
                id = _id(host, ended.run, ended.number)
                who = self._answered.get(id, "") if ended.by == self._wire.id else ended.who
                self._end(id, ended.state, who)
        except BadFleetMessage as problem:
            log.info("A question of the host %s cannot be read: %s", host, problem)

    def _ask(self, host: str, asked: AskedQuestion) -> None:
        id = _id(host, asked.run, asked.number)
        if id in self._open:
            return
        # As many as a host may ask at a time: no host takes the others' places.
        if sum(each.host == host for each in self._open.values()) >= MOST_QUESTIONS:
            log.warning("A question of the host %s is not shown: there are too many", host)
            return
        phone = asked.shown["phone"]
        keys = (
            f"{host}.{each.phone}"
            for each in self._directory.phones()
            if each.host == host and phone and phone in (each.row.slug, each.row.serial)
        )
        now = self._clock.time()
        shown = {
            **asked.shown,
            "id": id,
            "host": self._directory.name(host),
            "key": next(keys, ""),
            "asked_at": now,
            "until": now + asked.left,
        }
        self._open[id] = _Open(host, asked, shown, self._clock.now() + asked.left)
        self._notify(shown, "asked", "")

    def _end(self, id: str, state: str, who: str) -> None:
        self._answered.pop(id, None)
        if (question := self._open.pop(id, None)) is not None:
            self._notify(question.shown, state, who)

    def _notify(self, shown: Mapping[str, Any], state: str, who: str) -> None:
        for told in list(self._listeners):
            told({**shown, "state": state, "who": who, "now": self._clock.time()})


def _id(host: str, run: str, number: int) -> str:
    return f"{host}-{run}-{number}"
