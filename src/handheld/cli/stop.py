"""`handheld stop`."""

import argparse

from ..access.takeover import ALL, LET_GO, Takeover
from ..devices.ownership import OwnerGone, Owners, OwnershipEntry
from ..errors import ToolError
from ..settings import Settings
from ..sharing.remote import RemoteSurface
from .terminal import print_error, print_line


async def stop(given: argparse.Namespace, settings: Settings) -> int:
    phone: str = given.of_phone or ""
    entries = [entry for entry in Owners(settings.folders.owners).entries() if entry.url]
    takeover = Takeover(settings.folders.held)
    if phone:
        return await _stop_one(entries, takeover, phone, given.release)
    # First for every process, also for one that is just starting.
    if given.release:
        takeover.let_go((ALL,))
    else:
        takeover.take((ALL,))
    failed = False
    for entry in entries:
        try:
            await _tell(entry, "", given.release)
        except ToolError as problem:
            print_error(problem.message)
            failed = True
    if given.release:
        print_line("Agents may go on.")
    else:
        print_line(f"Agents are held back on every phone. To let them go on: {LET_GO}")
    return 1 if failed else 0


async def _stop_one(
    entries: list[OwnershipEntry], takeover: Takeover, phone: str, release: bool
) -> int:
    for entry in entries:
        remote = RemoteSurface(entry)
        try:
            known = [(row.get("serial"), row.get("slug")) for row in await remote.phones()]
        except OwnerGone:
            continue
        finally:
            await remote.aclose()
        if phone in entry.phones or any(phone in names for names in known):
            print_line(await _tell(entry, phone, release))
            return 0
    if release and phone in takeover.names:
        takeover.let_go((phone,))
        print_line(f"Agents may go on with {phone}.")
        return 0
    print_error(f"No server of yours has a phone {phone}. `handheld stop` stops agents everywhere.")
    return 1


async def _tell(entry: OwnershipEntry, phone: str, release: bool) -> str:
    """An owner that is gone has no calls to stop. Raises ToolError."""
    remote = RemoteSurface(entry)
    try:
        return await remote.stop(phone, release=release)
    except OwnerGone:
        return f"{entry} has just exited."
    finally:
        await remote.aclose()
