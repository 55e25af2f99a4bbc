"""A host's services on the engine. Gateways' calls go through the host's own surface, as if they
were made locally."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import Any, NamedTuple

from ..access.approval import ApprovalGate
from ..access.stop_switch import StopSwitch
from ..calls.course import telling
from ..calls.protocols import Surface
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ToolError, UnknownTool
from ..phone.leases.lease import LeaseRefused
from ..phone.leases.leases import Leases
from ..screen.text import brief
from ..tools.listing import Item
from .messages import (
    IN_ADDRESS,
    BadFleetMessage,
    HostCall,
    OperatorAction,
    OperatorCommand,
    digest,
    pack_failure,
    pack_items,
    pack_listings,
    read_look,
    read_scope,
)
from .nats.calls import CallAnswer, Responder
from .nats.frames import NatsFrame
from .nats.names import EYES, LEASE
from .nats.wire import EngineWire, WireFault
from .tokens import FleetTokens

MOST_LOOKS = 32
"""Pictures that all gateways together may request at a time."""
MOST_ORDERS = 8
OLDEST = 5.0
"""The most seconds that a call may be in transit."""
_EARLY = 1.0
"""Seconds by which a gateway's estimate of our clock may be ahead."""
TOLD_AFTER, ALIVE_EVERY = 0.1, 2.0
"""Seconds until a gateway is told that a call was accepted, and seconds between reports that it
still runs. Most calls end sooner: each message takes a tenth of the time of such a call."""
_READ_AT_ONCE = 512 * 1024
"""Bytes of arguments. Parsing more would block other calls."""
CLOCK, REFUSED, PROGRESS = "clock", "refused", "progress"
LIST, KNOWN, SAME = "list", "known", "same"
OLD, MALFORMED, TOKEN = "old", "malformed", "token"
_AGREE_WITHIN = 1.0
"""Seconds until this host knows an added or revoked token as the gateway does."""

Look = Callable[[str, Mapping[str, Any]], Awaitable[Sequence[Item]]]
"""Takes the serial of a phone and the request for its picture. Raises ToolError."""

log = logging.getLogger(__name__)


class People(NamedTuple):
    """A host's services for people at the consoles of gateways."""

    look: Look
    switch: StopSwitch
    gate: ApprovalGate


