"""`handheld call`: through the process that has the phone, without an event loop, or here."""

import argparse
import signal
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from ...access.request_scope import RequestScope
from ...devices.ownership import OwnerGone, OwnershipEntry
from ...server.sharing.blocking_client import finish
from ...server.sharing.remote import RemoteSurface, explain_loss
from ...settings import Settings
from ...tools.listing import PHONE_PREFIX
from ..calling import call_tool, is_of_app, surface_of
from ..scene import check_scene
from ..through import check_policy, find_owner, find_slug, reach, refuse_ignored

if TYPE_CHECKING:
    from ...server.sharing.failover import Reached
    from ..asking import PersonAnswer
    from ..owning import Owned


def add_call_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "name", metavar="TOOL", help="such as android_tap, tap for short, or phone_look"
    )
    # Without an explicit default argparse reports the arguments as required.
    command.add_argument(
        "arguments", nargs="*", default=[], metavar="NAME=VALUE", help="the tool's arguments"
    )
    command.add_argument("--json", metavar="OBJECT", help="the arguments as a JSON object")
    command.add_argument(
        "--save", metavar="FOLDER", help="write pictures in the reply to this folder"
    )


def call(given: argparse.Namespace, settings: Settings) -> int | Coroutine[Any, Any, int]:
    """SIGINT and SIGTERM break off a call of another process, which closes its connection: the
    owner stops the tool. Raises SettingsError, OwnerError, ToolError."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = finish(_call_through_owner(given, settings))
    finally:
        signal.signal(signal.SIGTERM, before)
    return _call_here(given, settings) if code is None else code


async def _call_through_owner(given: argparse.Namespace, settings: Settings) -> int | None:
    """The exit code; None if no process has the phone."""
    entry = await find_owner(settings, blocking=True)
    if entry is None:
        return None
    refuse_ignored(settings, entry)
    check_policy(settings)
    check_scene(settings)
    remote = reach(settings, entry, blocking=True)
    try:
        try:
            chosen = RequestScope(surface=surface_of(given.name), prefix=PHONE_PREFIX)
            found, slug = await remote.tools(chosen), await find_slug(settings, remote)
        except OwnerGone:
            return None
        try:
            reply = partial(reply_to, entry)
            return await call_tool(given, remote, found, slug, reply, lasting=True)
        except OwnerGone as gone:
            if (failure := explain_loss(gone)) is not None:
                raise failure from gone
            return None
    finally:
        await remote.aclose()


def reply_to(entry: OwnershipEntry, id: int, answer: "PersonAnswer") -> str:
    """Answer a question of the process that has the phone, over a connection of its own: the
    call's is in use."""
    from ...server.sharing.console_client import ConsoleClient
    from ..asking import send_answer

    client = ConsoleClient(entry, blocking=True)
    try:
        return finish(send_answer(client, id, answer))
    finally:
        finish(client.aclose())


async def _call_here(given: argparse.Namespace, settings: Settings) -> int:
    """Call a tool on a phone of this process, or of one that has the phone by then."""
    import asyncio

    from ...server.sharing.failover import SharedSurface
    from ..reach import find_surface
    from .tools import list_tools

    loop = asyncio.get_running_loop()
    owner: Owned | RemoteSurface | None = None

    async def find() -> "Reached":
        nonlocal owner
        owner = await find_surface(settings, "call")
        return owner

    def reply(id: int, answer: "PersonAnswer") -> str:
        if isinstance(owner, RemoteSurface):
            return reply_to(owner.entry, id, answer)
        if owner is not None and (gate := owner.parts.gate) is not None:
            loop.call_soon_threadsafe(gate.answer, id, answer.allow, "terminal")
        return ""

    chosen = surface_of(given.name)
    surface = SharedSurface(find, surface=chosen)
    try:
        found, slug = await list_tools(settings, chosen, PHONE_PREFIX)
        if is_of_app(given.name, slug):
            # Only the phone knows its app tools.
            found = await surface.tools(RequestScope(prefix=PHONE_PREFIX))
        return await call_tool(given, surface, found, slug, reply, lasting=False)
    finally:
        await surface.aclose()
