"""The phones of the directory, as requests name them."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import __version__
from ..access.phone_filter import not_allowed, unknown_within
from ..access.request_scope import EVERYTHING, RequestScope
from ..changes import Changes
from ..devices import unknown
from ..errors import ActionFailed, InvalidParams, UnknownPhone, Unreachable
from ..phone.leases.lease import holder
from ..screen.characters import plain
from ..screen.text import brief
from .nats.directory import UNPLUGGED, Directory
from .nats.directory import DirectoryPhone as DirectoryPhone
from .nats.names import RULES

if TYPE_CHECKING:
    from ..phone.phone import Phone

_MOST_NAMED = 20
_MOST_SEEN = 10_000


class KnownPhone(NamedTuple):
    """A phone that a host has, or had when it was last heard."""

    host: str
    serial: str
    name: str
    """Slug or serial."""
    of: DirectoryPhone

    def __str__(self) -> str:
        """In the form in which a host names its phones."""
        name, *further = [
            part for part in (self.of.row.slug, self.serial, self.of.row.model) if part
        ]
        return brief(f"{name} ({', '.join(further)})" if further else name)

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name, self.serial))

    @property
    def fresh(self) -> bool:
        """Whether it is available: its host was heard recently and has it."""
        return self.of.fresh and self.of.row.state != UNPLUGGED

    def is_leased_to(self, token: str) -> bool:
        lease = self.of.row.lease
        return lease is not None and lease.token == holder(token)


class KnownPhones:
    """Also the phone pool of a gateway's surface, for its list of tools and its instructions. It
    leaves out phones that the scope does not allow."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self.changes = Changes()
        directory.changed = self.changes.tell
        self._seen: OrderedDict[tuple[str, str], str] = OrderedDict()
        """The host of a name as a token was told, or where it has leased the phone; by token and
        name."""

    @property
    def complete(self) -> bool:
        """Whether the directory has been read."""
        return self._directory.complete.is_set()

    def all(self, scope: RequestScope = EVERYTHING) -> list[KnownPhone]:
        """Raises ActionFailed until the directory has been read."""
        return self._allowed(self._directory.phones(), scope)

    def leased_to(self, token: str, scope: RequestScope = EVERYTHING) -> list[KnownPhone]:
        """Raises ActionFailed."""
        return self._allowed(self._directory.leased_to(holder(token)), scope)

    def named(self, ref: str, scope: RequestScope = EVERYTHING) -> list[KnownPhone]:
        """The phones with that slug or serial. Raises ActionFailed."""
        return self._allowed(self._directory.named(ref), scope)

    def _allowed(self, phones: Iterable[DirectoryPhone], scope: RequestScope) -> list[KnownPhone]:
        if not self.complete:
            raise Unreachable(
                "The engine cannot be reached, so no phone is known. Nothing was done. Try"
                " again later."
            )
        allowed = scope.phones
        return [
            known
            for each in phones
            for known in (KnownPhone(each.host, each.row.serial, each.name, each),)
            if allowed is None or not known.names.isdisjoint(allowed)
        ]

    def find(
        self,
        ref: str,
        scope: RequestScope = EVERYTHING,
        token: str | None = None,
        *,
        quiet: bool = False,
    ) -> KnownPhone:
        """The phone with that slug or serial, or with `host/` before one of these. A name belongs
        to the host that had it first, or where the token has leased it. If another host has the
        name now, the token is told once before that phone is used, unless `quiet`. Raises
        UnknownPhone, InvalidParams, ActionFailed."""
        found = self.named(ref) or self._at_host(ref)
        if (allowed := scope.phones) is not None:
            if ref not in allowed and all(each.names.isdisjoint(allowed) for each in found):
                raise not_allowed(ref, allowed)
            found = [each for each in found if not each.names.isdisjoint(allowed)]
        if not found and allowed is not None:
            raise unknown_within(ref, allowed)
        if not found:
            raise UnknownPhone(unknown(ref, self.describe()))
        fresh = [each for each in found if each.fresh]
        owner = self._seen.get((token or "", ref)) or self._directory.owner(ref)
        if own := [each for each in fresh or found if each.host == owner]:
            return own[0]
        found = fresh or found
        if len(found) > 1:
            names = ", ".join(map(self.qualify, found))
            raise InvalidParams(
                f"Several hosts have a phone called {brief(ref)}: {names}. Nothing was done. Use"
                " one of these names, or the handle of its lease."
            )
        [other] = found
        if owner and not quiet and token is not None and "/" not in ref:
            self.note(token, other, ref)
            before, now = self._directory.name(owner), self._directory.name(other.host)
            raise ActionFailed(
                f"{brief(ref)} was at the host {before}, which does not have it now. The host {now}"
                " has a phone of that name. Nothing was done. If you mean that one, call again, or"
                f" name it {self.qualify(other)}."
            )
        return other

    def note(self, token: str, phone: KnownPhone, *names: str) -> None:
        """Note that the token refers to this phone by these names; without any, by its own."""
        for name in names or (phone.name, phone.serial):
            self._seen[(token, name)] = phone.host
            self._seen.move_to_end((token, name))
        while len(self._seen) > _MOST_SEEN:
            self._seen.popitem(last=False)

    def _at_host(self, ref: str) -> list[KnownPhone]:
        """The phones for `host/name`, where `host` is a host's name or id."""
        host, _, name = ref.partition("/")
        return [
            each
            for each in self.named(name)
            if host in (each.host, self._directory.name(each.host))
        ]

    def qualify(self, phone: KnownPhone) -> str:
        return f"{self._directory.name(phone.host)}/{phone.name}"

    def show(self, host: str, name: str) -> str:
        """A name for a host's phone that leads to that host here."""
        others = {each.host for each in self._directory.named(name)} - {host}
        if not others or self._directory.owner(name) == host:
            return name
        return f"{self._directory.name(host)}/{name}"

    def at(self, host: str, serial: str) -> KnownPhone | None:
        """Raises ActionFailed."""
        return next((each for each in self.named(serial) if each.host == host), None)

    @property
    def outdated(self) -> str:
        """Describe the hosts whose rows have the form of an earlier version, which is not read."""
        old = [
            f"{self._directory.name(host)} ({plain(row.version)})"
            for host, row, fresh in self._directory.hosts()
            if fresh and row.rules < RULES
        ]
        if not old:
            return ""
        return (
            f"These hosts have a Handheld that is too old for this fleet: {', '.join(old)}."
            f" Upgrade it there to {__version__} to use their phones."
        )

    # As a pool

    async def slug_of(self, ref: str) -> str:
        return self.find(ref).of.row.slug

    def describe(self) -> str:
        try:
            return f"{describe(self.all())} {self.outdated}".rstrip()
        except ActionFailed as away:
            return away.message

    async def pick(self, ref: str | None) -> "Phone":
        raise ActionFailed("Phones of a gateway are used at their hosts. Nothing was done.")

    async def present(self, ref: str | None) -> "Sequence[Phone]":
        return ()


def describe(phones: Sequence[KnownPhone]) -> str:
    """Describe the usable phones in a sentence."""
    present = [each for each in phones if each.fresh]
    if not present:
        return "No phone is connected."
    return f"Connected: {listed(present)}."


def listed(phones: Sequence[KnownPhone]) -> str:
    named = ", ".join(map(str, phones[:_MOST_NAMED]))
    more = len(phones) - _MOST_NAMED
    return f"{named} and {more} more (list_phones lists all)" if more > 0 else named
