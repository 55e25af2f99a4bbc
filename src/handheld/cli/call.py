"""`handheld tools` and `handheld call`."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ..access.tool_filter import AGENT, ToolFilter
from ..devices.ownership import OwnerError, OwnerGone
from ..errors import ToolError, UnknownTool
from ..settings import Settings
from ..settings.slug import tool_prefix
from ..sharing.failover import SharedSurface
from ..sharing.remote import RemoteSurface
from ..surface.agent_names import PHONE_PREFIX
from ..surface.protocols import Surface
from ..toolkit.call import Caller
from ..toolkit.tool import APP_PREFIX, KEPT_PREFIX, Image, Item, Listing
from .exit_codes import USAGE_ERROR
from .phones import find_owner
from .reach import find_surface, list_with_apps, make_surface, narrow, surface_filter
from .terminal import print_error, print_line, print_note

_CALLER = Caller("cli", "handheld")


async def tools(given: argparse.Namespace, settings: Settings) -> int:
    surface = surface_filter(given)
    listings, slug = await _list_tools(settings, surface, ask_apps=True)
    off: Sequence[Listing] = ()
    if given.all:
        names = {one.name for one in listings}
        everything = await _every_tool(slug, surface, settings.tool_prefix)
        off = [one for one in everything if one.name not in names]
    if given.json:
        rows = [listing.as_json() for listing in listings] + [
            {**listing.as_json(), "off": True} for listing in off
        ]
        print_line(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    if given.tokens:
        from .cost import table

        for line in table(await _instructions(settings, surface), [*listings, *off]):
            print_line(line)
        return 0
    width = max((len(listing.name) for listing in (*listings, *off)), default=0)
    for listing in (*listings, *off):
        mark = "(off) " if listing in off else ""
        print_line(f"{listing.name:<{width}}  {mark}{listing.description.strip().splitlines()[0]}")
    return 0


async def _instructions(settings: Settings, surface: str) -> str:
    return await make_surface(settings, NoPhones()).instructions(ToolFilter(surface=surface))


async def _every_tool(slug: str, surface: str, prefix: str) -> Sequence[Listing]:
    from ..surface.local import LocalSurface, SurfaceOptions

    if surface:
        from ..surface.agent_tools import make_agent_surface

        return await make_agent_surface(NoPhones(), SurfaceOptions(), prefix).tools()
    from ..tools import CATALOG

    return await LocalSurface(CATALOG, NoPhones(), SurfaceOptions(slug=slug)).tools()


async def _list_tools(
    settings: Settings, surface: str, prefix: str | None = None, *, ask_apps: bool = False
) -> tuple[Sequence[Listing], str]:
    """Return the tools that a call would find, and the slug in their names. If no process owns the
    phone yet, app tools are included only with `ask_apps`, which opens the phone."""
    chosen = ToolFilter(surface=surface, prefix=prefix)
    entry = await find_owner(settings)
    if entry is not None:
        if settings.slug and settings.slug != entry.slug and ask_apps:
            source = settings.sources.get("slug", "slug in handheld.toml")
            print_note(f"{source} has no effect: {entry} has the phone and names its tools.")
        tool_filter = narrow(settings, entry)
        remote = RemoteSurface(entry, tool_filter)
        try:
            slug = entry.slug
            if name := tool_filter.phone:
                rows = [row for row in await remote.phones() if name in row.values()]
                slug = str(rows[0].get("slug", "")) if rows else settings.slug_of(name)
            return await remote.tools(chosen), slug
        except OwnerGone:
            pass  # then our own list, which is the same
        finally:
            await remote.aclose()
    if ask_apps and settings.apps.trust != "off" and not settings.read_only:
        try:
            return await list_with_apps(settings, "tools", chosen), settings.single_slug
        except (ToolError, OwnerError) as problem:
            print_note(f"The tools of the phone's apps are not listed: {problem}")
    return await make_surface(settings, NoPhones()).tools(chosen), settings.single_slug


class NoPhones:
    """For listing tools, which needs no phone."""

    async def pick(self, ref: str | None) -> Any:
        raise ToolError("No phone was opened.")

    async def present(self, ref: str | None) -> Sequence[Any]:
        return ()

    async def slug_of(self, ref: str) -> str:
        return ""

    def describe(self) -> str:
        return "No phone is connected."


def _surface_of(tool: str) -> str:
    """The tools for models have names of their own."""
    return AGENT if tool.startswith((PHONE_PREFIX, KEPT_PREFIX)) else ""


async def call(given: argparse.Namespace, settings: Settings) -> int:
    async def find() -> Surface:
        return await find_surface(settings, "call", share=False)

    surface = SharedSurface(find, surface=_surface_of(given.name))
    try:
        return await _call(given, settings, surface)
    finally:
        await surface.aclose()


async def _call(given: argparse.Namespace, settings: Settings, surface: SharedSurface) -> int:
    found, slug = await _list_tools(settings, _surface_of(given.name), PHONE_PREFIX)
    prefix = "" if _surface_of(given.name) else tool_prefix(slug)
    of_app = given.name.removeprefix(prefix).startswith(APP_PREFIX)
    if of_app:
        found = await surface.tools(
            ToolFilter(prefix=PHONE_PREFIX)
        )  # only the phone knows its app tools
    listings = {listing.name: listing for listing in found}
    whole = given.name in listings or (of_app and given.name.startswith(prefix))
    name = given.name if whole else prefix + given.name
    # Only the phone knows why an app tool is not listed.
    if name not in listings and not of_app:
        print_error(_no_tool(given.name, name, [*listings]))
        return USAGE_ERROR
    schema: Mapping[str, Any] = listings[name].input_schema if name in listings else {}
    try:
        arguments = read_arguments(given.arguments, given.json, schema)
    except ValueError as problem:
        print_error(str(problem))
        return USAGE_ERROR

    try:
        await surface.open()
        items = await surface.call(name, arguments, _CALLER, ToolFilter(prefix=PHONE_PREFIX))
    except UnknownTool as problem:
        outdated = f"The process that owns the phone has no tool {problem.name!r}. Restart it."
        print_error(_no_tool(given.name, name, [*listings]) if of_app else outdated)
        return USAGE_ERROR
    except ToolError as problem:
        print_error(problem.message)
        for detail in problem.details:
            print_note(detail)
        return 1
    print_items(items, name, Path(given.save) if given.save else None)
    return 0


def _no_tool(given: str, name: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(given, known, n=3, cutoff=0.4)
    near = near or difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`handheld tools` lists them."
    return f"There is no tool {given!r}. {hint}"


def read_arguments(
    pairs: Sequence[str], text: str | None, schema: Mapping[str, Any]
) -> dict[str, Any]:
    """Convert the arguments given to the types in the tool's schema. Raises ValueError."""
    arguments: dict[str, Any] = {}
    if text is not None:
        try:
            given: Any = json.loads(text)
        except ValueError as problem:
            raise ValueError(f"--json is not JSON: {problem}.") from None
        if not isinstance(given, dict):
            raise ValueError('--json must be an object, such as \'{"x": 540, "y": 1200}\'.')
        arguments.update(cast("dict[str, Any]", given))
    properties: Mapping[str, Any] = schema.get("properties", {})
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ValueError(f"{pair!r} is not an argument: write NAME=VALUE, such as x=540.")
        kind = properties.get(name, {}).get("type")
        arguments[name] = value if kind == "string" else _json_or_text(value)
    return arguments


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def print_items(items: Sequence[Item], name: str, folder: Path | None) -> None:
    for item in items:
        if isinstance(item, str):
            print_line(item)
        elif folder is None:
            size = f"{item.mime_type}, {len(item.data)} bytes"
            print_note(
                f"A picture ({size}) is part of the reply: --save FOLDER writes it to a file."
            )
        else:
            print_note(f"Picture: {save_image(item, name, folder)}")


def save_image(image: Image, name: str, folder: Path) -> Path:
    """Write the picture to a new file. Returns its path."""
    ending = image.mime_type.rpartition("/")[2].replace("jpeg", "jpg")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            file = folder / f"{name}-{number}.{ending}"
            try:
                with file.open("xb") as stream:
                    stream.write(image.data)
                return file
            except FileExistsError:
                number += 1
    except OSError as problem:
        raise ToolError(
            f"The picture cannot be written to {folder}: {problem.strerror}."
        ) from problem
