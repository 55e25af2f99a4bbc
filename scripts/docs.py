"""Write the generated docs: docs/tools.md, docs/settings.md, docs/architecture.svg, man/handheld.1,
the counts of README.md, the clients of docs/clients.md, the rooms of docs/design.md; and the lists
that clients must get, tests/server/tool_lists.json.

With --check nothing is written; the exit code tells whether they are up to date.
"""

import ast
import asyncio
import json
import re
import runpy
import sys
from argparse import SUPPRESS
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from architecture import draw
from manual import write_manual

from handheld.access.request_scope import AGENT, RequestScope
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.cli.arguments import build_parser
from handheld.cli.clients.catalog import CLIENTS
from handheld.cli.clients.links import cursor_link, vscode_link
from handheld.cli.parts import NO_PHONES, Parts
from handheld.clock import SYSTEM_CLOCK
from handheld.phone.leases.leases import Leases
from handheld.settings import PLACES, Option, Settings, options
from handheld.settings.groups import ToolsetsSettings
from handheld.tools.main import CATALOG, EVERY_TOOLSET, EXTRA
from handheld.tools.tool import Listing
from handheld.tools.v1 import V1_TOOLS

ROOT = Path(__file__).resolve().parent.parent
HEAD = "<!-- Written by scripts/docs.py: change the code, then run `make docs`. -->\n\n"
PHONES = """## Several phones

```toml
[phones.R58M123ABC]
slug = "pixel7"

[phones."192.168.1.20:5555"]
slug = "work_phone"
tags = ["lab", "tablet"]
```

Each phone has a table, named by its serial, its HOST:PORT or `virtual`; `--phone` picks among \
them or names others. A single phone's slug is part of its tools' names (`android_pixel7_tap`). \
With several phones, `/mcp` and stdio serve one set of `android_…` tools that take `device`, a \
slug or serial, and `/phones/<slug or serial>/mcp` serves each phone alone under its own prefix. \
Only phones named at the start count for that: a phone connected later changes no tool. The tools \
for models (`phone_…`) have no slug in their names; with several phones each takes `phone`. Tags \
are words by which a client can take a phone ([fleet.md](fleet.md)).
"""
POLICY = """## Switching tools off

`tools.off`, `toolsets.off` and `read_only` remove tools: they are not listed, and a call of one \
is answered as a call of an unknown tool. A client over HTTP may restrict its own requests further \
with headers. Headers cannot bring back what the settings or the token leave out. \
`X-MCP-Toolsets` can add the toolsets that are off by default only to keep the list short:

| Header | Meaning |
|---|---|
| `X-MCP-Readonly: true` | Only read-only tools. |
| `X-MCP-Tools: tap,swipe` | Only these tools, with or without prefix. |
| `X-MCP-Exclude-Tools: close_app` | All tools except these. |
| `X-MCP-Toolsets: default, notifications` | Only these toolsets. `default` stands for what there \
is without this header, `all` for that and every toolset that a client may switch on: \
`notifications`, `links`, `packages`, `device`, `diagnostics`, `web` and \
`recording`. |
| `X-Handheld-Tool-Prefix: pixel_` | What the tools for models begin with, instead of \
`tool_prefix`. |
| `X-Handheld-Strict: true` | Replies of the documented tools as `main.strict` makes them. |

The tools for models are switched off by the main tools that they stand for, value by value, and \
by their own names ([safety.md](safety-reference.md#the-tools-for-models)).

`handheld tools --tokens` prints what each tool and each toolset costs in a model's context, also \
the toolsets that are off, and how each of those is switched on.
"""
FOR_MODELS = "At `/mcp/agent`, and over stdio. [agent.md](agent.md) explains their replies."
FOR_PROGRAMS = (
    "At `/mcp`, and over stdio with `--surface main`. A program that joins all texts of a reply, "
    "or knows no flags and keys but the documented ones, sets `main.strict` (`--strict`): "
    "[behaviour 128](behaviour.md#arguments-and-replies)."
)
OPTIONAL = (
    "Off unless `toolsets.on` or the limits of a token name their toolset. A client may switch on "
    "`notifications`, `links`, `packages`, `device`, `diagnostics`, `web` and `recording` by a "
    "header ([settings.md](settings.md#switching-tools-off)), because they only make the list "
    "longer. The tools for models include these, except `recording`, without a header."
)
OF_FLEET = (
    "Off unless `toolsets.on` or the limits of a token name `fleet`. [fleet.md](fleet.md) explains "
    "leases. `phone_lease` is for models, the others are documented tools."
)


def tools_page(
    listings: Sequence[Listing],
    of_agent: Sequence[Listing],
    optional: Sequence[Listing],
    of_fleet: Sequence[Listing],
) -> str:
    parts = [HEAD, "# Tools\n"]
    for title, where, some, more in (
        ("The tools for models", FOR_MODELS, of_agent, ""),
        ("The documented tools", FOR_PROGRAMS, listings, f"\n{toolsets()}"),
        ("Documented tools that are off by default", OPTIONAL, optional, ""),
        ("The tools of the fleet", OF_FLEET, of_fleet, ""),
    ):
        parts.append(f"\n## {title}\n\n{where}\n\n{tool_table(some)}{more}")
        parts += map(describe, some)
    return "".join(parts)


