"""The list of tools against the document that specifies it, where the document is at hand."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from handheld.surface import LocalSurface
from handheld.tools import CATALOG
from handheld.tools.sms import sms

from .test_surface import OnePhone

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "spec"
DOCUMENT = next(FOLDER.glob("004_*.txt"), FOLDER / "004")
ROW = re.compile(r"^\| `(\w+)` \| (\w+)[^|]* \| (Yes|No) \| ([^|]*) \| (.*) \|$", re.MULTILINE)

DOCUMENTED = [toolset for toolset in CATALOG if toolset is not sms]
"""Messages have a document of their own."""

pytestmark = pytest.mark.skipif(not DOCUMENT.exists(), reason="the document is not at hand")


def sections() -> dict[str, str]:
    # Marks of print, and a pointer to a table that a schema does not have.
    text = re.sub(r"\*\*(all .*?)\*\*| \(see below\)", r"\1", DOCUMENT.read_text(encoding="utf-8"))
    parts = re.split(r"^### `(android_\w+)`\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def printed_schema(section: str) -> dict[str, Any]:
    schema = section.partition("**Input Schema**")[2].lstrip(":\n")
    if schema.startswith("```json"):
        return json.loads(schema.removeprefix("```json").partition("```")[0])
    properties: dict[str, Any] = {}
    rows = ROW.findall(schema.partition("\n\n")[0])
    for name, kind, _, default, description in rows:
        properties[name] = {"type": kind, "description": description.replace("`", "")}
        if default not in ("-", "—", "`null`", "null", "none"):
            properties[name]["default"] = json.loads(default.strip("`"))
    required = [name for name, _, needed, _, _ in rows if needed == "Yes"]
    return {"type": "object", "properties": properties, "required": required}


def comparable(schema: dict[str, Any]) -> dict[str, Any]:
    """Without backquotes, and without what the document says of an array's items in prose."""
    properties = {
        name: {
            key: value.replace("`", "") if key == "description" else value
            for key, value in said.items()
            if not (key == "items" and name == "paths")
        }
        for name, said in schema["properties"].items()
    }
    return {**schema, "properties": properties}


async def test_a3_names_order_and_schemas_are_the_documents() -> None:
    listings = await LocalSurface(DOCUMENTED, OnePhone()).tools()
    printed = {name: printed_schema(section) for name, section in sections().items()}
    assert [each.name for each in listings] == list(printed)
    assert {each.name: comparable(dict(each.input_schema)) for each in listings} == {
        name: comparable(schema) for name, schema in printed.items()
    }


async def test_descriptions_begin_as_the_documents_do() -> None:
    listings = await LocalSurface(DOCUMENTED, OnePhone()).tools()
    said = {name: section.strip().partition("\n")[0] for name, section in sections().items()}
    assert {each.name: each.description.partition(". ")[0].rstrip(".") for each in listings} == {
        name: sentence.replace("`", "").partition(". ")[0].rstrip(".")
        for name, sentence in said.items()
    }
