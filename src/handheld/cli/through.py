"""Going through the process that has the phone; and a call that does so, without an event loop."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..access.policy import make_policy
from ..access.request_scope import RequestScope
from ..devices.ownership import Owners, OwnershipEntry, choose
from ..server.sharing.inheritance import find_ignored
from ..server.sharing.remote import RemoteSurface, has_phone
from ..settings import Settings, SettingsError
from ..settings.groups import PolicySettings

if TYPE_CHECKING:
    from ..tools.tool import Toolset

log = logging.getLogger("handheld")


async def find_owner(settings: Settings, *, blocking: bool = False) -> OwnershipEntry | None:
    """Return the owner to go through, if there is one with an open listener."""

    async def serves(entry: OwnershipEntry, name: str) -> bool:
        return await has_phone(entry, name, blocking=blocking)

    entry = await choose(Owners(settings.folders.owners).entries(), settings.phones, serves)
    return entry if entry is not None and entry.url else None


def reach(settings: Settings, entry: OwnershipEntry, *, blocking: bool = False) -> RemoteSurface:
    """Return the surface of the owner, for calls. Raises SettingsError."""
    log.debug("Going through %s.", entry)
    if source := settings.sources.get("scene"):
        log.warning("%s has no effect: %s has the virtual phone already.", source, entry)
    return RemoteSurface(entry, narrow(settings, entry), blocking=blocking)


def narrow(settings: Settings, entry: OwnershipEntry) -> RequestScope:
    """What this process may use of the owner's tools and phones. Raises SettingsError."""
    other = len(settings.phones) == 1 and settings.phones != entry.phones
    policy = replace(make_policy(settings, _named_tools(settings)), prefix=settings.tool_prefix)
    return replace(policy, phone=settings.phones[0]) if other else policy


def check_policy(settings: Settings) -> None:
    """Raise SettingsError before anything is opened."""
    if settings.policy != PolicySettings():  # the rules that Handheld comes with need no check
        from ..access.policy import make_gate
        from ..tools.main import EVERY_TOOLSET

        make_gate(settings, EVERY_TOOLSET)
    make_policy(settings, _named_tools(settings))


def refuse_ignored(settings: Settings, entry: OwnershipEntry) -> None:
    """Raise SettingsError for a flag or a variable that would have no effect, because the process
    that has the phone decides: what is to be denied there must not seem to be."""
    if source := find_ignored(settings, entry):
        raise SettingsError(
            f"{source} has no effect: {entry} has the phone, and its settings hold. Leave it out,"
            " or start that process with it."
        )


def _named_tools(settings: Settings) -> "Sequence[Toolset]":
    """The tools by which those that are switched off are checked; none where none is, since
    importing them takes longer than a short command."""
    if not (settings.tools.off or settings.toolsets.off or settings.toolsets.on):
        return ()
    from ..tools.main import EVERY_TOOLSET

    return EVERY_TOOLSET


async def find_slug(settings: Settings, remote: RemoteSurface) -> str:
    """Return the slug in the names of the owner's tools."""
    if name := remote.policy.phone:
        rows = [row for row in await remote.phones() if name in row.values()]
        return str(rows[0].get("slug", "")) if rows else settings.slug_of(name)
    return remote.entry.slug
