"""`handheld stdio`."""

import argparse
import asyncio
import gc

from ...devices.ownership import OwnershipEntry
from ...phone.leases.shares import REQUESTS
from ...server.sharing.failover import Reached, SharedSurface
from ...settings import Settings
from ...settings.slug import server_name
from ..choosing import choose_phone, is_interactive
from ..reach import chosen_surface, find_surface
from ..shared_arguments import add_surface_argument
from ..terminal import print_note


def add_stdio_arguments(command: argparse.ArgumentParser) -> None:
    add_surface_argument(command, default="agent")


async def stdio(given: argparse.Namespace, settings: Settings) -> int:
    if is_interactive():
        print_note(
            "This speaks MCP with the client that starts it, line by line on stdin and stdout."
            " To use a phone from here: handheld call phone_look"
        )
    chosen = await choose_phone(settings, "stdio")
    if chosen is None:
        return 0
    settings = chosen
    last: OwnershipEntry | None = None

    answered = asyncio.Event()

    async def find() -> Reached:
        nonlocal last
        found = await find_surface(settings, "stdio", answered=answered, after=last)
        last = getattr(found, "entry", last)  # of a RemoteSurface, slow to import
        return found

    surface = SharedSurface(find, answered, surface=chosen_surface(given), most=REQUESTS.of_one)
    try:
        # Before the client is answered: if the phone is not available, we fail immediately.
        await surface.open()
        from ...server.stdio import serve_stdio

        gc.freeze()
        gc.enable()
        await serve_stdio(
            surface, changed=surface.changes(), name=server_name(settings.single_slug)
        )
    finally:
        await surface.aclose()
    return 0
