"""The phones of all hosts together, for one caller of a gateway.

The host of a phone decides whether it is free and who has it. The directory only says which host to
ask.
"""

import asyncio
import json
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from ..access.request_scope import RequestScope
from ..calls.addressing import is_handle
from ..calls.fleet import CLAIMING, fits, none_fits, none_free
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import (
    ActionFailed,
    InvalidParams,
    ToolError,
    UnknownPhone,
)
from ..phone.leases.fleet import FleetPhone, TakenPhone, WantedPhone
from ..phone.leases.lease import HANDLE_PREFIX, Lease, LeaseRefused, State, holder
from ..screen.text import brief
from ..settings.slug import tool_prefix
from ..tools.call import Caller
from ..tools.listing import FLEET_TOOLSET, Item
from .former_leases import FormerLeases
from .host_calls import CallInDoubt, HostCalls, NothingDone
from .known_phones import KnownPhone, KnownPhones, listed
from .messages import HostCall
from .nats.directory import LeaseRow
from .nats.names import is_member_id

_MOST_ASKED = 64
"""The most phones that hosts are asked for, one after another."""
_MOST_TOLD = 8
"""The most refusals that are reported."""
_NOT_TAKEN = "Nothing was taken. "
_KNOWN_WITHIN = 2.0
"""Seconds until a new lease is in the directory."""


class _Row(NamedTuple):
    known: KnownPhone
    names: frozenset[str]
    shown: FleetPhone


