"""What the one reader of arguments refuses, for every parameter that a tool declares.

A call is prepared without a phone, so that nothing can have happened on one."""

from typing import Any

import pytest

from handheld.errors import InvalidParams
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.tool import Tool
from handheld.tools.v1 import V1_TOOLS

TOOLS = [tool for toolset in (*EVERY_TOOLSET, V1_TOOLS) for tool in toolset.tools]
EACH = pytest.mark.parametrize("tool", TOOLS, ids=[f"{t.listing.toolset}.{t.name}" for t in TOOLS])
WRONG: dict[str, tuple[Any, str]] = {
    "string": ([], "must be a string, got an array"),
    "boolean": ("perhaps", "must be a boolean (true/false), got string: 'perhaps'"),
    "integer": (1.5, "must be an integer, got: '1.5'"),
    "number": ("left", "must be a number, got string: 'left'"),
    "array": ({}, "must be an array, got an object"),
    "object": ("{}", "must be an object, got string: '{}'"),
}
"""A value of another type for each, and what is said of it."""
OWN = {"since", "until", "from", "to", "quality"}
"""What has its own reader: times, and the number of a picture's quality in its own words."""
FITTING = {"string": "x", "boolean": True, "integer": 1, "number": 1, "array": [], "object": {}}


def refused(tool: Tool, arguments: dict[str, Any]) -> str:
    with pytest.raises(InvalidParams) as caught:
        tool.prepare(arguments)
    return caught.value.message


@EACH
def test_each_missing_argument_is_named(tool: Tool) -> None:
    required = tool.listing.input_schema["required"]
    for name in required:
        given = {other: None for other in required if other != name}
        assert refused(tool, given) == f"Missing required parameter: '{name}'"


@EACH
def test_an_unknown_argument_is_named_with_the_known_ones(tool: Tool) -> None:
    known = ", ".join(tool.listing.input_schema["properties"])
    listed = f"Known parameters: {known}." if known else "This tool takes none."
    assert refused(tool, {"colour": 1}) == f"Unknown parameter 'colour'. {listed}"


@EACH
def test_a_value_of_another_type_is_refused(tool: Tool) -> None:
    schema = tool.listing.input_schema
    kinds = {name: each.get("type") for name, each in schema["properties"].items()}
    fitting = {n: "2026-01-01" if n in OWN else FITTING[kinds[n]] for n in schema["required"]}
    for name in kinds.keys() - OWN:
        value, sentence = WRONG[kinds[name]]
        assert refused(tool, fitting | {name: value}) == f"Parameter '{name}' {sentence}"


@EACH
def test_a_value_outside_a_choice_is_refused_with_the_choices(tool: Tool) -> None:
    schema = tool.listing.input_schema
    fitting = {n: FITTING[schema["properties"][n]["type"]] for n in schema["required"]}
    for name, each in schema["properties"].items():
        if "enum" in each:
            message = refused(tool, fitting | {name: "violet"})
            assert [choice for choice in each["enum"] if choice not in message] == []
            assert "violet" in message
