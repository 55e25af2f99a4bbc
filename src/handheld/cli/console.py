"""`handheld console`."""

import argparse
import asyncio
import webbrowser

from ..devices.ownership import OwnerGone, Owners
from ..settings import Settings
from ..sharing.remote import RemoteSurface
from .terminal import print_error, print_line, print_note
from .through import find_owner


async def console(given: argparse.Namespace, settings: Settings) -> int:
    if given.gateway:
        gateways = [each for each in Owners(settings.folders.gateways).entries() if each.url]
        if not gateways:
            print_error("No gateway of yours with a console runs here. Start one: handheld gateway")
            return 1
        entry = gateways[-1]
    elif (entry := await find_owner(settings)) is None:
        print_error("No server of yours is running. Start one: handheld serve, or handheld demo")
        return 1
    if not entry.console:
        print_error(f"{entry} serves no console: `handheld serve` without --no-console does.")
        return 1
    remote = RemoteSurface(entry)
    try:
        link = await remote.console_link()
    except OwnerGone as gone:
        print_error(f"{gone.entry} has just exited. Try again.")
        return 1
    finally:
        await remote.aclose()
    print_line(link)
    print_note("The link works once, within 10 minutes.")
    if given.open and not await asyncio.to_thread(webbrowser.open, link):
        print_error("No browser could be opened; open the link yourself.")
        return 1
    return 0
