"""Calls with replies in several messages: `taken`, then `note` and `part`, then `end`.

The replies of a call are numbered. Large bytes go in parts with a credit, in both directions: a
side that does not read delays only itself, and a side that is gone is noticed.
"""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...clock import SYSTEM_CLOCK, Clock
from .frames import BadFrame, NatsFrame
from .names import CALL, STOP, inbox, is_member_id, to_host
from .wire import EngineLost, EngineWire, Inbox, NoEngineAnswer, WireFault

if TYPE_CHECKING:
    from .client import Msg

log = logging.getLogger(__name__)

TAKEN_WITHIN = 2.0
ONE_MESSAGE = 384 * 1024
"""Bytes that go with the head of a message; more go in parts."""
PART = 128 * 1024
CREDIT = 8
"""Parts that may be in transit."""
CREDIT_WITHIN = 15.0
LARGEST_ANSWER = 64 * 1024 * 1024
LARGEST_CALL = 16 * 1024 * 1024
"""The most bytes of a call."""
MOST_HELD = 4 * LARGEST_CALL
"""The most bytes of all calls that a host receives in parts."""
MOST_CALLS = 64
MOST_SEEN = 4096
_LONGEST_ID = 64

BYTES, PART_NUMBER, MORE = "raw", "part", "more"
KIND, NUMBER = "is", "n"
"""The words of a reply's head that this module uses; the others are the caller's."""


class Incomplete(WireFault):
    """The parts of a call or of its reply cannot be put together."""


class CallNotSent(WireFault):
    """Not all bytes of a call reached the host, which begins no call without them."""

    sent = False


# The caller


