"""The phones of the directory, as requests address them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..access.phone_filter import not_allowed, unknown_within
from ..access.tool_filter import EVERYTHING, ToolFilter
from ..changes import Changes
from ..devices import unknown
from ..engine.directory import UNPLUGGED, Directory
from ..engine.directory import FleetPhone as DirectoryPhone
from ..errors import ActionFailed, InvalidParams, UnknownPhone, Unreachable
from ..phone.lease import holder
from ..ui.text import brief

if TYPE_CHECKING:
    from ..phone import Phone

_MOST_NAMED = 20


class KnownPhone(NamedTuple):
    """A phone that a host has, or had when it was last heard of."""

    host: str
    serial: str
    name: str
    """Slug or serial."""
    of: DirectoryPhone

    def __str__(self) -> str:
        """As a host names its phones."""
        name, *further = [
            part for part in (self.of.row.slug, self.serial, self.of.row.model) if part
        ]
        return brief(f"{name} ({', '.join(further)})" if further else name)

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name, self.serial))

    @property
    def fresh(self) -> bool:
        """Whether it is there: its host was heard of lately, and has it."""
        return self.of.fresh and self.of.row.state != UNPLUGGED

    def is_leased_to(self, token: str) -> bool:
        lease = self.of.row.lease
        return lease is not None and lease.token == holder(token)


class KnownPhones:
    """Is the pool of a gateway's surface, too, for its list of tools and its instructions. Phones
    that the filter does not allow are not there."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self.changes = Changes()
        directory.changed = self.changes.tell

    @property
    def complete(self) -> bool:
        """Whether the directory was read."""
        return self._directory.complete.is_set()

    def all(self, tool_filter: ToolFilter = EVERYTHING) -> list[KnownPhone]:
        """Raises ActionFailed while the directory was not read."""
        return self._allowed(self._directory.phones(), tool_filter)

    def leased_to(self, token: str, tool_filter: ToolFilter = EVERYTHING) -> list[KnownPhone]:
        """Raises ActionFailed."""
        return self._allowed(self._directory.leased_to(holder(token)), tool_filter)

    def named(self, ref: str, tool_filter: ToolFilter = EVERYTHING) -> list[KnownPhone]:
        """Those with that slug or serial. Raises ActionFailed."""
        return self._allowed(self._directory.named(ref), tool_filter)

    def _allowed(
        self, phones: Iterable[DirectoryPhone], tool_filter: ToolFilter
    ) -> list[KnownPhone]:
        if not self.complete:
            raise Unreachable(
                "The engine cannot be reached, so that no phone is known. Nothing was done. Try"
                " again later."
            )
        allowed = tool_filter.phones
        return [
            known
            for each in phones
            for known in (KnownPhone(each.host, each.row.serial, each.name, each),)
            if allowed is None or not known.names.isdisjoint(allowed)
        ]

    def find(
        self, ref: str, tool_filter: ToolFilter = EVERYTHING, token: str | None = None
    ) -> KnownPhone:
        """The phone with that slug or serial; of several the one that the token has leased. Raises
        UnknownPhone, InvalidParams, ActionFailed."""
        found = self.named(ref)
        if (allowed := tool_filter.phones) is not None:
            if ref not in allowed and all(each.names.isdisjoint(allowed) for each in found):
                raise not_allowed(ref, allowed)
            found = [each for each in found if not each.names.isdisjoint(allowed)]
        found = [each for each in found if each.fresh] or found
        if len(found) > 1 and token is not None:
            # A host that was cut off still has a phone for a moment that another one leased out.
            found = [each for each in found if each.is_leased_to(token)] or found
        if not found and allowed is not None:
            raise unknown_within(ref, allowed)
        if not found:
            raise UnknownPhone(unknown(ref, describe(self.all())))
        if len(found) > 1:
            hosts = ", ".join(self._directory.name(each.host) for each in found)
            raise InvalidParams(
                f"Several hosts have a phone called {brief(ref)}: {hosts}. Nothing was done. Name"
                " it by its serial; if that is the same, too, give the phones slugs at their hosts,"
                " or disconnect it from all but one."
            )
        return found[0]

    # As a pool

    async def slug_of(self, ref: str) -> str:
        return self.find(ref).of.row.slug

    def describe(self) -> str:
        try:
            return describe(self.all())
        except ActionFailed as away:
            return away.message

    async def pick(self, ref: str | None) -> "Phone":
        raise ActionFailed("The phones of a gateway are used at their hosts. Nothing was done.")

    async def present(self, ref: str | None) -> "Sequence[Phone]":
        return ()


def describe(phones: Sequence[KnownPhone]) -> str:
    """A sentence on the phones that can be used now."""
    present = [each for each in phones if each.fresh]
    if not present:
        return "No phone is connected."
    return f"Connected: {listed(present)}."


def listed(phones: Sequence[KnownPhone]) -> str:
    named = ", ".join(map(str, phones[:_MOST_NAMED]))
    more = len(phones) - _MOST_NAMED
    return f"{named} and {more} more (list_phones lists all)" if more > 0 else named