class GatewayFleet:
    def __init__(
        self,
        phones: KnownPhones,
        calls: HostCalls,
        caller: Caller,
        scope: RequestScope,
        clock: Clock = SYSTEM_CLOCK,
        former: FormerLeases | None = None,
    ) -> None:
        self._phones = phones
        self._former = former or FormerLeases()
        self._calls = calls
        self._caller = caller
        self._limits = scope
        self._clock = clock
        self._handles: dict[tuple[str, str], str] = {}
        """The handles of the caller's leases by host and phone, as hosts have reported them. The
        directory has no handles."""

    @property
    def now(self) -> float:
        return self._clock.now()

    async def phones(self) -> Sequence[FleetPhone]:
        return [row.shown for row in self._rows()]

    def _rows(self, name: str = "") -> list[_Row]:
        """The rows of all phones, or of the phone with that name. Raises ToolError."""
        phones = self._named(name) if name else self._phones.all(self._limits)
        rows = [_Row(known, known.names | {name}, self._show(known)) for known in phones]
        return sorted(rows, key=lambda row: (row.shown.name, row.known.host))

    def _named(self, name: str) -> list[KnownPhone]:
        try:
            return [self._phones.find(name, self._limits, self._caller.token)]
        except UnknownPhone:
            return []  # the reply then lists the existing phones

    def _show(self, known: KnownPhone) -> FleetPhone:
        row = known.of.row
        name = self._phones.show(known.host, known.name)
        handle = self._handles.get((known.host, known.name), "")
        lease = row.lease and self._lease(name, known.names, row.lease, handle)
        state = known.of.state
        if known.fresh and lease is not None:
            state = "yours" if known.is_leased_to(self._caller.token) and lease.held else "leased"
        return FleetPhone(name, known.serial, row.model, row.api, row.tags, state, lease)

    def _lease(self, phone: str, names: frozenset[str], row: LeaseRow, handle: str = "") -> Lease:
        state = State.HELD if row.ends else State.ENDING if row.since else State.PENDING
        began = self.now - (self._clock.time() - row.since)
        seconds = row.ends - row.since
        return Lease(
            handle,
            row.token,
            row.holder,
            phone,
            names,
            seconds,
            None,
            state=state,
            since=row.since,
            began=began,
        )

    async def take(self, wanted: WantedPhone, minutes: int) -> TakenPhone:
        if is_handle(wanted.name):
            # Only its host can identify that phone: it has it, or can say what became of it.
            asked = {"slug": wanted.name, "minutes": minutes}
            return await self._take(host_of(wanted.name), asked)
        return await self._take_one_of(
            self._choose(await self._find(wanted), wanted), wanted, minutes
        )

    async def _find(self, wanted: WantedPhone) -> list[_Row]:
        """The matching phones, of which at least one is available. Raises ToolError otherwise."""
        fitting = [row for row in self._rows(wanted.name) if fits(row, wanted)]
        if any(map(_is_nearly_free, fitting)) and not _is_there(fitting):
            # It may be free already: the directory learns that a moment later.
            await self._until(
                lambda: _is_there([row for row in self._rows(wanted.name) if fits(row, wanted)])
            )
            fitting = [row for row in self._rows(wanted.name) if fits(row, wanted)]
        if not fitting:
            refusal = none_fits([row for row in self._rows() if row.known.fresh], wanted)
            refusal.message = f"{refusal.message} {self._phones.outdated}".rstrip()
            raise refusal
        if not any(row.known.fresh for row in fitting):
            named = listed([row.known for row in fitting])
            raise ActionFailed(
                f"The matching phones, or their hosts, are away: {named}. Nothing was taken."
            )
        return fitting

    def _choose(self, fitting: list[_Row], wanted: WantedPhone) -> list[_Row]:
        """The phones to ask for, out of the matching ones."""
        token = self._caller.token
        own = [row for row in fitting if row.shown.state == "yours"]
        if not wanted.name:
            own = [row for row in own if self._former.knows(token, row.known.host)]
        free = [row for row in fitting if row.shown.state == "free"]
        if own and (wanted.name or not free):
            return own
        if wanted.name and not free:
            # The host of a named phone knows more than the directory.
            return [row for row in fitting if row.shown.state == "leased"]
        return free

    async def _take_one_of(self, free: list[_Row], wanted: WantedPhone, minutes: int) -> TakenPhone:
        away: set[str] = set()
        refused: dict[str, str] = {}
        waiting = deque(sorted(free, key=_uses))
        while waiting:
            row = waiting.popleft()
            if row.known.host in away or (refused and not self._is_same(row)):
                continue
            if len(refused) >= _MOST_ASKED:
                raise ActionFailed(
                    f"Other clients were faster {_MOST_ASKED} times. Nothing was taken. Try again."
                )
            try:
                asked = {"slug": row.known.serial, "minutes": minutes}
                taken = await self._take(row.known.host, asked)
                await self._until_own(row.known)
            except ActionFailed as refusal:  # another client was faster, or the host is away
                if not refused:
                    # Others take phones at this moment. If all clients used the same order, all
                    # would be refused one after another.
                    secrets.SystemRandom().shuffle(waiting)
                    waiting = deque(sorted(waiting, key=_uses))
                refused[row.shown.name] = refusal.message.rpartition(_NOT_TAKEN)[2]
                if isinstance(refusal, NothingDone):
                    away.add(row.known.host)
                continue
            except asyncio.CancelledError:
                # The caller is gone. The phone may have been taken, and nobody knows its handle.
                if row.shown.state == "free":
                    with suppress(ToolError):
                        given = {"device": row.known.serial}
                        await self._ask(row.known.host, "give_back_phone", given)
                raise
            return taken
        # The hosts that were asked know more than the directory.
        others = [
            row
            for row in self._rows()
            if row.known.fresh and row.known.host not in away and row.shown.name not in refused
        ]
        told = list(refused.values())[:_MOST_TOLD]
        said = (none_free(others, wanted).message.strip(), *told)
        raise ActionFailed(" ".join(dict.fromkeys(said)))

    def _is_same(self, row: _Row) -> bool:
        """Whether its state is unchanged since all rows were read."""
        known = self._phones.at(row.known.host, row.known.serial)
        return known is not None and self._show(known).state == row.shown.state

    async def _take(self, host: str, asked: Mapping[str, Any]) -> TakenPhone:
        row, *notes = await self._ask(host, "take_phone", asked)
        read = _read_object(row)
        name = _text(read, "phone")
        serial = _text(read, "serial", name)
        self._former.note_host(self._caller.token, host)
        name = self._phones.show(host, name)
        lease = self._own_lease(name, frozenset((name, serial)), read)
        api, tags = read.get("api", 0), read.get("tags", [])
        if not isinstance(api, int) or not isinstance(tags, list):
            raise _unreadable()
        given = tuple(str(tag) for tag in cast("list[Any]", tags))
        shown = FleetPhone(name, serial, _text(read, "model", ""), api, given, "yours", lease)
        return TakenPhone(shown, lease, [str(note) for note in notes])

    def _own_lease(self, phone: str, names: frozenset[str], read: Mapping[str, Any]) -> Lease:
        """The lease in its host's reply."""
        left = read.get("seconds_left", 0)
        if not isinstance(left, int | float):
            raise _unreadable()
        now = self._clock.time()
        row = LeaseRow("you", now, now + left, holder(self._caller.token))
        return self._lease(phone, names, row, _text(read, "device"))

    async def _until_own(self, taken: KnownPhone) -> None:
        """Wait until the directory has the lease, because the next call may name no phone."""
        self._former.note(self._caller.token, taken)
        self._phones.note(self._caller.token, taken)
        await self._until(lambda: taken.serial in self._own_at(taken.host))

    async def _until(self, holds: Callable[[], bool]) -> None:
        """Wait briefly for the directory to change."""
        with suppress(TimeoutError), self._phones.changes.watch() as changed:
            async with self._clock.timeout(_KNOWN_WITHIN):
                while not holds():
                    await changed.wait()
                    changed.clear()

    async def status(self) -> tuple[Sequence[Lease], str]:
        leases: list[Lease] = []
        told: list[str] = []
        hosts = {known.host for known in self._own()}
        if not hosts and (former := self._former.take(self._caller.token)):
            hosts = {former.host}  # it can say why there is no lease any more
        for host in sorted(hosts):
            try:
                rows, *more = await self._ask(host, "lease_status", {})
            except NothingDone as away:
                told.append(f"{away.message} It may have a lease of yours.")
                continue
            except CallInDoubt:
                names = ", ".join(known.name for known in self._own() if known.host == host)
                told.append(f"The host of {names} does not answer. It may have a lease of yours.")
                continue
            for read in _read_rows(rows):
                name = _text(read, "phone")
                shown = self._phones.show(host, name)
                lease = self._own_lease(shown, frozenset((name,)), read)
                self._handles[host, name] = lease.handle
                self._former.note_host(self._caller.token, host)
                leases.append(lease)
            told += [str(each) for each in more]
        return leases, " ".join(told)

    def _own(self) -> list[KnownPhone]:
        return self._phones.leased_to(self._caller.token, self._limits)

    def _own_at(self, host: str) -> set[str]:
        """The serials of the caller's leased phones at a host."""
        return {known.serial for known in self._own() if known.host == host}

    async def give_back(self, ref: str) -> str:
        if is_handle(ref):
            host = host_of(ref)
        else:
            found = [known for known in self._own() if not ref or self._is_meant(known, ref)]
            token = self._caller.token
            found = [known for known in found if self._former.knows(token, known.host)] or found
            found = [known for known in found if known.of.fresh] or found
            if len(found) > 1:
                names = ", ".join(self._phones.show(known.host, known.name) for known in found)
                raise InvalidParams(
                    f"You have leased several phones: {names}. Say which one to give back."
                )
            if not found:
                of = f" of {brief(ref)}" if ref else ""
                raise ActionFailed(f"You have no lease{of} that the directory shows.")
            host, ref = found[0].host, found[0].serial
        self._former.take(self._caller.token)
        before = self._own_at(host)
        items = await self._ask(host, "give_back_phone", {"device": ref})
        await self._until(lambda: not before or self._own_at(host) != before)
        return " ".join(str(item) for item in items)

    def _is_meant(self, known: KnownPhone, ref: str) -> bool:
        return ref in known.names or ref in (
            self._phones.qualify(known),
            f"{known.host}/{known.name}",
        )

    async def _ask(self, host: str, tool: str, arguments: Mapping[str, Any]) -> Sequence[Item]:
        # Whether the caller may use this tool was judged here, under the name that it used.
        limits = RequestScope(phones=self._limits.phones, on=frozenset((FLEET_TOOLSET,)))
        asked = HostCall(tool_prefix("") + tool, arguments, self._caller, limits)
        items = await self._calls.call(host, asked)
        if not items:
            raise ToolError(f"The host's reply to {tool} is empty.")
        return items


