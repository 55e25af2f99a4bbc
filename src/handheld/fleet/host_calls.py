"""Calls from a gateway to hosts. Each call is sent once, and the outcome of an unanswered call is
reported as unknown."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import anyio

from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ActionFailed, InvalidParams, TimedOut, ToolError, UnknownTool, Unreachable
from ..progress import is_watched, relay
from ..screen.characters import plain
from ..tools.listing import Item
from .call_service import ALIVE_EVERY, CLOCK, OLD, PROGRESS, REFUSED, TOKEN
from .messages import (
    BadFleetMessage,
    HostCall,
    OperatorCommand,
    SentPicture,
    read_picture,
    read_reply,
)
from .nats.calls import LARGEST_ANSWER, LARGEST_CALL, SentCall, calling
from .nats.directory import Directory
from .nats.frames import BadFrame, NatsFrame
from .nats.names import CALL, EYES, LEASE
from .nats.wire import EngineAway, EngineWire, NobodyListens, NoEngineAnswer, WireFault
from .standstill import StallDetector
from .tokens import FleetTokens

SILENT = 4 * ALIVE_EVERY
"""Seconds of silence after which a host that has accepted a call is given up."""
RECKONED = 60.0
"""Seconds after which a host is asked for its clock again."""
STOPPED_WITHIN = 1.0
LARGEST_PICTURE = 8 * 1024 * 1024


class NothingDone(Unreachable):
    """The host certainly did not do it."""


class CallInDoubt(TimedOut):
    """The host may or may not have done it."""


class HostCalls:
    def __init__(
        self,
        wire: EngineWire,
        directory: Directory,
        clock: Clock = SYSTEM_CLOCK,
        tokens: FleetTokens | None = None,
        standstill: StallDetector | None = None,
    ) -> None:
        self._wire = wire
        self._standstill = standstill
        self._tokens = tokens or FleetTokens(clock)
        self._directory = directory
        self._clock = clock
        self._clocks: dict[str, tuple[float, float]] = {}
        """Clocks of hosts, each with the time by our own clock when we learned it."""

    async def call(self, host: str, asked: HostCall) -> Sequence[Item]:
        """Raises ToolError, UnknownTool. Cancelling this stops the call on the host."""
        made = self._tokens.made(asked.caller.token)
        asked = asked._replace(made=made, watched=is_watched())
        return await self._do(CALL, host, asked.name, *asked.split())

    async def look(self, host: str, phone: str, asked: Mapping[str, Any]) -> SentPicture:
        """The screen of the phone with that serial. Raises ToolError."""
        head = {"phone": phone, "arguments": dict(asked)}
        try:
            items = await self._do(EYES, host, "Looking", head, largest=LARGEST_PICTURE)
            return read_picture(items)
        except (CallInDoubt, BadFleetMessage, UnknownTool) as problem:
            # Reading a picture has no effect, so nothing is in doubt.
            name = self._directory.name(host)
            raise ActionFailed(f"The host {name} gives no picture.") from problem

    async def obey(self, host: str, order: OperatorCommand) -> str:
        """Carry out an order that only people may give. Returns the host's sentence. Raises
        ToolError."""
        try:
            items = await self._do(LEASE, host, str(order.do), order.pack())
        except UnknownTool as problem:
            raise ActionFailed(f"The host does not know {problem.name}.") from problem
        return " ".join(item for item in items if isinstance(item, str))

    async def _do(
        self,
        word: str,
        host: str,
        what: str,
        head: Mapping[str, Any],
        raw: bytes = b"",
        *,
        largest: int = LARGEST_ANSWER,
    ) -> Sequence[Item]:
        await self._learn_clock(host)
        name = self._directory.name(host)
        if self._standstill is not None and (stood := self._standstill.just_ended()):
            raise NothingDone(
                f"This gateway was paused for {stood:.0f} s, and the call may be from before:"
                " nothing was done. Try again."
            )

        def stamp() -> dict[str, float]:
            return {"stamp": self._reckon(host)}

        stamped = {**head, **stamp()}
        try:
            async with calling(
                self._wire, host, stamped, raw, stamp, clock=self._clock, word=word, begun=False
            ) as call:
                try:
                    await call.begin()
                    self._note_clock(host, call.taken.get(CLOCK))
                    end = await call.end(SILENT, _pass_on, largest)
                except asyncio.CancelledError as stop:
                    if far := await self._stop(call):
                        stop.add_note(far)
                    raise
        except BadFrame:
            raise InvalidParams(
                "The arguments are too large for a phone of another host: together they may have"
                f" {LARGEST_CALL // 1024**2} MB. Nothing was done."
            ) from None
        except WireFault as problem:
            raise self._explain(problem, name, what) from problem
        return self._read(host, name, what, end)

    async def _stop(self, call: SentCall) -> str:
        """How far the call came, if the host replies soon."""
        with anyio.CancelScope(shield=True), suppress(WireFault, TimeoutError):
            await call.stop()
            async with self._clock.timeout(STOPPED_WITHIN):
                return str((await call.end()).head.get("far", ""))
        return ""

    async def _learn_clock(self, host: str) -> None:
        """Raises NothingDone."""
        known = self._clocks.get(host)
        if known is None or self._clock.now() - known[1] > RECKONED:
            name = self._directory.name(host)
            try:
                async with calling(self._wire, host, {}, clock=self._clock) as call:
                    end = await call.end(SILENT)
            except EngineAway as problem:
                raise NothingDone(f"{problem} Nothing was done. Try again.") from problem
            except NobodyListens as problem:
                raise NothingDone(f"The host {name} is away: nothing was done.") from problem
            except WireFault as problem:
                raise NothingDone(
                    f"The host {name} does not answer: nothing was done."
                ) from problem
            self._note_clock(host, end.head.get(CLOCK))
            if host not in self._clocks:
                raise NothingDone(f"The host {name} is busy: nothing was done. Try again.")

    def _reckon(self, host: str) -> float:
        """The latest possible current time of the host's clock."""
        told, at = self._clocks[host]
        return told + self._clock.now() - at

    def _note_clock(self, host: str, told: object) -> None:
        if isinstance(told, int | float):
            self._clocks[host] = float(told), self._clock.now()

    def _explain(self, problem: WireFault, name: str, tool: str) -> ToolError:
        if isinstance(problem, NobodyListens):
            return NothingDone(f"The host {name} is away: nothing was done.")
        if not problem.sent:
            return NothingDone(f"{problem} Nothing was done. Try again.")
        why = (
            f"The host {name} does not answer"
            if isinstance(problem, NoEngineAnswer)
            else str(problem).rstrip(".")
        )
        return CallInDoubt(
            f"{why}. {tool} may or may not have happened. Look at the screen before you repeat it."
        )

    def _read(self, host: str, name: str, what: str, end: NatsFrame) -> Sequence[Item]:
        head = end.head
        self._note_clock(host, head.get(CLOCK))
        if refused := head.get(REFUSED):
            why = {
                "busy": f"The host {name} runs as many calls as it may: nothing was done. Try again"
                " later.",
                TOKEN: f"Your token was just added or revoked, and the host {name} and this gateway"
                " do not agree about it yet: nothing was done. Try again.",
                OLD: f"The call reached the host {name} too late: nothing was done. Try again.",
            }
            raise NothingDone(
                why.get(
                    str(refused),
                    f"The host {name} does not understand this call: nothing was"
                    " done. It may have another version of Handheld.",
                )
            )
        if head.get("stopped"):
            far = head.get("far") or "It may or may not have happened."
            raise ActionFailed(f"The host {name} stopped {what}. {far}")
        try:
            return read_reply(head, end.raw)
        except BadFleetMessage:
            raise CallInDoubt(
                f"The answer of the host {name} cannot be read: {what} may or may not have"
                " happened. Look at the screen before you repeat it."
            ) from None


def _pass_on(note: NatsFrame) -> None:
    """Report the host's progress message."""
    match note.head.get(PROGRESS):
        case [int() | float() as progress, int() | float() | None as total, str() as message]:
            relay(progress, total, plain(message))
        case _:
            pass
