"""The known hosts and phones: each host writes its own rows, and gateways follow them.

The directory records what was seen, not what is true: the host of a phone decides whether it is
free when it is asked.
"""

import asyncio
import json
import logging
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from ...clock import SYSTEM_CLOCK, Clock
from .kv import Change, Conflict, Entry, Gone, Kv, KvError, UpToDate
from .names import HOSTS, NAME, PHONES, SLOTS, is_member_id, phone_id, slot_of
from .wire import EngineWire, WireFault

log = logging.getLogger(__name__)

BEAT = 5.0
STALE = 15.0
"""A host that has been silent for this long, by the reader's own clock, may be gone."""
_CLOCK_EVERY = 12
_ROWS_EVERY = 6
"""Signs of life after which a host compares its clock with the engine's."""
UNPLUGGED = "unplugged"
"""The state of a phone that is expected back because somebody has leased it."""
LONGEST = 200
MOST_TAGS = 32


@dataclass(frozen=True, slots=True)
class HostRow:
    name: str
    version: str
    beat: int = 0
    """Counts up with each write: a late row is not mistaken for news."""
    offset: float = 0.0
    """The difference of its wall clock from the engine's, in seconds."""
    rules: int = 1
    """Its `RULES`; earlier versions send none."""


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A phone's lease as people see it. Only the host and the holder know the handle."""

    holder: str
    since: float
    """When it was granted; 0 while it is being taken."""
    ends: float
    """The latest end; 0 while it is ending."""
    token: str = ""
    """The name of the holder's token."""


@dataclass(frozen=True, slots=True)
class PhoneRow:
    serial: str
    state: str = "ready"
    slug: str = ""
    model: str = ""
    api: int = 0
    tags: tuple[str, ...] = ()
    uses: int = 0
    lease: LeaseRow | None = None


@dataclass(frozen=True, slots=True)
class DirectoryPhone:
    """A phone as a gateway sees it."""

    host: str
    phone: str
    row: PhoneRow
    fresh: bool
    """Whether its host was heard recently."""

    @property
    def name(self) -> str:
        return self.row.slug or self.row.serial

    @property
    def state(self) -> str:
        """`away`, `free`, `leased`, or the state that its host reports."""
        if not self.fresh:
            return "away"
        if self.row.state != "ready":
            return self.row.state
        return "free" if self.row.lease is None else "leased"


# Rows as JSON


def encode_row(row: HostRow | PhoneRow) -> bytes:
    """Leave out defaults."""
    kept: dict[str, Any] = {
        one.name: value for one in fields(row) if (value := getattr(row, one.name)) != one.default
    }
    if isinstance(row, PhoneRow) and row.lease is not None:
        kept["lease"] = [row.lease.holder, row.lease.since, row.lease.ends, row.lease.token]
    return json.dumps(kept, ensure_ascii=True, separators=(",", ":")).encode()


def encode_rows(rows: Iterable[PhoneRow]) -> bytes:
    """The phones of a host in one row of the table, as many as fit."""
    encoded: list[bytes] = []
    size = 2
    for row in rows:
        data = encode_row(row)
        size += len(data) + 1
        if size > PHONES.largest:
            log.warning("%s is not in the directory: this host has too many phones.", row.serial)
        else:
            encoded.append(data)
    return b"[" + b",".join(encoded) + b"]"


def decode_rows(data: bytes) -> list[PhoneRow]:
    """Raises ValueError."""
    read = _json(data)
    if not isinstance(read, list):
        raise ValueError("not a list")
    return [_phone(each) for each in cast("list[Any]", read)]


def decode_host(data: bytes) -> HostRow:
    """Raises ValueError."""
    read = _json(data)
    if not isinstance(read, dict):
        raise ValueError("not an object")
    read = cast("dict[str, Any]", read)
    if not NAME.fullmatch(name := _text(read, "name")):
        raise ValueError("name")
    return HostRow(
        name=name,
        version=_text(read, "version"),
        beat=_whole(read, "beat"),
        offset=_number(read.get("offset", 0)),
        rules=_whole(read, "rules", 1),
    )


