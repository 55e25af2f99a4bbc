"""The lists of tools that hosts send. Apps' tools, kept steps and switched-off tools differ from
phone to phone.

A list that equals an earlier one, or that of another phone, is stored once and not sent again.
"""

import logging
from collections import OrderedDict
from collections.abc import Sequence

from ..access.request_scope import RequestScope
from ..clock import SYSTEM_CLOCK, Clock
from ..tools.listing import Listing
from .call_service import KNOWN, LIST, REFUSED, SAME
from .host_calls import SILENT
from .messages import BadFleetMessage, digest, pack_scope, read_listings, read_reply
from .nats.calls import calling
from .nats.frames import BadFrame
from .nats.wire import EngineWire, WireFault

LARGEST = 4 * 1024 * 1024
"""Bytes of a list."""
MOST_LISTS, MOST_ASKED = 64, 4096
"""Lists, and pairs of host and scope whose list is known."""

log = logging.getLogger(__name__)


class HostLists:
    def __init__(self, wire: EngineWire, clock: Clock = SYSTEM_CLOCK) -> None:
        self._wire = wire
        self._clock = clock
        self._asked: OrderedDict[tuple[str, RequestScope], str] = OrderedDict()
        self._lists: OrderedDict[str, Sequence[Listing]] = OrderedDict()
        """By their digests."""

    async def read(self, host: str, limits: RequestScope) -> Sequence[Listing] | None:
        """The tools of a host within limits; None if it does not send them. Raises ToolError."""
        key = (host, limits)
        known = self._asked.get(key, "")
        known = known if known in self._lists else ""
        head = {LIST: pack_scope(limits), KNOWN: known}
        try:
            async with calling(self._wire, host, head, clock=self._clock) as call:
                end = await call.end(SILENT, largest=LARGEST)
            if end.head.get(REFUSED):
                return None
            if "error" in end.head:
                read_reply(end.head, end.raw)
            if end.head.get(SAME) is True:
                self._lists.move_to_end(known)
                return self._lists[known]
            found = read_listings(end.raw)
        except (WireFault, BadFrame, BadFleetMessage, KeyError) as problem:
            log.info("The host %s does not list its tools: %s", host, problem)
            return None
        named = digest(end.raw)
        self._lists[named] = found
        self._asked[key] = named
        for kept, most in ((self._lists, MOST_LISTS), (self._asked, MOST_ASKED)):
            if len(kept) > most:
                kept.popitem(last=False)
        return found
