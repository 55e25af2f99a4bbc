"""The record of all hosts, from the copies in the engine.

Calls that a host has not copied yet are missing here: its own record comes first.
"""

from collections.abc import Mapping
from contextlib import suppress
from heapq import nlargest
from math import inf
from typing import NamedTuple

from ..audit.copies import Copy, CopyChain, CopyVerification, read_copies, read_entry
from ..audit.entry import AuditEntry
from ..clock import SYSTEM_CLOCK, Clock
from .nats.audit_stream import AuditStream
from .nats.jetstream import Stored
from .nats.names import is_member_id
from .nats.wire import EngineWire

MOST_ENTRIES = 1000
_MOST_READ, _MOST_READ_BYTES = 20_000, 32 * 1024 * 1024
"""Limits on the copies read for one query."""
_FIRST_WINDOW, _WIDEST_WINDOW, _WINDOW_BYTES = 256, 16_384, 4 * 1024 * 1024
"""Copies that are read at a time."""
_CLOCKS_DIFFER = 300.0
"""Seconds by which a host's clock may be ahead of the engine's."""


class FleetEntry(NamedTuple):
    host: str
    """The id of the host that made the call."""
    host_name: str
    """Its own name for people."""
    entry: AuditEntry
    """`id` is the call's number at that host."""


class Newest(NamedTuple):
    entries: list[FleetEntry]
    """Oldest first."""
    more: bool
    """Whether older copies remain unread."""


class FleetRecord:
    """For gateways and administrators. Raises WireError and KvError."""

    def __init__(self, wire: EngineWire, clock: Clock = SYSTEM_CLOCK) -> None:
        self._stream = AuditStream(wire, clock)

    async def newest(
        self,
        limit: int = 200,
        *,
        host: str = "",
        phone: str = "",
        token: str = "",
        tool: str = "",
        since: float = 0.0,
    ) -> Newest:
        """The latest calls of one host, by its name or id, or of all hosts: on this phone, of this
        token, of this tool, begun at `since` or later."""
        limit = max(0, min(limit, MOST_ENTRIES))
        subject = host if is_member_id(host) else "*"
        wanted = {"phone": phone, "token": token, "tool": tool}
        end, window = await self._stream.last(subject) + 1, _FIRST_WINDOW
        search = _Search(wanted, "" if subject == host else host, since, limit)
        while end > 1 and not search.is_over:
            start = max(1, end - window)
            if await self._read(start, end, subject, search):
                end, window = start, min(2 * window, _WIDEST_WINDOW)
            else:
                window = max(1, window // 8)
        found = sorted(search.found, key=lambda each: each.entry.at)
        more = len(found) > limit or (end > 1 and not search.is_before(since - _CLOCKS_DIFFER))
        return Newest(found[len(found) - min(limit, len(found)) :], more)

    async def _read(self, start: int, end: int, subject: str, search: "_Search") -> bool:
        """Read backwards from the end to the start. Returns False if that is too much to keep at a
        time."""
        messages: list[Stored] = []
        size = 0
        async for message in self._stream.read(start, end, subject):
            messages.append(message)
            size += len(message.data)
            if size > _WINDOW_BYTES and end - start > 1:
                search.skip(len(messages), size)
                return False
        for message in reversed(messages):
            search.add(message)
        return True

    async def verify(self) -> Mapping[str, CopyVerification]:
        """The result for each host's copies, by host id."""
        chains: dict[str, CopyChain] = {}
        end = await self._stream.last() + 1
        async for message in self._stream.read(1, end):
            chain = chains.setdefault(_host(message), CopyChain())
            for copy in read_copies(message.data):
                if copy is None:
                    chain.add_unreadable()
                else:
                    chain.add(copy)
        return {host: chain.end() for host, chain in chains.items()}


class _Search:
    """Goes back through the copies: the end of a call comes before its begin."""

    def __init__(self, wanted: Mapping[str, str], host: str, since: float, limit: int) -> None:
        self._wanted = {name: value for name, value in wanted.items() if value}
        self._host = host
        self._since = since
        self._limit = limit
        self._ends: dict[tuple[str, int], Copy] = {}
        self._seen: set[tuple[str, bytes]] = set()
        self._read = self._bytes = 0
        self._stored = inf
        self.found: list[FleetEntry] = []

    def is_before(self, when: float) -> bool:
        """Whether all remaining copies were stored, and so their calls begun, before `when`."""
        return self._stored < when

    @property
    def is_over(self) -> bool:
        if self._read >= _MOST_READ or self._bytes >= _MOST_READ_BYTES:
            return True
        # A host that was cut off copies late: its calls from that time are not the newest.
        newest = nlargest(self._limit, (each.entry.at for each in self.found))
        if len(newest) == self._limit and (not newest or self.is_before(newest[-1])):
            return True
        return self.is_before(self._since - _CLOCKS_DIFFER)

    def skip(self, messages: int, size: int) -> None:
        """Count copies that were read without a match."""
        self._read += messages
        self._bytes += size

    def add(self, message: Stored) -> None:
        copies = read_copies(message.data)
        self._read += len(copies)
        self._bytes += len(message.data)
        self._stored = message.at
        for copy in reversed(copies):
            if copy is not None:  # the verification reports the others
                self._add_copy(_host(message), copy)

    def _add_copy(self, host: str, copy: Copy) -> None:
        seen = host, copy.link.hash
        if seen in self._seen:
            return  # the copy was sent twice
        self._seen.add(seen)
        if copy.link.kind == "end":
            self._ends[host, copy.link.of] = copy
        elif copy.link.kind == "begin":
            end = self._ends.pop((host, copy.link.of), None)
            with suppress(ValueError):  # the verification reports it
                self._add_entry(FleetEntry(host, copy.host, read_entry(copy, end)))

    def _add_entry(self, found: FleetEntry) -> None:
        entry = found.entry
        if entry.at < self._since or self._host not in ("", found.host_name):
            return
        if all(getattr(entry, name) == value for name, value in self._wanted.items()):
            self.found.append(found)


def _host(message: Stored) -> str:
    return message.subject.rpartition(".")[2]
