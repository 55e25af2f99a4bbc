"""How a command gets at the tools: through the owner of the phone, or by becoming it."""

import logging

from ..narrowing import Narrowing
from ..owned import OwnedSurface
from ..owner import Entry, Owners, join
from ..settings import Settings
from ..surface import LocalSurface, Surface

PREFIX = "android_"

log = logging.getLogger("handheld")


def command_line(command: str, settings: Settings) -> str:
    """What others are told when they ask who has the phone."""
    return (
        f"handheld {command} --phone {settings.phone}" if settings.phone else f"handheld {command}"
    )


async def find_surface(settings: Settings, command: str, *, share: bool) -> Surface:
    """The owner's surface, or our own. `share` opens ours to other processes."""
    owners = Owners(settings.folders.owners)
    joined = await join(owners, settings.phone, command_line(command, settings), _has_phone)
    if isinstance(joined, Entry):
        from ..remote import RemoteSurface

        log.debug("Working through %s.", joined)
        narrow = settings.phone if settings.phone != joined.selection else None
        return RemoteSurface(joined, Narrowing(narrow or None))
    try:
        from ..fleet.opening import open_fleet
        from ..tools import CATALOG

        fleet = await open_fleet(settings, log.info if share else log.debug)
    except BaseException:
        joined.release()
        raise
    return OwnedSurface(joined, fleet, LocalSurface(CATALOG, fleet), share=share)


async def _has_phone(entry: Entry, serial: str) -> bool:
    # An HTTP client is a while to import, and the first to come needs none.
    from ..remote import has_phone

    return await has_phone(entry, serial)
