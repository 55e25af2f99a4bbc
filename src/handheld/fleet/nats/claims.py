"""Which phones a host has: its row of the table `claims`.

Each host writes one row, its own, with all its phones, so that none can speak for another or fill
more of the table than its share. Who may use a phone its row does not decide: that is the claim
which the phone itself has accepted, and only a host that reaches the phone can have it accepted.
The row of the host that the phone names, and of no other, tells whether that host still has it.
"""

import asyncio
import json
from typing import Any, cast

from ...clock import SYSTEM_CLOCK, Clock
from .directory import decode_host
from .kv import Conflict, Kv, KvError
from .names import CLAIMS, HOSTS, RULES
from .wire import NotAllowed, Wire

HIGHEST = 2**53


class ClaimTable:
    """As one host uses it. Raises WireError and KvError."""

    def __init__(self, wire: Wire, name: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self.host = wire.id
        self.name = name
        self._claims = Kv(wire, CLAIMS, clock=clock)
        self._hosts = Kv(wire, HOSTS, clock=clock)
        self.phones: set[str] = set()
        """Those that the row should have."""
        self._written: frozenset[str] | None = None
        """Those that it has; None if that is not known."""
        self._revision = 0
        self._in_doubt = False
        """Whether a writing was not answered. It may arrive yet, unless a later one has."""
        self._writing: asyncio.Task[None] | None = None

    async def add(self, phone: str) -> None:
        """Tell that we have a phone. It is in the row when this returns."""
        self.phones.add(phone)
        await self._bring_up_to_date()

    async def remove(self, phone: str) -> None:
        self.phones.discard(phone)
        await self._bring_up_to_date()

    def forget(self) -> None:
        """The engine may have lost the row: it is read before it is next relied on."""
        self._written = None

    async def _bring_up_to_date(self) -> None:
        """Phones that come at the same time share one writing, and its failure."""
        while self._written != frozenset(self.phones):
            if self._writing is None or self._writing.done():
                self._writing = asyncio.create_task(self._write())
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        written = self._written
        if written is None:
            written = await self._read_own()
        wanted = frozenset(self.phones)
        if written != wanted or self._in_doubt:
            value = json.dumps(sorted(wanted), separators=(",", ":")).encode()
            self._written, self._in_doubt = None, True
            try:
                self._revision = await self._claims.swap(self.host, value, self._revision)
            except Conflict:
                return  # one of before has arrived: what is there now is read
            self._in_doubt = False
        self._written = wanted

    async def _read_own(self) -> frozenset[str] | None:
        """What the row says; None for what cannot be read, which is written over."""
        try:
            entry = await self._claims.get_latest(self.host)
        except NotAllowed as problem:
            raise KvError(
                "The engine grants the rights of an older Handheld. Upgrade Handheld where the keys"
                " of the engine are, and run `handheld token list --fleet` there: that tells the"
                " servers the new rights."
            ) from problem
        self._revision = 0 if entry is None else entry.revision
        return frozenset() if entry is None else _decode_or_none(entry.value)

    async def has(self, host: str, phone: str) -> bool:
        """Whether a host says that it has a phone. One of a version before there were such rows has
        all that ever accepted it."""
        entry = await self._claims.get_latest(host)
        if entry is not None and phone in (_decode_or_none(entry.value) or ()):
            return True
        known = await self._hosts.get(host)
        try:
            return known is not None and decode_host(known.value).rules < RULES
        except ValueError:
            return False

    async def is_heard(self, host: str) -> bool:
        """Whether a host has given a sign of life lately."""
        return await self._hosts.get(host) is not None


def _decode_or_none(data: bytes) -> frozenset[str] | None:
    try:
        read: Any = json.loads(data)
        return frozenset(str(phone) for phone in cast("list[Any]", read))
    except (ValueError, TypeError, RecursionError):
        return None