def _uses(row: _Row) -> int:
    return row.known.of.row.uses


def _is_there(rows: Sequence[_Row]) -> bool:
    """Whether at least one phone is available."""
    return any(row.shown.state in ("free", "yours") for row in rows)


def _is_nearly_free(row: _Row) -> bool:
    lease = row.shown.lease
    return row.shown.state == CLAIMING if lease is None else lease.state is State.ENDING


def host_of(handle: str) -> str:
    """The host that granted a lease. Raises LeaseRefused."""
    host = handle.removeprefix(HANDLE_PREFIX).partition("-")[0]
    if not is_member_id(host):
        raise LeaseRefused(
            "No host granted a lease with that handle. Nothing was done. Take a phone again."
        )
    return host


def _read_object(item: Item) -> Mapping[str, Any]:
    [read] = _read_rows(item, many=False)
    return read


def _read_rows(item: Item, *, many: bool = True) -> list[Mapping[str, Any]]:
    """Raises ToolError."""
    try:
        read: Any = json.loads(cast("str", item))
        rows: list[Any] = read if many else [read]
        if all(isinstance(row, dict) for row in rows):
            return rows
    except (ValueError, TypeError, RecursionError):
        pass
    raise _unreadable()


def _text(read: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Raises ToolError."""
    value = read.get(name, default)
    if not isinstance(value, str):
        raise _unreadable()
    return value


def _unreadable() -> ToolError:
    return ToolError("The host's reply cannot be read. lease_status lists your leases.")
