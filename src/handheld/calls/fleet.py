"""The phones together, for one caller: which there are, and taking and giving them back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..access.phone_filter import PhonePool
from ..access.takeover import TakenOver, Takeover
from ..errors import ActionFailed, InvalidParams, ToolError, UnknownPhone
from ..phone.leases.fleet import FleetPhone, TakenPhone, WantedPhone
from ..phone.leases.lease import Lease, LeaseRefused, holder
from ..phone.leases.leases import GIVEN_BACK, PATIENCE, Leases
from ..phone.leases.shares import OWNER
from ..screen.characters import plain
from ..screen.text import brief
from ..tools.call import Caller
from .addressing import all_names, is_handle, list_leases

if TYPE_CHECKING:
    from ..phone.phone import Phone

_LONGEST_NAME = 60
ELSEWHERE = "elsewhere"
"""The state of a phone that is not used by this host but by another."""
CLAIMING = "claiming"
"""The state of a phone of a host that is about to claim it."""
_MOST_NAMED = 20
"""Phones in a sentence."""

Label = Callable[["Phone"], Awaitable[str]]
Reset = Callable[["Phone"], Awaitable[object]]
"""Cleans a phone up after a lease. Raises ToolError."""


class FleetRow(Protocol):
    """A phone with all its names."""

    @property
    def names(self) -> frozenset[str]: ...

    @property
    def shown(self) -> FleetPhone: ...


class _Row(NamedTuple):
    phone: "Phone"
    names: frozenset[str]
    shown: FleetPhone


class CallerFleet:
    def __init__(
        self,
        leases: Leases,
        phones: PhonePool,
        caller: Caller,
        label: Label,
        *,
        takeover: Takeover,
        tags: Mapping[str, Sequence[str]],
        reset: Reset | None,
    ) -> None:
        """`phones` are those that the caller may use."""
        self._leases = leases
        self._phones = phones
        self._token = caller.token
        self._who = name_holder(caller)
        self._label = label
        self._takeover = takeover
        self._tags = tags
        self._reset = reset
        self.taken: Lease | None = None
        """What this call took."""

    @property
    def now(self) -> float:
        return self._leases.clock.now()

    async def phones(self) -> Sequence[FleetPhone]:
        return [row.shown for row in await self._rows()]

    async def _rows(self) -> list[_Row]:
        rows: list[_Row] = []
        seen: set[str] = set()
        for phone in await self._phones.present(None):
            with suppress(ToolError):  # one that does not answer can be told from no other
                await phone.identity.read()
                label = await self._label(phone)
                names = all_names(phone) | {label}
                # Connected twice it is still one phone.
                if names.isdisjoint(seen):
                    seen |= names
                    rows.append(_Row(phone, names, await self._show(phone, label, names)))
        return rows

    async def _show(self, phone: "Phone", label: str, names: frozenset[str]) -> FleetPhone:
        hardware = phone.identity.hardware
        lease = self._leases.on(names)
        if lease is not None and phone.identity.single in lease.names:
            lease.names |= names  # it may have another address than when it was taken
        state = "free"
        if lease is not None:
            mine = lease.token == holder(self._token) and lease.open
            state = "yours" if mine else "leased"
        elif phone.claim.elsewhere:
            state = ELSEWHERE
        else:
            if phone.claim.required and not phone.claim.ours:
                state = CLAIMING
            try:
                await self._takeover.check(phone)
            except TakenOver:
                state = "stopped"
        tags = next((tuple(self._tags[name]) for name in sorted(names) if name in self._tags), ())
        return FleetPhone(
            label,
            phone.serial,
            brief(hardware.model, _LONGEST_NAME) if hardware else "",
            hardware.api if hardware else 0,
            tags,
            state,
            lease,
        )

    async def take(self, wanted: WantedPhone, minutes: int) -> TakenPhone:
        told = self._leases.tell(self._token)
        notes = [told] if told else []
        rows = await self._rows()
        fitting = [row for row in rows if fits(row, wanted)]
        if not fitting:
            raise await self._none(wanted, rows)
        own = [row for row in fitting if row.shown.state == "yours"]
        free = [row for row in fitting if row.shown.state == "free"]
        if own and (wanted.name or not free):
            shown = own[0].shown
            assert shown.lease is not None
            if shown.lease.held:
                self._leases.renew(shown.lease)
                notes.append("You have it already: the end of its lease stays as it is.")
                return TakenPhone(shown, shown.lease, notes)
        self._leases.check_room(self._token)
        hindered: dict[str, str] = {}
        for row in sorted(
            free, key=lambda row: (*self._leases.preference(row.names, self._token), row.shown.name)
        ):
            phone, name = row.phone, row.shown.name
            try:
                await phone.link()
                lease = await self._leases.take(
                    self._token,
                    self._who,
                    name,
                    row.names,
                    minutes * 60,
                    self._cleaning(phone, name),
                    lambda phone=phone: phone.unlinked,
                )
            except LeaseRefused:  # another client was quicker
                hindered[name] = phone.unlinked
                continue
            except ToolError as refusal:
                if not phone.unlinked:
                    raise
                hindered[name] = refusal.message
                continue
            self.taken = lease
            # Also here: who used it without a lease before was shown things, too.
            phone.forget_shown()
            if lease.fault:
                notes.append(f"It was not cleaned up before: {lease.fault}.")
            shown = await self._show(phone, name, row.names)
            return TakenPhone(shown, lease, notes)
        raise none_free(await self._rows(), wanted, hindered)

    def _cleaning(self, taken: "Phone", label: str) -> Callable[[], Awaitable[object]]:
        reset = self._reset

        async def clean() -> None:
            taken.forget_shown()  # later connections to it share what was shown
            if reset is None:
                return
            phone = await self._phones.pick(label)  # it may have been connected anew since
            try:
                await self._takeover.check(phone)
            except TakenOver:
                raise ActionFailed("Its owner had taken it over.") from None
            await reset(phone)

        return clean

    async def _none(self, wanted: WantedPhone, rows: Sequence[_Row]) -> ToolError:
        """No phone fits, free or not."""
        if wanted.name and not is_handle(wanted.name):
            with suppress(UnknownPhone):
                await self._phones.slug_of(wanted.name)
                named = brief(wanted.name, _LONGEST_NAME)
                if all(wanted.name not in row.names for row in rows):
                    return ActionFailed(f"{named} is not connected now. Nothing was taken.")
        return none_fits(rows, wanted)

    async def status(self) -> tuple[Sequence[Lease], str]:
        own = self._leases.of(self._token)
        for lease in own:
            self._leases.renew(lease)
        return own, self._leases.tell(self._token)

    async def give_back(self, ref: str) -> str:
        lease = self._own_lease(ref)
        self._leases.end(lease, GIVEN_BACK)
        if await self._leases.wait_over(lease, PATIENCE):
            return f"{lease.phone} is given back."
        return f"{lease.phone} is given back. It is free once what ran on it has ended."

    def _own_lease(self, ref: str) -> Lease:
        if is_handle(ref):
            return self._leases.find(ref, self._token)
        own = self._leases.of(self._token)
        found = [lease for lease in own if not ref or ref == lease.phone or ref in lease.names]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidParams(
                f"You have leased several phones: {list_leases(found)}. Say which one you give"
                " back."
            )
        told = self._leases.tell(self._token)
        of = f" of {brief(ref, _LONGEST_NAME)}" if ref else ""
        raise ActionFailed(f"You have no lease{of}. {told}".strip())


def fits(row: FleetRow, wanted: WantedPhone) -> bool:
    shown = row.shown
    return (
        (not wanted.name or wanted.name in row.names or _is_of(shown.lease, wanted.name))
        and (not wanted.api or wanted.api == shown.api)
        and wanted.model.strip().casefold() in shown.model.casefold()
        and {tag.casefold() for tag in wanted.tags} <= {tag.casefold() for tag in shown.tags}
    )


def _is_of(lease: Lease | None, handle: str) -> bool:
    return lease is not None and lease.handle == handle


def none_fits(rows: Sequence[FleetRow], wanted: WantedPhone) -> ToolError:
    """No phone fits, free or not: waiting does not help."""
    if not rows:
        return ActionFailed("No phone is connected. Nothing was taken.")
    there = "; ".join(_describe(row.shown) for row in rows[:_MOST_NAMED])
    more = f"; and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
    return InvalidParams(
        f"No phone here fits {_describe_wanted(wanted)}. Nothing was taken. There are: "
        f"{there}{more}."
    )


def none_free(
    rows: Sequence[FleetRow],
    wanted: WantedPhone,
    hindered: Mapping[str, str] = MappingProxyType({}),
) -> ToolError:
    """`hindered`: why those could not be taken that seemed free."""
    said = [
        _why_not_free(row.shown, hindered.get(row.shown.name, ""))
        for row in rows
        if fits(row, wanted)
    ][:_MOST_NAMED]
    which = " that fits" if wanted != WantedPhone() else ""
    return ActionFailed(f"No phone{which} is free. Nothing was taken. {' '.join(said)}")


def _why_not_free(phone: FleetPhone, hindered: str) -> str:
    if phone.lease is not None:
        return phone.lease.describe()
    if hindered:
        return f"{phone.name} cannot be leased: {hindered}"
    if phone.state == ELSEWHERE:
        return f"{phone.name} is used by another host."
    if phone.state == CLAIMING:
        return f"{phone.name} cannot be leased: its host has not claimed it yet."
    if phone.state == "stopped":
        return f"{phone.name} is stopped by its owner."
    return f"{phone.name} has just become free."


def _describe(phone: FleetPhone) -> str:
    facts = [phone.model, f"API {phone.api}" if phone.api else "", ", ".join(phone.tags)]
    return f"{phone.name} ({', '.join(filter(None, facts))})"


def _describe_wanted(wanted: WantedPhone) -> str:
    parts = [
        wanted.name and f"the name {brief(wanted.name, _LONGEST_NAME)!r}",
        wanted.model and f"the model {brief(wanted.model, _LONGEST_NAME)!r}",
        wanted.api and f"API {wanted.api}",
        wanted.tags and f"the tags {brief(', '.join(wanted.tags), _LONGEST_NAME)!r}",
    ]
    return ", ".join(str(part) for part in parts if part)


def name_holder(caller: Caller) -> str:
    """How others are told who has a phone. The client chose its name, the owner the token's."""
    token = "the owner's token" if caller.token in ("", OWNER) else f"token {caller.token}"
    client = brief(plain(caller.client), _LONGEST_NAME)
    return f"{client} ({token})" if client else token
