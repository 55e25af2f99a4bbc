"""Calling one tool for a command line: which one is meant, its arguments, and its reply."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..access.request_scope import AGENT, RequestScope
from ..errors import ToolError, UnknownTool
from ..settings.slug import tool_prefix
from ..tools.call import Caller
from ..tools.listing import (
    APP_PREFIX,
    OPTIONAL_TOOLSETS,
    PHONE_PREFIX,
    STEPS_PREFIX,
    Image,
    Item,
    Listing,
)
from .exit_codes import USAGE_ERROR
from .terminal import print_error, print_line, print_note, shown_progress

if TYPE_CHECKING:
    import argparse

    from ..calls.protocols import Surface
    from ..tools.tool import Toolset
    from .attending import Reply

_CALLER = Caller("cli", "handheld")


def surface_of(tool: str) -> str:
    """The tools for models have their own names."""
    return AGENT if tool.startswith((PHONE_PREFIX, STEPS_PREFIX)) else ""


def is_of_app(tool: str, slug: str) -> bool:
    return tool.removeprefix(_prefix(tool, slug)).startswith(APP_PREFIX)


def _prefix(tool: str, slug: str) -> str:
    return "" if surface_of(tool) else tool_prefix(slug)


async def call_tool(
    given: "argparse.Namespace",
    surface: "Surface",
    found: Sequence[Listing],
    slug: str,
    reply: "Reply",
    *,
    lasting: bool,
) -> int:
    """`found` are the tools, in whose names is `slug`. `reply` answers a question about the call,
    `lasting` also for all later ones. Returns the exit code."""
    prefix, of_app = _prefix(given.name, slug), is_of_app(given.name, slug)
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
    from .attending import at_terminal  # servers do not need it

    try:
        chosen = RequestScope(surface=surface_of(name), prefix=PHONE_PREFIX)
        with shown_progress(), at_terminal(reply, lasting=lasting):
            items = await surface.call(name, arguments, _CALLER, chosen)
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

    from ..tools.main import EVERY_TOOLSET

    own = next((each for each in EVERY_TOOLSET if _has(each, name)), None)
    # A toolset of which something is listed is on: then this tool alone is off.
    if own and own.name in OPTIONAL_TOOLSETS and not any(_has(own, each) for each in known):
        return (
            f"There is no tool {given!r}. It is in the toolset {own.name}, which"
            f" --toolsets-on {own.name} switches on."
        )
    near = difflib.get_close_matches(given, known, n=3, cutoff=0.4)
    near = near or difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`handheld tools` lists them."
    return f"There is no tool {given!r}. {hint}"


def _has(toolset: "Toolset", name: str) -> bool:
    return any(f"_{name}".endswith(f"_{tool.name}") for tool in toolset.tools)


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
