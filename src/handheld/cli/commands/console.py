"""`handheld console`."""

import argparse
import asyncio
import webbrowser

from ...devices.ownership import OwnerGone, Owners, OwnershipEntry, choose, listening
from ...server.sharing.remote import RemoteSurface, has_phone
from ...settings import Settings
from ..terminal import print_error, print_line, print_note


def add_console_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--open", action="store_true", help="open the link in the browser")
    command.add_argument(
        "--gateway",
        action="store_true",
        help="the console of the gateway that runs here, with the phones of all hosts",
    )


async def console(given: argparse.Namespace, settings: Settings) -> int:
    entries = await _find(given, settings)
    if not entries:
        start = "handheld gateway" if given.gateway else "handheld serve, or handheld demo"
        what = (
            "gateway of yours with a console runs here"
            if given.gateway
            else "server of yours is running"
        )
        print_error(f"No {what}. Start one: {start}")
        return 1
    for entry in entries:
        if not entry.console:
            print_error(f"{entry} serves no console: it was started with --no-console.")
    entries = [entry for entry in entries if entry.console]
    links: list[str] = []
    for entry in entries:
        try:
            links.append(await _make_link(entry))
        except OwnerGone as gone:
            print_error(f"{gone.entry} has just exited. Try again.")
            return 1
        # Which link is whose, where there are several.
        print_line(f"{links[-1]}  {entry.command}" if len(entries) > 1 else links[-1])
    if not links:
        return 1
    print_note(f"{'Each' if len(links) > 1 else 'The'} link works once, within 10 minutes.")
    if not given.open:
        return 0
    if len(links) > 1:
        print_error("Several processes have phones: choose one with --phone to open its console.")
        return 1
    if not await asyncio.to_thread(webbrowser.open, links[0]):
        print_error("No browser could be opened; open the link yourself.")
        return 1
    return 0


async def _find(given: argparse.Namespace, settings: Settings) -> list[OwnershipEntry]:
    """Whose consoles are meant. Raises OwnerError."""
    if given.gateway:
        gateways = Owners(settings.folders.gateways).entries()
        return [each for each in gateways if each.url][-1:]
    entries = await listening(Owners(settings.folders.owners))
    if not settings.phones:
        return entries
    entry = await choose(entries, settings.phones, has_phone)
    return [entry] if entry is not None else []


async def _make_link(entry: OwnershipEntry) -> str:
    remote = RemoteSurface(entry)
    try:
        return await remote.console_link()
    finally:
        await remote.aclose()
