"""Which host may use a phone that several can reach: the table `claims`.

Each writing of a row is numbered by the engine, and rows are written only over the one that was
read. The number is the epoch, by which the phone itself accepts a host; `above` raises it where a
phone knows a higher one, as after the loss of the engine's store.
"""

import json
from contextlib import suppress
from typing import Any, NamedTuple, cast

from ..clock import SYSTEM_CLOCK, Clock
from .kv import Conflict, Kv, KvError
from .names import CLAIMS, HOSTS, NAME, is_member_id
from .wire import Wire

HIGHEST = 2**53


class ClaimRow(NamedTuple):
    host: str
    name: str
    above: int
    revision: int

    @property
    def epoch(self) -> int:
        return self.above + self.revision


class ClaimTable:
    """As one host uses it. Raises WireError and KvError."""

    def __init__(self, wire: Wire, name: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self.host = wire.id
        self.name = name
        self._claims = Kv(wire, CLAIMS, clock=clock)
        self._hosts = Kv(wire, HOSTS, clock=clock)

    async def read(self, phone: str) -> ClaimRow | None:
        entry = await self._claims.get(phone)
        return None if entry is None else _decode(entry.value, entry.revision)

    async def take(self, phone: str, revision: int, above: int) -> ClaimRow:
        """Claim a phone whose row has this revision, 0 if there is none. Raises Conflict."""
        value = json.dumps([self.host, self.name, above], separators=(",", ":")).encode()
        written = await self._claims.swap(phone, value, revision)
        return ClaimRow(self.host, self.name, above, written)

    async def release(self, phone: str, revision: int) -> None:
        """Delete the row, if it is still ours."""
        with suppress(Conflict):  # another's by now
            await self._claims.delete(phone, revision)

    async def is_heard(self, host: str) -> bool:
        """Whether a host has given a sign of life lately."""
        return await self._hosts.get(host) is not None


def _decode(data: bytes, revision: int) -> ClaimRow:
    """Raises KvError."""
    try:
        read: Any = json.loads(data)
        host, name, above = cast("list[Any]", read)
        named = is_member_id(host) and NAME.fullmatch(name)
        if named and type(above) is int and 0 <= above <= HIGHEST - revision:
            return ClaimRow(host, name, above, revision)
    except (ValueError, TypeError, RecursionError):
        pass
    raise KvError("A row of the claims cannot be read.")