class SentCall:
    """A running call, made by `calling`."""

    def __init__(
        self, wire: EngineWire, answers: Inbox, stop: str, call: str, clock: Clock
    ) -> None:
        self._wire = wire
        self._answers = answers
        self._stop = stop
        self._clock = clock
        self.id = call
        self.taken: Mapping[str, Any] = {}
        self.ended = False
        self.taken_within = TAKEN_WITHIN
        self._expected = 0
        self._parts = 0
        self._first: NatsFrame | None = None

    async def send(self, subject: str, raw: bytes, last: Callable[[], Mapping[str, Any]]) -> None:
        """Send bytes in parts, at the host's pace; `last` creates the head of the last one. Raises
        WireError."""
        credit, wait = 0, TAKEN_WITHIN
        view = memoryview(raw)
        starts = range(0, len(raw), PART)
        for number, start in enumerate(starts):
            while not credit:
                try:
                    frame = await self.next(wait)
                except (NoEngineAnswer, EngineLost) as problem:
                    raise CallNotSent(str(problem)) from problem
                if self.ended:
                    self._first = frame
                    return
                credit, wait = _credit(frame), CREDIT_WITHIN
            credit -= 1
            head = {"call": self.id, PART_NUMBER: number}
            if number == len(starts) - 1:
                head |= last()
            await self._wire.publish(
                subject, NatsFrame(head, bytes(view[start : start + PART])).encode()
            )

    async def begin(self) -> None:
        """Wait until the call is taken or ended. Raises WireError."""
        first = await self.next(self.taken_within)
        while MORE in first.head:
            first = await self.next(self.taken_within)
        if first.head.get(KIND) == "taken":
            self.taken = first.head
        else:
            self._first = first

    async def next(self, limit: float | None = None) -> NatsFrame:
        """The next `note`, `part` or `end`. Raises WireError; NoAnswer after `limit` seconds of
        silence."""
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            async with self._clock.timeout(limit):
                message = await self._answers.get()
        except TimeoutError:
            raise NoEngineAnswer(f"There was no answer within {limit:g} seconds.") from None
        try:
            frame = NatsFrame.decode(message.data)
        except BadFrame as problem:
            raise Incomplete(str(problem)) from problem
        if frame.head.get(NUMBER) != self._expected:
            raise Incomplete("A part of the answer is missing.")
        self._expected += 1
        self.ended = frame.head.get(KIND) == "end"
        if frame.head.get(KIND) == "part":
            self._parts += 1
            if self._parts % (CREDIT // 2) == 0:
                await self._tell({"call": self.id, MORE: CREDIT // 2})
        return frame

    async def end(
        self,
        limit: float | None = None,
        note: Callable[[NatsFrame], None] | None = None,
        largest: int = LARGEST_ANSWER,
    ) -> NatsFrame:
        """The end, with the bytes of all earlier parts. Raises WireError."""
        parts: list[bytes] = []
        size = 0
        while True:
            frame = await self.next(limit)
            size += len(frame.raw)
            if size > largest:
                raise Incomplete(f"The answer has more than {largest} bytes.")
            kind = frame.head.get(KIND)
            if kind == "part":
                parts.append(frame.raw)
            elif kind == "end":
                return NatsFrame(frame.head, b"".join((*parts, frame.raw)))
            elif note is not None:
                note(frame)

    async def stop(self) -> None:
        """Ask the host to stop. Its end still arrives."""
        await self._tell({"call": self.id})

    async def _tell(self, head: Mapping[str, Any]) -> None:
        with suppress(WireFault):  # otherwise the host hears nothing from us, which also stops it
            await self._wire.publish(self._stop, NatsFrame(head).encode())


@asynccontextmanager
async def calling(
    wire: EngineWire,
    host: str,
    head: Mapping[str, Any],
    raw: bytes = b"",
    last: Callable[[], Mapping[str, Any]] = dict,
    *,
    clock: Clock = SYSTEM_CLOCK,
    word: str = CALL,
    begun: bool = True,
) -> AsyncGenerator[SentCall]:
    """Call a host. The block is entered when the host has taken the call, or, unless `begun`, once
    everything is sent. Leaving the block stops the call unless it has ended. `last` creates the
    head of the last part, if the bytes go in parts. Raises WireError; after NoAnswer and LinkLost,
    the call may or may not have happened. Raises BadFrame if the call is too large."""
    subject = to_host(word, host, wire.id)
    identity = secrets.token_hex(16)
    if len(raw) > LARGEST_CALL:
        raise BadFrame("The call is too large.")
    in_parts = len(raw) > ONE_MESSAGE
    sizes = {BYTES: len(raw)} if in_parts else {}
    frame = NatsFrame({**head, **sizes, "call": identity}, b"" if in_parts else raw).encode()
    answers = wire.inbox(subject)
    call = SentCall(wire, answers, to_host(STOP, host, wire.id), identity, clock)
    try:
        await wire.publish(subject, frame, reply=answers.subject)
        if in_parts:
            await call.send(subject, raw, last)
            call.taken_within = CREDIT_WITHIN
        if begun:
            await call.begin()
        yield call
    finally:
        if not call.ended:
            await call.stop()
        answers.close()


# The host


class CallAnswer:
    """Replies to a call."""

    def __init__(self, wire: EngineWire, subject: str, clock: Clock) -> None:
        self._wire = wire
        self._subject = subject
        self._clock = clock
        self._number = 0
        self._credit = CREDIT
        self._more = asyncio.Event()

    async def taken(self, head: Mapping[str, Any] | None = None) -> None:
        await self._send("taken", head or {})

    async def note(self, head: Mapping[str, Any]) -> None:
        await self._send("note", head)

    async def part(self, raw: bytes, head: Mapping[str, Any] | None = None) -> None:
        """Raises LinkLost if the caller does not read."""
        while not self._credit:
            self._more.clear()
            try:
                async with self._clock.timeout(CREDIT_WITHIN):
                    await self._more.wait()
            except TimeoutError:
                raise EngineLost("The caller does not read.") from None
        self._credit -= 1
        await self._send("part", head or {}, raw)

    async def end(self, head: Mapping[str, Any], raw: bytes = b"") -> None:
        if len(raw) > ONE_MESSAGE:
            view = memoryview(raw)
            for start in range(0, len(raw), PART):
                await self.part(bytes(view[start : start + PART]))
            raw = b""
        await self._send("end", head, raw)

    def give(self, credit: int) -> None:
        self._credit = min(CREDIT, self._credit + credit)
        self._more.set()

    async def _send(self, kind: str, head: Mapping[str, Any], raw: bytes = b"") -> None:
        frame = NatsFrame({**head, KIND: kind, NUMBER: self._number}, raw).encode()
        self._number += 1
        await self._wire.publish(self._subject, frame)


Handler = Callable[[str, NatsFrame, CallAnswer], Awaitable[None]]
"""Receives the calling gateway, its request, and the object to reply with. It is cancelled when the
call is stopped: the exception's notes tell the caller how far the call came."""


class Responder:
    """Receives a host's calls. Each call is a task, so a stop never waits behind the call that it
    stops."""

    def __init__(
        self,
        wire: EngineWire,
        handler: Handler,
        clock: Clock = SYSTEM_CLOCK,
        others: Mapping[str, tuple[Handler, int]] = MappingProxyType({}),
    ) -> None:
        """`others` are handlers for words other than `call`, each with the number that may run at a
        time: they take no places from calls or from each other."""
        self._wire = wire
        self._clock = clock
        self._running: dict[tuple[str, str], tuple[asyncio.Task[None], CallAnswer]] = {}
        self._places: dict[str, int] = {}
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._parts: dict[tuple[str, str], asyncio.Queue[NatsFrame]] = {}
        """Of calls whose bytes have not all arrived."""
        self._held = 0
        self._closing = False
        for word, (handle, most) in {CALL: (handler, MOST_CALLS), **others}.items():
            wire.serve(f"hh1.{word}.{wire.id}.*", partial(self._called, word, handle, most))
        wire.serve(f"hh1.{STOP}.{wire.id}.*", self._told)

    async def close(self) -> None:
        """Stop all calls and wait for them. No other call is accepted from now on."""
        self._closing = True
        tasks = [task for task, _ in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _called(self, word: str, handler: Handler, most: int, message: "Msg") -> None:
        if (found := self._read(message, word)) is None:
            return
        gateway, frame, call = found
        if PART_NUMBER in frame.head:
            with suppress(KeyError, asyncio.QueueFull):  # the missing part ends the call
                self._parts[gateway, call].put_nowait(frame)
            return
        # Only into the gateway's own inbox: a call must not make this host send to others.
        if not message.reply.startswith(f"{inbox(gateway)}."):
            return
        if not self._see(gateway, call):
            return  # it was delivered twice, or after its stop
        answer = CallAnswer(self._wire, message.reply, self._clock)
        running = self._places.get(word, 0)
        task = asyncio.create_task(
            self._refuse(answer)
            if running >= most or self._closing
            else self._handle(handler, gateway, call, frame, answer)
        )
        self._running[gateway, call] = task, answer
        self._places[word] = running + 1

        def over(_: object) -> None:
            self._running.pop((gateway, call), None)
            self._places[word] -= 1

        task.add_done_callback(over)

    def _told(self, message: "Msg") -> None:
        if (found := self._read(message, STOP)) is None:
            return
        gateway, frame, call = found
        if (running := self._running.get((gateway, call))) is None:
            if MORE not in frame.head:
                self._see(gateway, call)  # the call may arrive later, through another server
            return
        task, answer = running
        if MORE not in frame.head:
            task.cancel()
        elif credit := _credit(frame):
            answer.give(credit)

    def _see(self, gateway: str, call: str) -> bool:
        """Whether it is new."""
        new = (gateway, call) not in self._seen
        self._seen[gateway, call] = None
        if len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
        return new

    def _read(self, message: "Msg", word: str) -> tuple[str, NatsFrame, str] | None:
        """The caller, its message, and the id of the call. The engine's rules let only a gateway
        publish under its name, with one exception: the store replies to the subject that a question
        names, and may repeat what a host wrote. Its replies have headers or another subject; calls
        have neither."""
        words = message.subject.split(".")
        if message.headers or words[:3] != ["hh1", word, self._wire.id] or len(words) != 4:
            return None
        try:
            frame = NatsFrame.decode(message.data)
        except BadFrame:
            return None
        call = frame.head.get("call")
        if not is_member_id(words[3]) or not isinstance(call, str) or len(call) > _LONGEST_ID:
            return None
        return words[3], frame, call

    async def _handle(
        self, handler: Handler, gateway: str, call: str, frame: NatsFrame, answer: CallAnswer
    ) -> None:
        held = 0
        try:
            if BYTES in frame.head:
                size: Any = frame.head[BYTES]
                if type(size) is not int or not 0 < size <= LARGEST_CALL:
                    raise Incomplete("It does not say how large it is.")
                if self._held + size > MOST_HELD:
                    await self._refuse(answer)
                    return
                held = size
                self._held += held
                frame = await self._receive((gateway, call), frame, size, answer)
            await handler(gateway, frame, answer)
        except asyncio.CancelledError as stop:
            far = " ".join(getattr(stop, "__notes__", ()))
            with suppress(WireFault):
                await answer.end({"stopped": True, "far": far})
            raise
        except WireFault as problem:
            log.info("A call could not be answered: %s", problem)
        except Exception:
            log.exception("A call failed")
            with suppress(WireFault):
                await answer.end({"failed": "Internal error"})
        finally:
            self._held -= held

    async def _receive(
        self, key: tuple[str, str], frame: NatsFrame, size: int, answer: CallAnswer
    ) -> NatsFrame:
        """The call with all its bytes. Raises WireError if they do not arrive."""
        waiting = self._parts[key] = asyncio.Queue(CREDIT)
        parts: list[bytes] = []
        missing = size
        head = frame.head
        try:
            await answer.note({MORE: CREDIT})
            while missing:
                try:
                    async with self._clock.timeout(CREDIT_WITHIN):
                        part = await waiting.get()
                except TimeoutError:
                    raise NoEngineAnswer("The bytes of a call did not come.") from None
                if part.head[PART_NUMBER] != len(parts) or not 0 < len(part.raw) <= missing:
                    raise Incomplete("A part of a call is missing.")
                parts.append(part.raw)
                missing -= len(part.raw)
                head = {**frame.head, **part.head}
                if len(parts) % (CREDIT // 2) == 0:
                    await answer.note({MORE: CREDIT // 2})
        finally:
            del self._parts[key]
        return NatsFrame(head, b"".join(parts))

    async def _refuse(self, answer: CallAnswer) -> None:
        with suppress(WireFault):
            await answer.end({"refused": "busy"})


def _credit(frame: NatsFrame) -> int:
    """The parts that the other side accepts in addition to those in transit."""
    more: Any = frame.head.get(MORE)
    return more if type(more) is int and 0 < more <= CREDIT else 0