def describe(listing: Listing) -> str:
    return (
        f"\n### {listing.name}\n\n**{listing.title}** · {hints(listing)}\n\n"
        f"{listing.description}\n\n{parameters(listing)}"
    )


def tool_table(listings: Sequence[Listing]) -> str:
    rows = "".join(
        f"| `{listing.name}` | {listing.title} | {hints(listing)} |\n" for listing in listings
    )
    return f"| Tool | Title | Kind |\n|---|---|---|\n{rows}"


def toolsets() -> str:
    rows = "".join(
        f"| `{toolset.name}` | {', '.join(f'`{tool.name}`' for tool in toolset.tools)} |\n"
        for toolset in CATALOG
    )
    rows += "".join(
        f"| `{toolset.name}`, off by default"
        f" | {', '.join(f'`{tool.name}`' for tool in toolset.tools)} |\n"
        for toolset in EVERY_TOOLSET[len(CATALOG) :]
    )
    return f"| Toolset | Its tools |\n|---|---|\n{rows}"


def hints(listing: Listing) -> str:
    words = ["reads" if listing.read_only else "acts"]
    if listing.destructive:
        words.append("destructive")
    if listing.idempotent:
        words.append("idempotent")
    if listing.open_world:
        words.append("open world")
    return ", ".join(words)


def parameters(listing: Listing) -> str:
    properties: dict[str, Any] = dict(listing.input_schema.get("properties", {}))
    if not properties:
        return "No parameters.\n"
    required = set(listing.input_schema.get("required", ()))
    lines = ["| Parameter | Type | Required | Default | Meaning |\n|---|---|---|---|---|\n"]
    for name, schema in properties.items():
        kind = schema.get("type", "")
        if "enum" in schema:
            kind = " \\| ".join(f"`{value}`" for value in schema["enum"])
        default = (
            f"`{json.dumps(schema['default'], ensure_ascii=False)}`" if "default" in schema else ""
        )
        needed = "yes" if name in required else "no"
        meaning = cell(schema.get("description", ""))
        lines.append(f"| `{name}` | {kind} | {needed} | {default} | {meaning} |\n")
    return "".join(lines)


def settings_page() -> str:
    rows = "".join(settings_row(option) for option in options())
    where = "".join(f"| `{name}` | {cell(help)} |\n" for name, help in PLACES.items())
    return (
        f"{HEAD}# Settings\n\n"
        "Each option is a key in `handheld.toml`, an environment variable and a flag. A flag "
        "wins over a variable, and a variable over the file. A key with a dot is in a table: "
        "`tls.cert` is `cert` under `[tls]`. The file is `handheld.toml` in the platform's "
        "configuration folder (on Linux `~/.config/handheld/`). The last column lists the commands "
        "that take the flag; the file and the variables apply to every command.\n\n"
        "| Key, variable, flag | Default | Meaning | Commands |\n|---|---|---|---|\n"
        f"{rows}\n"
        "adb's own variables are read too: `ANDROID_SERIAL` as `phone`, and `ADB_SERVER_SOCKET`, "
        "`ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT` as `adb.server`; the variables "
        "above win over them.\n\n"
        f"| Variable | Meaning |\n|---|---|\n{where}\n{PHONES}\n{POLICY}\n"
        "## Flags of single commands\n\n"
        "These flags are not options: they exist on the command line only.\n\n"
        f"| Command | Flag | Meaning |\n|---|---|---|\n{''.join(own_flags())}"
    )


def settings_row(option: Option) -> str:
    default = option.shown or (
        str(option.default).lower() if option.type is bool else f"`{option.default}`"
    )
    if option.repeats and not option.shown:
        default = ", ".join(f"`{one}`" for one in option.default) or "none"
    meaning = option.help
    if option.choices:
        meaning += " One of " + ", ".join(f"`{choice}`" for choice in option.choices) + "."
    return (
        # One below the other: beside each other they leave no room for the meaning.
        f"| `{option.key}`<br>`{option.variable}`<br>`{option.flag}` | {default} "
        f"| {cell(meaning)} | {', '.join(option.commands)} |\n"
    )


def own_flags() -> Iterator[str]:
    """A row for each flag that is not an option."""
    for name, command in build_parser()[1].items():
        settings = {option.dest for option in options() if name in option.commands}
        for action in command._actions:  # pyright: ignore[reportPrivateUsage]
            # `token add --read-only` limits the token: it does not set the option.
            own = action.dest not in settings and action.dest != "help"
            if own and action.option_strings and action.help != SUPPRESS:
                shown = ", ".join(f"`{flag}`" for flag in action.option_strings)
                yield f"| `{name}` | {shown} | {cell(action.help or '')} |\n"


