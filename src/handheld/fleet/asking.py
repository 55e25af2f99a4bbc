"""A host's questions at the consoles of gateways.

The questions also appear in the host's own console. The first answer counts, and everybody learns
how a question ended.
"""

import asyncio
import logging
import secrets
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from ..access.approval import MOST_QUESTIONS, ApprovalGate, Pending
from ..clock import SYSTEM_CLOCK, Clock, Timer
from .messages import BadFleetMessage, GivenAnswer, Presence, digest_question
from .nats.frames import BadFrame, NatsFrame
from .nats.names import ANSWER, ASK, inbox, is_member_id
from .nats.wire import EngineWire, WireFault

if TYPE_CHECKING:
    from .nats.client import Msg

PRESENT_EVERY = 5.0
"""Seconds between two messages of a gateway with somebody at its console."""
AWAY_AFTER = 3 * PRESENT_EVERY

log = logging.getLogger(__name__)


class Asking:
    """Create it before the wire is opened."""

    def __init__(self, wire: EngineWire, gate: ApprovalGate, clock: Clock = SYSTEM_CLOCK) -> None:
        self._wire = wire
        self._gate = gate
        self._clock = clock
        self._run = secrets.token_hex(8)
        """Questions are numbered from 1 in each process. This keeps answers for an earlier process
        from counting."""
        self._shown: dict[int, str] = {}
        """The digests of open questions, in the form that gateways received."""
        self._answered: dict[int, str] = {}
        """The gateways whose answers count."""
        self._present: dict[str, Timer] = {}
        """Gateways with somebody at their consoles. A gateway is dropped when it is silent for too
        long."""
        self._tasks: set[asyncio.Task[None]] = set()
        wire.serve(f"hh1.{ANSWER}.{wire.id}.*", self._heard)

    async def run(self) -> None:
        """Announce questions until cancelled."""
        with self._gate.subscribe() as changes:
            async for change in changes:
                if change.state == "asked":
                    await self._ask(change.pending)
                else:
                    await self._end(change.pending.id, change.state, change.who)

    def close(self) -> None:
        for gateway in list(self._present):
            self._leave(gateway)
        for task in self._tasks:
            task.cancel()

    async def _ask(self, pending: Pending) -> None:
        if not self._present:
            return
        # The clock may have been set since.
        left = max(0.0, min(pending.until - self._clock.time(), pending.until - pending.asked_at))
        shown = pending.as_json()
        try:
            frame = NatsFrame({"run": self._run, "question": shown, "left": left}).encode()
        except BadFrame:
            # Nobody may approve a question that is not shown completely. The host's own console
            # shows it.
            log.warning("A question about %s is too large for gateways", pending.call.tool)
            return
        self._shown[pending.id] = digest_question(shown)
        await self._publish(frame)

    async def _end(self, number: int, state: str, who: str, run: str = "") -> None:
        by = self._answered.pop(number, "")
        if not run and self._shown.pop(number, None) is None:
            return
        head = {"run": run or self._run, "ended": number, "state": state, "who": who, "by": by}
        await self._publish(NatsFrame(head).encode())

    async def _publish(self, frame: bytes) -> None:
        try:
            await self._wire.publish(f"hh1.{ASK}.{self._wire.id}", frame)
        except WireFault as problem:
            # A gateway reports the questions it shows, and receives the missing ones.
            log.info("A question could not be told to gateways: %s", problem)

    def _heard(self, message: "Msg") -> None:
        if (found := read_told(message, ANSWER)) is None:
            return
        [_, _, host, gateway], head = found
        if host != self._wire.id or not is_member_id(gateway):
            return
        try:
            if "open" in head:
                self._note(gateway, Presence.read(head))
            else:
                self._spawn(self._answer(gateway, message.reply, GivenAnswer.read(head)))
        except BadFleetMessage as problem:
            log.info("A message of the gateway %s cannot be read: %s", gateway, problem)

    def _note(self, gateway: str, presence: Presence) -> None:
        if not presence.open:
            self._leave(gateway)
            return
        if gateway in self._present:
            self._present[gateway].cancel()
        else:
            self._gate.gateways += 1
        self._present[gateway] = self._clock.call_later(AWAY_AFTER, self._leave, gateway)
        # Send what the gateway has missed.
        open = {(self._run, pending.id): pending for pending in self._gate.pending()}
        for key, pending in open.items():
            if key not in presence.shown:
                self._spawn(self._ask(pending))
        for run, number in presence.shown - open.keys():
            self._spawn(self._end(number, "decided", "", run))

    def _leave(self, gateway: str) -> None:
        if (timer := self._present.pop(gateway, None)) is not None:
            timer.cancel()
            self._gate.gateways -= 1

    async def _answer(self, gateway: str, reply: str, given: GivenAnswer) -> None:
        number = given.question
        counts = False
        # A yes only counts for the question that was shown: this process's question, unchanged.
        if given.run == self._run and self._shown.get(number) == given.seen:
            self._answered[number] = gateway
            counts = self._gate.answer(number, given.allow, given.who)
            if not counts:
                del self._answered[number]
        # Only into the gateway's own inbox: an answer must not make this host send to others.
        if reply.startswith(f"{inbox(gateway)}."):
            try:
                await self._wire.publish(reply, NatsFrame({"counts": counts}).encode())
            except WireFault as problem:
                log.info("A gateway could not be told whether its answer counts: %s", problem)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        if len(self._tasks) >= 4 * MOST_QUESTIONS:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def read_told(message: "Msg", word: str) -> tuple[list[str], Mapping[str, Any]] | None:
    """The words of the subject, and the head. None for a message that no member sent in this form:
    the store replies to the subject that a question names, and its replies have headers."""
    words = message.subject.split(".")
    if message.headers or words[:2] != ["hh1", word]:
        return None
    try:
        return words, NatsFrame.decode(message.data).head
    except BadFrame:
        return None