def _phone(read: Any) -> PhoneRow:
    if not isinstance(read, dict):
        raise ValueError("not an object")
    read = cast("dict[str, Any]", read)
    tags: Any = read.get("tags", [])
    if not isinstance(tags, list) or len(cast("list[Any]", tags)) > MOST_TAGS:
        raise ValueError("tags")
    lease: Any = read.get("lease")
    row: LeaseRow | None = None
    if lease is not None:
        if not isinstance(lease, list) or len(cast("list[Any]", lease)) != 4:
            raise ValueError("lease")
        holder, since, ends, token = cast("list[Any]", lease)
        row = LeaseRow(
            _text({"holder": holder}, "holder"),
            _time(since),
            _time(ends),
            _text({"token": token}, "token", ""),
        )
    # Ten thousand phones share few models, states and tags: each text is stored once.
    return PhoneRow(
        serial=_text(read, "serial"),
        state=sys.intern(_text(read, "state", "ready")),
        slug=_text(read, "slug", ""),
        model=sys.intern(_text(read, "model", "")),
        api=_whole(read, "api"),
        tags=tuple(sys.intern(_text({"tag": tag}, "tag")) for tag in cast("list[Any]", tags)),
        uses=_whole(read, "uses"),
        lease=row,
    )


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("too deep") from None


