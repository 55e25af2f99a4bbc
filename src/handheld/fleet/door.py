"""The door of a host on the engine: calls of gateways go through the host's own surface, as if they
were made here."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from ..clock import SYSTEM_CLOCK, Clock
from ..engine.calls import Answer, Desk
from ..engine.frames import Frame
from ..engine.wire import Wire, WireError
from ..errors import ToolError, UnknownTool
from ..phone.lease import LeaseRefused
from ..phone.leases import Leases
from ..surface.protocols import Surface
from .messages import (
    IN_ADDRESS,
    BadMessage,
    HostCall,
    digest,
    pack_failure,
    pack_items,
    pack_listings,
    read_filter,
)
from .tokens import FleetTokens

OLDEST = 5.0
"""Seconds that a call may be on its way."""
_EARLY = 1.0
"""Seconds by which a gateway's reckoning of our clock may be ahead."""
ALIVE_EVERY = 2.0
_READ_AT_ONCE = 512 * 1024
"""Bytes of arguments; more would hold up other calls."""
CLOCK, REFUSED = "clock", "refused"
LIST, KNOWN, SAME = "list", "known", "same"
OLD, MALFORMED, TOKEN = "old", "malformed", "token"
_AGREE_WITHIN = 1.0
"""Seconds until a token that was added or revoked is known here as at the gateway."""


class Door:
    """Made before the wire is opened. `leases` are those of the surface, `tokens` those of the
    fleet, as far as they are known here."""

    def __init__(
        self,
        wire: Wire,
        surface: Surface,
        leases: Leases,
        clock: Clock = SYSTEM_CLOCK,
        tokens: FleetTokens | None = None,
    ) -> None:
        self._surface = surface
        self._leases = leases
        self._clock = clock
        self._tokens = tokens or FleetTokens(clock)
        self._desk = Desk(wire, self._handle, clock)

    async def aclose(self) -> None:
        """Stop all calls, and wait for them."""
        await self._desk.close()

    async def _handle(self, gateway: str, frame: Frame, answer: Answer) -> None:
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
        except BadMessage:
            await answer.end({REFUSED: MALFORMED, **now})
            return
        # Else a lease that is taken now would be that of another token, or of none.
        if not await self._tokens.agree(call.caller.token, call.made, _AGREE_WITHIN):
            await answer.end({REFUSED: TOKEN, **now})
            return
        if not self._is_fresh(frame.head):
            await answer.end({REFUSED: OLD, **now})
            return
        await answer.taken(now)
        try:
            async with self._alive(answer):
                items = await self._surface.call(
                    call.name, self._find_lease(call), call.caller, call.tool_filter
                )
            await answer.end(*pack_items(items))
        except (ToolError, UnknownTool) as failure:
            await answer.end(*pack_failure(failure))

    async def _list(self, head: Mapping[str, Any], answer: Answer) -> None:
        """The tools within a filter, or that they are those that the gateway knows."""
        try:
            limits = read_filter(head[LIST])
        except BadMessage:
            await answer.end({REFUSED: MALFORMED})
            return
        await answer.taken()
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
        """By our own clock, which the gateway reckons from our last answer. What a paused server
        or a network has kept is not done: its caller was told that it may not have happened."""
        stamp = head.get("stamp")
        if isinstance(stamp, bool) or not isinstance(stamp, int | float):
            return False
        return -_EARLY <= self._clock.now() - stamp <= OLDEST

    def _find_lease(self, call: HostCall) -> Mapping[str, Any]:
        """The arguments, with the handle of the caller's lease where that is meant: the gateway
        knows only what the directory said. Raises LeaseRefused."""
        if not call.leased:
            return call.arguments
        arguments, token = call.arguments, call.caller.token
        addressed = call.leased == IN_ADDRESS
        phone = call.tool_filter.phone if addressed else arguments.get(call.leased)
        for lease in self._leases.of(token):
            if phone in lease.names:
                return arguments if addressed else {**arguments, call.leased: lease.handle}
        told = self._leases.tell(token) or "You have no lease any more."
        raise LeaseRefused(f"Nothing was done. {told}")

    @asynccontextmanager
    async def _alive(self, answer: Answer) -> AsyncGenerator[None]:
        """Tell the caller again and again that the call runs, for as long as it does."""

        async def tell() -> None:
            with suppress(WireError):
                while True:
                    await self._clock.sleep(ALIVE_EVERY)
                    await answer.note({})

        telling = asyncio.create_task(tell())
        try:
            yield
        finally:
            telling.cancel()
