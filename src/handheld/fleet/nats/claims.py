"""The phones that a host has: its row of the table `claims`.

Each host writes a single row with all its phones, so none can speak for another or fill more of the
table than its share.

The row does not decide who may use a phone. The claim that the phone itself has accepted decides
that, and only a host that reaches the phone can have its claim accepted. The row of the host that
the phone names, and no other, tells whether that host still has it.
"""

import asyncio
import json
from typing import Any, cast

from ...clock import SYSTEM_CLOCK, Clock
from .directory import decode_host
from .kv import Conflict, Kv, KvError
from .names import CLAIMS, HOSTS, RULES
from .wire import EngineWire, NotAllowed

HIGHEST = 2**53


class ClaimTable:
    """The table for one host. Raises WireError and KvError."""

    def __init__(self, wire: EngineWire, name: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self.host = wire.id
        self.name = name
        self._claims = Kv(wire, CLAIMS, clock=clock)
        self._hosts = Kv(wire, HOSTS, clock=clock)
        self.phones: set[str] = set()
        """The phones that the row should have."""
        self._written: frozenset[str] | None = None
        """The phones that it has; None if that is unknown."""
        self._revision = 0
        self._in_doubt = False
        """Whether a write was not acknowledged. It may still arrive unless a later one has."""
        self._writing: asyncio.Task[None] | None = None

    async def add(self, phone: str) -> None:
        """Publish that we have a phone. The row contains it when this returns."""
        self.phones.add(phone)
        await self._bring_up_to_date()

    async def remove(self, phone: str) -> None:
        self.phones.discard(phone)
        await self._bring_up_to_date()

    def forget(self) -> None:
        """The engine may have lost the row: read it before relying on it again."""
        self._written = None

    async def _bring_up_to_date(self) -> None:
        """Phones that arrive at the same time share one write, and its failure."""
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
                return  # an earlier write has arrived; the row is read now
            self._in_doubt = False
        self._written = wanted

    async def _read_own(self) -> frozenset[str] | None:
        """The contents of the row; None if it cannot be read, in which case it is overwritten."""
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
        """Whether a host says that it has a phone. A host of a version before these rows has all
        phones that ever accepted it."""
        entry = await self._claims.get_latest(host)
        if entry is not None and phone in (_decode_or_none(entry.value) or ()):
            return True
        known = await self._hosts.get(host)
        try:
            return known is not None and decode_host(known.value).rules < RULES
        except ValueError:
            return False

    async def is_heard(self, host: str) -> bool:
        """Whether a host has given a sign of life recently."""
        return await self._hosts.get(host) is not None


def _decode_or_none(data: bytes) -> frozenset[str] | None:
    try:
        read: Any = json.loads(data)
        return frozenset(str(phone) for phone in cast("list[Any]", read))
    except (ValueError, TypeError, RecursionError):
        return None
