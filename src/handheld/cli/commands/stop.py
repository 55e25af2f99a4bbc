"""`handheld stop`."""

import argparse

from ...access.takeover import ALL, RESUME, Takeover
from ...devices.ownership import OwnerGone, Owners, OwnershipEntry
from ...errors import ToolError
from ...server.sharing.remote import RemoteSurface
from ...settings import Settings
from ..terminal import print_error, print_line


def add_stop_arguments(command: argparse.ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument(
        "--phone", dest="of_phone", metavar="PHONE", help="only on this phone, by slug or serial"
    )
    which.add_argument("--all", action="store_true", help="on every phone, which is the default")
    command.add_argument("--release", action="store_true", help="resume agents")


async def stop(given: argparse.Namespace, settings: Settings) -> int:
    phone: str = given.of_phone or ""
    entries = Owners(settings.folders.owners).entries()
    takeover = Takeover(settings.folders.held)
    if phone:
        return await _stop_one(entries, takeover, phone, given.release)
    # First for every process, also for one that is just starting.
    kept = _keep(takeover, ALL, given.release)
    failed = False
    for entry in entries:
        if entry.url:
            failed |= await _tell(entry, "", given.release) is None
    if not kept:
        return 1
    if given.release:
        print_line("Agents are resumed.")
    else:
        print_line(f"Agents are held back on every phone. To resume them: {RESUME}")
    return 1 if failed else 0


def _keep(takeover: Takeover, phone: str, release: bool) -> bool:
    """Keep it for every process. False: it could not be kept, which is told."""
    if not release:
        problem = takeover.take((phone,))
        if problem:
            print_error(
                f"{problem} Only servers that run are told: agents of other processes, and of"
                " processes that start later, are not held back. Free some space and stop agents"
                " again."
            )
        return not problem
    try:
        takeover.resume((phone,))
    except ToolError as problem:
        print_error(problem.message)
        return False
    return True


async def _stop_one(
    entries: list[OwnershipEntry], takeover: Takeover, phone: str, release: bool
) -> int:
    """Several processes may have the phone, by the same address or another."""
    answers: list[str | None] = []
    silent = False
    for entry in entries:
        has = await _has(entry, phone)
        answer = await _tell(entry, phone, release) if has and entry.url else ""
        if answer != "":
            answers.append(answer)
        elif has is not False:
            silent = True  # it cannot be told, but looks at what is kept
    for line in dict.fromkeys(filter(None, answers)):
        print_line(line)
    if answers:
        return 1 if None in answers else 0
    if not silent and not (release and phone in takeover.names):
        print_error(
            f"No server of yours has a phone {phone}. `handheld stop` stops agents everywhere."
        )
        return 1
    if not _keep(takeover, phone, release):
        return 1
    if release:
        print_line(f"Agents are resumed on {phone}.")
    else:
        print_line(f"Agents are held back on {phone}. To resume them: {RESUME} --phone {phone}")
    return 0


async def _has(entry: OwnershipEntry, phone: str) -> bool | None:
    """None: it does not tell."""
    if phone in entry.phones:
        return True
    if not entry.url:
        return False if entry.phones else None
    remote = RemoteSurface(entry)
    try:
        known = await remote.phones()
    except (OwnerGone, ToolError):
        return None
    finally:
        await remote.aclose()
    return any(phone in (row.get("serial"), row.get("slug")) for row in known)


async def _tell(entry: OwnershipEntry, phone: str, release: bool) -> str | None:
    """Returns what it says, "" if it does not answer; None if it fails, which is told."""
    remote = RemoteSurface(entry)
    try:
        return await remote.stop(phone, release=release)
    except OwnerGone:
        return ""
    except ToolError as problem:
        print_error(problem.message)
        return None
    finally:
        await remote.aclose()