def tool_lists(
    listings: Sequence[Listing], of_agent: Sequence[Listing], first: Sequence[Listing]
) -> str:
    """The tool lists as clients get them, so that a change to a tool shows in the diff."""
    lists = {
        "/mcp": [one.as_json() for one in listings],
        "/mcp/agent": [one.as_json() for one in of_agent],
        "/mcp/v1": [
            {
                "name": one.name,
                "description": one.description,
                "inputSchema": dict(one.input_schema),
            }
            for one in first
        ],
    }
    return json.dumps(lists, ensure_ascii=False, indent=1) + "\n"


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def client_links() -> str:
    links = {
        "Cursor": cursor_link(web=True),
        "VS Code": vscode_link(web=True),
        "VS Code Insiders": vscode_link(web=True, insiders=True),
    }
    return " · ".join(f"[**{name}**]({link})" for name, link in links.items())


def client_table() -> str:
    rows = "".join(
        f"| `{client.id}` | [{client.title}]({client.docs}) | {places(client.user)} "
        f"| {places(client.project)} | {'stdio' if client.remote is None else 'stdio, HTTP'} |\n"
        for client in CLIENTS
    )
    return (
        "| Name | Client | The user's file | A project's file | Takes |\n"
        f"|---|---|---|---|---|\n{rows}"
    )


def places(files: Sequence[str]) -> str:
    """A file as it is called on Linux."""
    names = (file.format(config="~/.config", support="~/.config") for file in files)
    return " or ".join(f"`{name}`" for name in names)


def filled(text: str, contents: Mapping[str, str]) -> str:
    """The text with each content at its place, between two comments."""
    for name, content in contents.items():
        place = re.compile(f"(<!-- {name} -->\n?).*?(<!-- /{name} -->)", re.DOTALL)
        text, times = place.subn(lambda found, new=content: found[1] + new + found[2], text)
        if times != 1:
            raise ValueError(f"There are {times} places for {name}.")
    return text


def layers() -> Mapping[str, Any]:
    """The tables that the test of layers checks."""
    sys.path.append(str(ROOT / "tests"))
    return runpy.run_path(str(ROOT / "tests" / "test_layers.py"))


def room_tables(rules: Mapping[str, Any]) -> str:
    """A line for each room, from the top: the first sentence of its docstring."""
    parts: list[str] = []
    for package, title, rows in (
        ("handheld", "room", rules["LAYERS"]),
        ("handheld_virtual", "room of the virtual phone", rules["VIRTUAL_LAYERS"]),
    ):
        lines = "".join(
            f"| `{name}` | {first_sentence(ROOT / 'src' / package, name)} |\n"
            for row in rows
            for name in row
            if name != "__main__"
        )
        parts.append(f"| {title} | what it is |\n|---|---|\n{lines}")
    return "\n".join(parts)


def first_sentence(folder: Path, name: str) -> str:
    file = folder / name / "__init__.py"
    if not file.exists():
        file = folder / f"{name}.py"
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    words = " ".join(text.partition("\n\n")[0].split())
    if not words:
        raise ValueError(f"{file.relative_to(ROOT)} does not say what it is.")
    return cell(words.split(". ")[0].rstrip(":."))


def pages() -> dict[Path, str]:
    """What each generated file should hold."""
    rules = layers()
    surface = Parts(Settings()).surface
    listings = asyncio.run(surface.tools())
    of_agent = asyncio.run(surface.tools(RequestScope(surface=AGENT)))
    first = asyncio.run(LocalSurface((V1_TOOLS,), NO_PHONES, SurfaceOptions(bare=True)).tools())
    leasing = Parts(Settings(toolsets=ToolsetsSettings(on=("all",))), leases=Leases(SYSTEM_CLOCK))
    everything = asyncio.run(leasing.surface.tools())
    extra = {toolset.name for toolset in EXTRA}
    optional = [each for each in everything if each.toolset in extra]
    of_models = asyncio.run(leasing.surface.tools(RequestScope(surface=AGENT)))
    of_fleet = [each for each in (*everything, *of_models) if each.toolset == "fleet"]
    wanted = {
        ROOT / "docs" / "tools.md": tools_page(listings, of_agent, optional, of_fleet),
        ROOT / "docs" / "settings.md": settings_page(),
        ROOT / "docs" / "architecture.svg": draw(rules["LAYERS"], rules["VIRTUAL_MAY"]),
        ROOT / "man" / "handheld.1": write_manual(),
        ROOT / "tests" / "server" / "tool_lists.json": tool_lists(listings, of_agent, first),
    }
    generated = {
        "docs/design.md": {"rooms": room_tables(rules)},
        "README.md": {
            "tool count": str(len(listings)),
            "agent tool count": str(len(of_agent)),
            "client count": str(len(CLIENTS)),
        },
        "docs/clients.md": {"clients": client_table(), "links": client_links()},
    }
    for page, contents in generated.items():
        file = ROOT / page
        wanted[file] = filled(file.read_text(encoding="utf-8"), contents)
    return wanted


def stale() -> list[Path]:
    return [
        file
        for file, text in pages().items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    ]


def main(arguments: Sequence[str]) -> int:
    if "--check" in arguments:
        for file in (old := stale()):
            print(f"{file.relative_to(ROOT)} is out of date. Run: make docs")
        return int(bool(old))
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
