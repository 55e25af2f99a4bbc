"""`handheld tools`."""

import argparse
import json
from collections.abc import Sequence

from ...access.request_scope import RequestScope
from ...clock import SYSTEM_CLOCK
from ...devices.ownership import OwnerError, OwnerGone
from ...errors import ToolError
from ...server.sharing.remote import RemoteSurface
from ...settings import Settings
from ...tools.listing import OPTIONAL_TOOLSETS, Listing
from ..parts import NO_PHONES, Parts
from ..reach import chosen_surface, list_with_apps
from ..shared_arguments import add_surface_argument
from ..terminal import print_line, print_note
from ..through import find_owner, find_slug, narrow


def add_tools_arguments(command: argparse.ArgumentParser) -> None:
    add_surface_argument(command, default="main")
    command.add_argument("--all", action="store_true", help="include tools that are switched off")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the list that clients get")
    shown.add_argument(
        "--tokens",
        action="store_true",
        help="print what tools, toolsets and instructions cost in a model's context (o200k)",
    )


async def tools(given: argparse.Namespace, settings: Settings) -> int:
    surface = chosen_surface(given)
    listings, slug = await list_tools(settings, surface, ask_apps=True)
    off: Sequence[Listing] = ()
    missing: Sequence[Listing] = ()
    if given.all or given.tokens:
        names = {one.name for one in listings}
        everything = await every_tool(slug, surface, settings.tool_prefix)
        missing = [one for one in everything if one.name not in names]
        off = missing if given.all else ()
    if given.json:
        rows = [listing.as_json() for listing in listings] + [
            {**listing.as_json(), "off": True} for listing in off
        ]
        print_line(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    if given.tokens:
        from ..cost import table, toolset_table

        for line in table(await _instructions(settings, surface), [*listings, *off]):
            print_line(line)
        print_line("\nBy toolset:")
        for line in toolset_table(listings, missing):
            print_line(line)
        return 0
    width = max((len(listing.name) for listing in (*listings, *off)), default=0)
    for listing in (*listings, *off):
        mark = "(off) " if listing in off else ""
        print_line(f"{listing.name:<{width}}  {mark}{listing.description.strip().splitlines()[0]}")
    return 0


async def _instructions(settings: Settings, surface: str) -> str:
    return await Parts(settings).surface.instructions(RequestScope(surface=surface))


async def every_tool(slug: str, surface: str, prefix: str) -> Sequence[Listing]:
    """The tools of a surface, also those that are off."""
    from ...calls.local import LocalSurface, SurfaceOptions

    policy = RequestScope(on=OPTIONAL_TOOLSETS)
    if surface:
        from ...calls.agent_tools import make_agent_surface
        from ...phone.leases.leases import Leases

        options = SurfaceOptions(policy=policy, leases=Leases(SYSTEM_CLOCK))
        return await make_agent_surface(NO_PHONES, options, prefix).tools()
    from ...tools.main import EVERY_TOOLSET

    options = SurfaceOptions(slug=slug, policy=policy)
    return await LocalSurface(EVERY_TOOLSET, NO_PHONES, options).tools()


async def list_tools(
    settings: Settings, surface: str, prefix: str | None = None, *, ask_apps: bool = False
) -> tuple[Sequence[Listing], str]:
    """Return the tools that a call would find, and the slug in their names. If no process owns the
    phone yet, app tools are included only with `ask_apps`, which opens the phone."""
    chosen = RequestScope(surface=surface, prefix=prefix)
    entry = await find_owner(settings)
    if entry is not None:
        if settings.slug and settings.slug != entry.slug and ask_apps:
            source = settings.sources.get("slug", "slug in handheld.toml")
            print_note(f"{source} has no effect: {entry} has the phone and names its tools.")
        remote = RemoteSurface(entry, narrow(settings, entry))
        try:
            return await remote.tools(chosen), await find_slug(settings, remote)
        except OwnerGone:
            pass  # then our own list, which is the same
        finally:
            await remote.aclose()
    if ask_apps and settings.apps.trust != "off" and not settings.read_only:
        try:
            return await list_with_apps(settings, "tools", chosen), settings.single_slug
        except (ToolError, OwnerError) as problem:
            print_note(f"The tools of the phone's apps are not listed: {problem}")
    return await Parts(settings).surface.tools(chosen), settings.single_slug
