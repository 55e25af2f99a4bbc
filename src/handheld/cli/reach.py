"""How a command reaches the tools: through the process that owns the phone, or as its owner."""

import argparse
import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..access.request_scope import AGENT, RequestScope
from ..clock import SYSTEM_CLOCK, Clock
from ..devices.ownership import OwnerError, OwnerGone, Owners, OwnershipEntry, join
from ..server.sharing.inheritance import inherit
from ..server.sharing.remote import has_phone
from ..settings import Settings
from ..tools.listing import Listing
from .parts import Parts, open_parts
from .scene import check_scene
from .through import check_policy, reach, refuse_ignored

if TYPE_CHECKING:
    # A command that goes through another process needs none of these.
    from ..server.sharing.remote import RemoteSurface
    from .owning import Owned

log = logging.getLogger("handheld")


def chosen_surface(given: argparse.Namespace) -> str:
    """The surface that a command line chooses, as a request's scope names it."""
    return AGENT if given.tool_surface == AGENT else ""


def command_line(command: str, settings: Settings) -> str:
    """How this process is named to others that want the phone."""
    return " ".join(["handheld", command, *(f"--phone {name}" for name in settings.phones)])


async def find_surface(
    settings: Settings,
    command: str,
    *,
    answered: asyncio.Event | None = None,
    after: OwnershipEntry | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> "Owned | RemoteSurface":
    """Return the owner's surface, or what we own. Ours is open to other processes once a client is
    `answered`; None: it is not. `after` is the owner that we went through before and that is gone.
    """
    given = settings
    if after is not None:
        settings = inherit(settings, after)
    check_policy(settings)
    check_scene(settings)
    owners = Owners(settings.folders.owners, clock)
    joined = await join(
        owners,
        settings.phones,
        command_line(command, settings),
        has_phone,
        slug=settings.single_slug,
    )
    if isinstance(joined, OwnershipEntry):
        refuse_ignored(given, joined)
        return reach(settings, joined)
    parts: Parts | None = None
    try:
        notify = log.debug if answered is None else log.info
        parts = await open_parts(settings, command_line(command, settings), notify, clock)
        from .owning import Owned

        return Owned(joined, parts, answered)
    except BaseException:
        if parts is not None:
            await parts.aclose()
        joined.release()
        raise


async def list_with_apps(
    settings: Settings, command: str, scope: RequestScope
) -> Sequence[Listing]:
    """Return all tools, with those of the phones' apps. Raises ToolError or OwnerError if no phone
    could be asked."""
    found = await find_surface(settings, command)
    try:
        await found.demand_phone()
        return await found.surface.tools(scope)
    except OwnerGone as gone:
        raise OwnerError(f"{gone.entry} has just exited. Try again.") from gone
    finally:
        await found.aclose()