class CallService:
    """Create it before the wire is opened. `leases` are the surface's, and `tokens` are the fleet's
    tokens as known here."""

    def __init__(
        self,
        wire: EngineWire,
        surface: Surface,
        leases: Leases,
        clock: Clock = SYSTEM_CLOCK,
        tokens: FleetTokens | None = None,
        people: People | None = None,
    ) -> None:
        self._surface = surface
        self._leases = leases
        self._clock = clock
        self._tokens = tokens or FleetTokens(clock)
        self._people = people
        others = {EYES: (self._show, MOST_LOOKS), LEASE: (self._obey, MOST_ORDERS)}
        self._responder = Responder(wire, self._handle, clock, {} if people is None else others)

    async def aclose(self) -> None:
        """Stop all calls, and wait for them."""
        await self._responder.close()

    async def _handle(self, gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        now = {CLOCK: self._clock.now()}
        if LIST in frame.head:
            await self._list(frame.head, answer)
            return
        if "name" not in frame.head:
            await answer.end(now)  # a gateway asks for our clock before its first call
            return
        try:
            if len(frame.raw) <= _READ_AT_ONCE:
                call = HostCall.read(frame.head, frame.raw)
            else:
                call = await asyncio.to_thread(HostCall.read, frame.head, frame.raw)
        except BadFleetMessage:
            await answer.end({REFUSED: MALFORMED, **now})
            return
        # Otherwise a lease taken now would belong to another token, or to none.
        if not await self._tokens.agree(call.caller.token, call.made, _AGREE_WITHIN):
            await answer.end({REFUSED: TOKEN, **now})
            return
        if not self._is_fresh(frame.head):
            await answer.end({REFUSED: OLD, **now})
            return
        await self._reply(answer, partial(self._call, call, answer))

    async def _call(self, call: HostCall, answer: CallAnswer) -> Sequence[Item]:
        async def tell(progress: float, total: float | None, message: str) -> None:
            with suppress(WireFault):
                await answer.note({PROGRESS: [progress, total, message]})

        async with telling(tell, self._clock) if call.watched else nullcontext():
            return await self._surface.call(
                call.name, self._find_lease(call), call.caller, call.scope
            )

    async def _show(self, gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        """Send the screen of a phone to a person at the console of a gateway."""
        assert self._people is not None
        try:
            phone, asked = read_look(frame.head)
        except BadFleetMessage:
            await answer.end({REFUSED: MALFORMED})
            return
        await self._reply(answer, partial(self._people.look, phone, asked))

    async def _obey(self, gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        """Follow an order from a person at a gateway's console: to take a phone over, to resume
        agents or to end a lease. Agents' calls arrive on another subject, so no token gets here."""
        assert self._people is not None
        if not self._is_fresh(frame.head):
            await answer.end({REFUSED: OLD, CLOCK: self._clock.now()})
            return
        try:
            order = OperatorCommand.read(frame.head)
        except BadFleetMessage:
            await answer.end({REFUSED: MALFORMED})
            return
        log.info("%s at the gateway %s: %s %s", order.who, gateway, order.do, brief(order.phone))
        await self._reply(answer, partial(_follow, self._people.switch, order))

    async def _reply(
        self, answer: CallAnswer, work: Callable[[], Awaitable[Sequence[Item]]]
    ) -> None:
        try:
            async with self._alive(answer):
                head, raw = pack_items(await work())
        except (ToolError, UnknownTool) as failure:
            head, raw = pack_failure(failure)
        await answer.end({**head, CLOCK: self._clock.now()}, raw)

    async def _list(self, head: Mapping[str, Any], answer: CallAnswer) -> None:
        """Send the tools within a scope, or that the gateway's list is current."""
        try:
            limits = read_scope(head[LIST])
        except BadFleetMessage:
            await answer.end({REFUSED: MALFORMED})
            return
        try:
            async with self._alive(answer):
                raw = pack_listings(await self._surface.tools(limits))
        except ToolError as failure:
            await answer.end(*pack_failure(failure))
            return
        if digest(raw) == head.get(KNOWN):
            await answer.end({SAME: True})
        else:
            await answer.end({}, raw)

    def _is_fresh(self, head: Mapping[str, Any]) -> bool:
        """Judged by our own clock, which the gateway estimates from our last reply. A call that a
        paused server or a network has delayed is not executed: its caller was told that it may not
        have happened."""
        stamp = head.get("stamp")
        if isinstance(stamp, bool) or not isinstance(stamp, int | float):
            return False
        return -_EARLY <= self._clock.now() - stamp <= OLDEST

    def _find_lease(self, call: HostCall) -> Mapping[str, Any]:
        """The arguments, with the handle of the caller's lease if they refer to it: the gateway
        only knows the directory's data. Raises LeaseRefused."""
        if not call.leased:
            return call.arguments
        arguments, token = call.arguments, call.caller.token
        addressed = call.leased == IN_ADDRESS
        phone = call.scope.phone if addressed else arguments.get(call.leased)
        for lease in self._leases.of(token):
            if phone in lease.names:
                return arguments if addressed else {**arguments, call.leased: lease.handle}
        told = self._leases.tell(token) or "You no longer have a lease."
        raise LeaseRefused(f"Nothing was done. {told}")

    @asynccontextmanager
    async def _alive(self, answer: CallAnswer) -> AsyncGenerator[None]:
        """Tell the caller that the call was accepted, and then regularly that it still runs."""

        async def tell() -> None:
            with suppress(WireFault):
                await answer.taken({CLOCK: self._clock.now()})
                while True:
                    await self._clock.sleep(ALIVE_EVERY)
                    await answer.note({})

        telling: list[asyncio.Task[None]] = []
        timer = self._clock.call_later(
            TOLD_AFTER, lambda: telling.append(asyncio.create_task(tell()))
        )
        try:
            yield
        finally:
            timer.cancel()
            for task in telling:
                task.cancel()


async def _follow(switch: StopSwitch, order: OperatorCommand) -> Sequence[Item]:
    match order.do:
        case OperatorAction.STOP:
            return [await switch.stop(order.phone)]
        case OperatorAction.RESUME:
            return [await switch.resume(order.phone)]
        case OperatorAction.END_LEASE:
            return [await switch.end_lease(order.phone)]
