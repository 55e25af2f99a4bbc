"""Write the methods of `Phone` and `AsyncPhone` from the tools for models: src/handheld/library/
verbs.py and async_verbs.py, and their part of docs/library.md.

With --check nothing is written; the exit code tells whether they are up to date.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handheld.access.request_scope import AGENT, RequestScope
from handheld.cli.parts import Parts
from handheld.settings import Settings
from handheld.settings.folders import Folders
from handheld.settings.groups import ToolsetsSettings
from handheld.tools.listing import Listing

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "handheld" / "library"
PAGE = ROOT / "docs" / "library.md"
MARKED = re.compile(r"(<!-- methods -->\n).*?(<!-- /methods -->)", re.DOTALL)
LOOK = "look"
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
MEANINGS = {
    "wait.text": "wait until it is visible",
    "wait.gone": "wait until the text is gone instead",
    "type.text": "what to type",
    "press.key": "its name",
    "press.times": "how often",
    "read.limit": "how much at most",
    "notification.id": 'as read("notifications") lists it',
    "notification.action": "what to do with it",
    "message.text": "what to send",
    "message.sim": 'the number of a SIM card, as read("sims") lists them',
    "file.action": "what to do with it",
    "file.url": "from where to download it",
    "app.action": "what to do with it",
    "set.what": "which setting",
}
"""Of parameters that models know by their names: every word of the list costs them tokens."""
HEAD = '''\
"""The methods that are tools for models{how}. Written by scripts/library.py from
the tools: change those, then run `make docs`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .screen import Screen


class {name}(ABC):
    @abstractmethod
    {define} _do(self, verb: str, arguments: Mapping[str, Any]) -> str: ...

    @abstractmethod
    {define} _look(self, arguments: Mapping[str, Any]) -> Screen: ...
'''


def listings() -> Sequence[Listing]:
    """The tools that are there without being switched on, with all values of their parameters."""

    async def listed(on: tuple[str, ...]) -> Sequence[Listing]:
        with tempfile.TemporaryDirectory() as folder:
            folders = Folders(Path(folder), Path(folder))
            surface = Parts(Settings(toolsets=ToolsetsSettings(on=on), folders=folders)).surface
            return await surface.tools(RequestScope(surface=AGENT, prefix=""))

    names = [one.name for one in asyncio.run(listed(()))]
    return [one for one in asyncio.run(listed(("all",))) if one.name in names]


def kind_of(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(each) for each in schema['enum'])}]"
    if schema["type"] == "array":
        items = schema["items"]["type"]
        return "Sequence[Mapping[str, object]]" if items == "object" else "Sequence[str]"
    return TYPES[schema["type"]]


def positional(listing: Listing) -> Sequence[str]:
    """The parameters that need no name: the required ones, or the first."""
    return listing.input_schema.get("required") or [*listing.input_schema["properties"]][:1]


def signature(listing: Listing) -> str:
    required = listing.input_schema.get("required", ())
    parts = ["self"]
    named = False
    for name, schema in listing.input_schema["properties"].items():
        if name not in positional(listing) and not named:
            named = True
            parts.append("*")
        kind = kind_of(schema)
        if name in required:
            parts.append(f"{name}: {kind}")
        elif kind == "bool":
            parts.append(f"{name}: bool = False")
        else:
            parts.append(f"{name}: {kind} | None = None")
    return ", ".join(parts)


def meaning(listing: Listing, name: str) -> str:
    described = listing.input_schema["properties"][name].get("description", "")
    return described or MEANINGS[f"{listing.name}.{name}"]


def method(listing: Listing, *, waits: bool) -> str:
    properties = listing.input_schema["properties"]
    lines = [listing.description, "", "Args:"]
    lines += [f"    {name}: {meaning(listing, name)}" for name in properties]
    wrapped = [
        textwrap.fill(line, 89, subsequent_indent="    " * 2 if line.startswith(" ") else "")
        for line in lines
    ]
    docs = textwrap.indent("\n".join(wrapped).replace("\\", "\\\\"), "        ")
    given = ", ".join(
        f'"{name}": {name}' + (" or None" if kind_of(schema) == "bool" else "")
        for name, schema in properties.items()
    )
    call = f"self._look({{{given}}})"
    if listing.name != LOOK:
        call = f'self._do("{listing.name}", {{{given}}})'
    returns = "Screen" if listing.name == LOOK else "str"
    return (
        f"\n    {'async ' * waits}def {listing.name}({signature(listing)}) -> {returns}:\n"
        f'        """{docs.strip()}\n        """\n'
        f"        __tracebackhide__ = True\n"
        f"        return {'await ' * waits}{call}\n"
    )


def module(listed: Sequence[Listing], *, waits: bool) -> str:
    head = HEAD.format(
        name="AsyncVerbs" if waits else "Verbs",
        define="async def" if waits else "def",
        how=", to be awaited" if waits else "",
    )
    text = head + "".join(method(listing, waits=waits) for listing in listed)
    formatted = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--stdin-filename",
            str(PACKAGE / "verbs.py"),
            "-",
        ],
        input=text,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return formatted.stdout


def described(listed: Sequence[Listing]) -> str:
    """The methods for the page, whose parameters the docstrings explain."""
    rows = ["\n| method | does |\n|---|---|\n"]
    for listing in listed:
        taken = ", ".join(listing.input_schema["properties"])
        rows.append(
            f"| `{listing.name}({taken})` | {listing.description.replace('|', chr(92) + '|')} |\n"
        )
    return "".join(rows)


def main() -> int:
    listed = listings()
    page = PAGE.read_text(encoding="utf-8")
    wanted = {
        PACKAGE / "verbs.py": module(listed, waits=False),
        PACKAGE / "async_verbs.py": module(listed, waits=True),
        PAGE: MARKED.sub(lambda marks: f"{marks[1]}{described(listed)}\n{marks[2]}", page),
    }
    stale = [
        path
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is stale: run `make docs`.")
        else:
            path.write_text(wanted[path], encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