def _text(read: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = read.get(name, default)
    if not isinstance(value, str) or len(value) > LONGEST:
        raise ValueError(name)
    return value


def _whole(read: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = read.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 2**53:
        raise ValueError(name)
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**53:
        raise ValueError("not a number")
    return float(value)


def _time(value: Any) -> float:
    """Seconds since 1970, within the range of calendars."""
    if not 0 <= (seconds := _number(value)) <= 2**37:
        raise ValueError("not a time")
    return seconds


# The host's side


class Registrar:
    """Writes the rows of one host, in the background: the latest state of each phone, and a sign of
    life. A host works without its engine, so nothing waits for this."""

    def __init__(self, wire: EngineWire, host: HostRow, clock: Clock = SYSTEM_CLOCK) -> None:
        self._wire = wire
        self._host = host
        self._clock = clock
        self._hosts = Kv(wire, HOSTS, clock=clock)
        self._phones = Kv(wire, PHONES, clock=clock)
        self._wanted: dict[str, dict[str, PhoneRow]] = {slot: {} for slot in SLOTS}
        """The phones of each row of the table."""
        self._written: dict[str, tuple[bytes, int]] = {}
        """The row's content and its revision."""
        self._dirty: dict[str, None] = {}
        self._changed = asyncio.Event()
        self._beat = 0
        self._offset = 0.0

    def set(self, row: PhoneRow) -> None:
        phone = phone_id(row.serial)
        slot = slot_of(phone)
        if self._wanted[slot].get(phone) != row:
            self._wanted[slot][phone] = row
            self._mark(slot)

    def remove(self, serial: str) -> None:
        phone = phone_id(serial)
        slot = slot_of(phone)
        if self._wanted[slot].pop(phone, None) is not None:
            self._mark(slot)

    def _mark(self, slot: str) -> None:
        self._dirty[slot] = None
        self._changed.set()

    async def run(self) -> None:
        """Write until cancelled."""
        await self._recall()
        await asyncio.gather(self._beats(), self._writes())

    async def _recall(self) -> None:
        """Find the rows that an earlier run of this host left."""
        own = f"{self._wire.id}."
        while True:
            await self._wire.ready()
            try:
                found = await self._phones.read_all(own)
                break
            except (WireFault, KvError, TimeoutError) as problem:
                log.info("The directory cannot be read: %s", problem)
                await self._clock.sleep(1)
        for key, entry in found.items():
            # An earlier version left the others, and only an administrator may delete those.
            if (slot := key.removeprefix(own)) in SLOTS:
                self._written[slot] = entry.value, entry.revision
                self._mark(slot)

    async def _beats(self) -> None:
        while True:
            try:
                await self.beat()
                if self._beat % _ROWS_EVERY == 0:
                    await self.compare_rows()
            except (WireFault, KvError, TimeoutError) as problem:
                log.info("The sign of life was not written, or rows were not read: %s", problem)
            await self._clock.sleep(BEAT)

    async def beat(self) -> None:
        """Write one sign of life. Raises WireError and KvError."""
        self._beat += 1
        row = replace(self._host, beat=self._beat, offset=self._offset)
        before = self._clock.time()
        await self._hosts.put(self._wire.id, encode_row(row))
        if self._beat % _CLOCK_EVERY == 1:
            await self._compare_clocks(before, self._clock.time())

    async def compare_rows(self) -> None:
        """Write rows again that differ from what was written, as in a restored store. Raises
        WireError and KvError."""
        found = await self._phones.read_all(f"{self._wire.id}.")
        for slot, (_, revision) in list(self._written.items()):
            key = f"{self._wire.id}.{slot}"
            if key not in found or found[key].revision != revision:
                self._written[slot] = await self._reading(key)
                self._mark(slot)

    async def _compare_clocks(self, before: float, after: float) -> None:
        """Estimate the offset from the time at which our row was stored, which is between the two
        times."""
        stored = await self._hosts.stored_at(self._wire.id)
        if stored is not None:
            self._offset = round((before + after) / 2 - stored, 1)

    async def _writes(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._dirty:
                batch = list(self._dirty)
                self._dirty.clear()
                done = await asyncio.gather(*map(self._write, batch))
                if not all(done):
                    await self._clock.sleep(1)

    async def _write(self, slot: str) -> bool:
        """Write one row. After a failure it is dirty again."""
        key = f"{self._wire.id}.{slot}"
        phones = self._wanted[slot]
        wanted = encode_rows(phones[phone] for phone in sorted(phones)) if phones else b""
        value, revision = self._written.get(slot, (b"", 0))
        if wanted == value:
            return True
        try:
            # By revision: a late write must not undo a newer one.
            if not wanted:
                await self._phones.delete(key, revision)
                self._written.pop(slot, None)
            else:
                self._written[slot] = wanted, await self._phones.swap(key, wanted, revision)
            return True
        except Conflict:
            # A restored store, or an unacknowledged write of ours.
            self._written[slot] = await self._reading(key)
        except (WireFault, KvError) as problem:
            log.info("A row of phones was not written: %s", problem)
        self._mark(slot)
        return False

    async def _reading(self, key: str) -> tuple[bytes, int]:
        """The value and its revision; 0 if it is missing or unknown."""
        try:
            found = await self._phones.get(key)
        except (WireFault, KvError):
            return b"", 0
        return (b"", 0) if found is None else (found.value, found.revision)


# The gateway's side

_MOST_FORMER = 4096
_Key = tuple[str, str]
"""The ids of a host and a phone."""


def _names(row: PhoneRow | None) -> set[str]:
    return set() if row is None else {row.slug, row.serial} - {""}


def _holders(row: PhoneRow | None) -> set[str]:
    return set() if row is None or row.lease is None else {row.lease.token}


class Directory:
    """A gateway's knowledge of hosts and phones. It stays unchanged while the engine is away, and
    reports that."""

    def __init__(self, wire: EngineWire, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._hosts_kv = Kv(wire, HOSTS, clock=clock)
        self._phones_kv = Kv(wire, PHONES, clock=clock)
        self._hosts: dict[str, tuple[HostRow, float]] = {}
        self._phones: dict[str, dict[str, PhoneRow]] = {}
        self._named: dict[str, tuple[_Key, ...]] = {}
        """Phones by slug and by serial; `_leased` has them by the token of their lease. A call
        finds its phone among ten thousand without examining each one."""
        self._leased: dict[str, tuple[_Key, ...]] = {}
        self._host_names = Counter[str]()
        self._owners: dict[str, str] = {}
        """The host that had a name first, even after it has lost it: calls for that name must not
        reach hosts that take the name later."""
        self._recalled: frozenset[str] = frozenset()
        self._former: dict[str, OrderedDict[str, None]] = {}
        """The names that a host has had, the oldest first. The limit is per host, so no host
        displaces another's names."""
        self._complete: set[str] = set()
        self.complete = asyncio.Event()
        """Set once all existing rows have been read."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change."""

    async def run(self) -> None:
        """Follow until cancelled."""
        await asyncio.gather(
            self._follow(self._hosts_kv, HOSTS.name, self._host_changed),
            self._follow(self._phones_kv, PHONES.name, self._phone_changed),
        )

    async def read(self) -> None:
        """Read everything once, without following. Raises WireError and KvError."""
        for kv, apply in (
            (self._hosts_kv, self._host_changed),
            (self._phones_kv, self._phone_changed),
        ):
            for entry in await kv.look():
                self._apply(apply, entry)
        self._settle_owners()
        self.complete.set()

    async def _follow(self, kv: Kv, name: str, apply: Callable[[Change], None]) -> None:
        async for change in kv.watch():
            if isinstance(change, UpToDate):
                self._complete.add(name)
                self._settle_owners()
                if len(self._complete) == 2:
                    self.complete.set()
            else:
                self._apply(apply, change)
            self.changed()

    def _apply(self, apply: Callable[[Change], None], change: Entry | Gone) -> None:
        try:
            apply(change)
        except ValueError as problem:
            log.warning("A row of %s cannot be read: %s", change.key, problem)

    def _host_changed(self, change: Change) -> None:
        if isinstance(change, Entry) and is_member_id(change.key):
            row = decode_host(change.value)
            known = self._hosts.get(change.key)
            if known is None or row.name != known[0].name:
                self._host_names[row.name] += 1
                if known is not None:
                    self._host_names[known[0].name] -= 1
                    self._host_names += Counter()  # removes zero counts
            # A restarted host counts from 1.
            if known is None or row.beat != known[0].beat:
                self._hosts[change.key] = row, self._clock.now()
        # An expired row is not news: the time since the host was heard says more.

    def _phone_changed(self, change: Change) -> None:
        assert not isinstance(change, UpToDate)
        host, _, slot = change.key.partition(".")
        if slot not in SLOTS:
            return  # a row of an earlier version
        if not is_member_id(host):
            raise ValueError("its key")
        read = decode_rows(change.value) if isinstance(change, Entry) else ()
        rows = {phone_id(row.serial): row for row in read}
        # A host vouches only for its own phones: the key must match the serials.
        if any(slot_of(phone) != slot for phone in rows):
            raise ValueError("another phone's")
        known = self._phones.setdefault(host, {})
        for phone in [phone for phone in known if slot_of(phone) == slot and phone not in rows]:
            self._index((host, phone), known.pop(phone), None)
        for phone, row in rows.items():
            if (before := known.get(phone)) != row:
                self._index((host, phone), before, row)
                known[phone] = row
        if not known:
            del self._phones[host]

    def _index(self, key: _Key, before: PhoneRow | None, after: PhoneRow | None) -> None:
        for index, words in ((self._named, _names), (self._leased, _holders)):
            old, new = words(before), words(after)
            for word in old - new:
                if kept := tuple(each for each in index[word] if each != key):
                    index[word] = kept
                else:
                    del index[word]
            for word in new - old:
                index[word] = (*index.get(word, ()), key)
        self._note_owners(key[0], _names(before), _names(after))

    def _note_owners(self, host: str, old: set[str], new: set[str]) -> None:
        former = self._former.setdefault(host, OrderedDict())
        for name in new - old:
            if self._owners.setdefault(name, host) == host:
                former.pop(name, None)  # the host has the name again
        for name in old - new:
            if self._owners.get(name) == host:
                former[name] = None
        while len(former) > _MOST_FORMER:
            del self._owners[former.popitem(last=False)[0]]

    def _settle_owners(self) -> None:
        """For names that existed before this gateway started, the order says nothing."""
        for name, keys in self._named.items():
            if len({host for host, _ in keys}) > 1 and name not in self._recalled:
                self._owners.pop(name, None)

    @property
    def owners(self) -> Mapping[str, str]:
        """The owners of names, for the next process to recall."""
        return self._owners

    def recall(self, owners: Mapping[str, str]) -> None:
        """Recall the owners of names. Call this before anything is read."""
        self._recalled = frozenset(owners)
        self._owners.update(owners)
        for name, host in owners.items():
            self._former.setdefault(host, OrderedDict())[name] = None

    def owner(self, name: str) -> str:
        """The host that was first seen with a phone of that name; "" if none was seen."""
        return self._owners.get(name, "")

    def age(self, host: str) -> float | None:
        """Seconds since a host was heard; None if it never was."""
        known = self._hosts.get(host)
        return None if known is None else self._clock.now() - known[1]

    def is_fresh(self, host: str) -> bool:
        age = self.age(host)
        return age is not None and age <= STALE

    def hosts(self) -> Iterator[tuple[str, HostRow, bool]]:
        """Each host ever heard, and whether it was heard recently."""
        for host, (row, _) in self._hosts.items():
            yield host, row, self.is_fresh(host)

    def name(self, host: str) -> str:
        """A host's name for people. It is the host's id if the host was never heard or another host
        claims the same name: each host writes its own."""
        known = self._hosts.get(host)
        return known[0].name if known and self._host_names[known[0].name] == 1 else host

    def phones(self) -> Iterator[DirectoryPhone]:
        for host, rows in self._phones.items():
            fresh = self.is_fresh(host)
            for phone, row in rows.items():
                yield DirectoryPhone(host, phone, row, fresh)

    def named(self, name: str) -> list[DirectoryPhone]:
        """The phones with that slug or serial."""
        return self._find(self._named.get(name, ()))

    def leased_to(self, token: str) -> list[DirectoryPhone]:
        """The phones leased by the token with that name. A host that is gone for good cannot report
        the end of a lease; the lease's latest end then counts."""
        now = self._clock.time()
        return [
            each
            for each in self._find(self._leased.get(token, ()))
            if each.fresh or (each.row.lease is not None and each.row.lease.ends > now)
        ]

    def _find(self, keys: tuple[_Key, ...]) -> list[DirectoryPhone]:
        return [
            DirectoryPhone(host, phone, self._phones[host][phone], self.is_fresh(host))
            for host, phone in keys
        ]

    def phone(self, host: str, phone: str) -> PhoneRow | None:
        return self._phones.get(host, {}).get(phone)

    def count(self) -> int:
        return sum(map(len, self._phones.values()))
