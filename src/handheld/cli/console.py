"""`handheld console`."""

import argparse
import asyncio
import webbrowser

from ..devices.ownership import OwnerGone
from ..settings import Settings
from ..sharing.remote import RemoteSurface
from .phones import find_owner
from .terminal import complain, note, say


async def console(given: argparse.Namespace, settings: Settings) -> int:
    entry = await find_owner(settings)
    if entry is None:
        complain("No server of this user runs. Start one: handheld serve, or handheld demo")
        return 1
    if not entry.console:
        complain(f"{entry} serves no console: `handheld serve` without --no-console does.")
        return 1
    remote = RemoteSurface(entry)
    try:
        link = await remote.console_link()
    except OwnerGone as gone:
        complain(f"{gone.entry} ended just now. Try again.")
        return 1
    finally:
        await remote.aclose()
    say(link)
    note("It opens one console, once, within 10 minutes.")
    if given.open and not await asyncio.to_thread(webbrowser.open, link):
        complain("No browser could be opened; open the link by hand.")
        return 1
    return 0
