"""The lists of tools, compared with the documents."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.tools.main import CATALOG
from handheld.tools.main.sms import sms
from handheld.tools.tool import Listing
from handheld.tools.v1 import V1_TOOLS
from harness.one_phone import UnusedPhone

from .extraction import find_document

ROW = re.compile(r"^\| `(\w+)` \| (\w+)[^|]* \| (Yes|No) \| ([^|]*) \| (.*) \|$", re.MULTILINE)

MAIN = [toolset for toolset in CATALOG if toolset is not sms]
"""SMS has its own document."""


async def listed(number: str) -> list[Listing]:
    if number == "004":
        return list(await LocalSurface(MAIN, UnusedPhone()).tools())
    tools = await LocalSurface((V1_TOOLS,), UnusedPhone(), SurfaceOptions(bare=True)).tools()
    # The document names all and describes those of its first two categories.
    described = sections(number)
    return [tool for tool in tools if tool.name in described]


def sections(number: str) -> dict[str, str]:
    text = find_document(number).read_text(encoding="utf-8")
    parts = re.split(r"^### `(\w+)`\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def documented_schema(section: str) -> dict[str, Any]:
    schema = section.partition("**Input Schema**")[2].lstrip(":\n")
    if schema.startswith("```json"):
        return json.loads(schema.removeprefix("```json").partition("```")[0])
    properties: dict[str, Any] = {}
    rows = ROW.findall(schema.partition("\n\n")[0])
    for name, kind, _, default, description in rows:
        properties[name] = {"type": kind, "description": description}
        if default not in ("-", "—", "`null`", "null", "none"):
            properties[name]["default"] = json.loads(default.strip("`"))
    required = [name for name, _, needed, _, _ in rows if needed == "Yes"]
    return {"type": "object", "properties": properties, "required": required}


def in_order(schema: Mapping[str, Any]) -> str:
    """The schema with its keys in their order, without what the document states about the items of
    `paths` in prose."""
    properties = {
        name: {key: value for key, value in each.items() if (name, key) != ("paths", "items")}
        for name, each in schema["properties"].items()
    }
    return json.dumps({**schema, "properties": properties}, ensure_ascii=False)


@pytest.mark.parametrize("number", ["002", "004"])
async def test_names_order_and_schemas_are_as_documented(number: str) -> None:
    documented = {name: documented_schema(section) for name, section in sections(number).items()}
    listings = await listed(number)
    assert [each.name for each in listings] == list(documented)
    assert {each.name: in_order(each.input_schema) for each in listings} == {
        name: in_order(schema) for name, schema in documented.items()
    }


@pytest.mark.parametrize("number", ["002", "004"])
async def test_descriptions_are_the_documented_ones(number: str) -> None:
    """The first paragraph of a section; the others are about the program that it documents."""
    paragraphs = {
        name: section.strip().partition("\n")[0] for name, section in sections(number).items()
    }
    assert {each.name: each.description for each in await listed(number)} == paragraphs


def test_the_first_surface_has_the_documented_tools() -> None:
    text = find_document("002").read_text(encoding="utf-8")
    overview = text.partition("| Category | Tools | Plan |")[2].partition("\n\n")[0]
    names = re.findall(r"`(\w+)`", overview)
    assert [tool.name for tool in V1_TOOLS.tools] == names
