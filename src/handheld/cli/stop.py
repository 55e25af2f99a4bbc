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
    kept = _keep(takeover, ALL, given.release)
    failed = False
    for entry in entries:
        failed |= await _tell(entry, "", given.release) is None
    if not kept:
        return 1
    if given.release:
        print_line("Agents may go on.")
    else:
        print_line(f"Agents are held back on every phone. To let them go on: {LET_GO}")
    return 1 if failed else 0


def _keep(takeover: Takeover, phone: str, release: bool) -> bool:
    """Keep it for every process. False: it could not be kept, which is told."""
    if not release:
        problem = takeover.take((phone,))
        if problem:
            print_error(
                f"{problem} Only servers that run are told: agents of other processes, and of those"
                " that start later, are not held back. Free some space and stop agents again."
            )
        return not problem
    try:
        takeover.let_go((phone,))
    except ToolError as problem:
        print_error(problem.message)
        return False
    return True


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
            said = await _tell(entry, phone, release)
            if said is not None:
                print_line(said)
            return 1 if said is None else 0
    if release and phone in takeover.names:
        if not _keep(takeover, phone, release):
            return 1
        print_line(f"Agents may go on with {phone}.")
        return 0
    print_error(f"No server of yours has a phone {phone}. `handheld stop` stops agents everywhere.")
    return 1


async def _tell(entry: OwnershipEntry, phone: str, release: bool) -> str | None:
    """Returns what it says; None if it fails, which is told. An owner that is gone has no calls to
    stop."""
    remote = RemoteSurface(entry)
    try:
        return await remote.stop(phone, release=release)
    except OwnerGone:
        return f"{entry} has just exited."
    except ToolError as problem:
        print_error(problem.message)
        return None
    finally:
        await remote.aclose()
