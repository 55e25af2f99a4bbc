"""The schemas for makers of apps, against the code that reads the same and against a validator of
JSON Schema."""

import copy
import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from handheld.app_formats.mobile_mcp import CapabilityRequest, Response, read_request, read_response
from handheld.app_formats.mobile_mcp.descriptor import (
    JSON_TYPES,
    MOST_CAPABILITIES,
    MOST_PARAMETERS,
)
from handheld.app_formats.schemas import (
    DESCRIPTOR,
    FOLDER,
    REQUEST,
    RESPONSE,
    TOOL_INPUT,
    find_misfit,
    read_schema,
)
from handheld.app_formats.tool_provider import host
from handheld.app_tools.discovered import LONGEST_ID

XS = "{http://www.w3.org/2001/XMLSchema}"
EXAMPLES: dict[str, Any] = {
    REQUEST: {
        "mobile-mcp-request": {
            "version": "1.0",
            "request": {
                "id": "UUID",
                "capability": {"id": "brew_tea", "args": {"minutes": 3}, "input": {"minutes": 3}},
            },
        }
    },
    RESPONSE: {
        "mobile-mcp-response": {
            "version": "1.0",
            "response": {
                "id": "UUID",
                "capability": {
                    "id": "brew_tea",
                    "output": [{"name": "cups", "type": "int", "value": 1}],
                },
                "status": "success",
                "message": "The tea is ready.",
            },
        }
    },
    TOOL_INPUT: {
        "location": {"type": "string", "description": "City name", "enum": ["Bern"]},
        "days": {"type": "number", "description": "1 to 7"},
    },
}
VALUES = st.sampled_from([None, True, 1, 1.0, "", "1.0", "success", "text", [], ["a"], {}])


@st.composite
def changed(draw: st.DrawFn, name: str) -> Any:
    """An example with a value that is another or is missing, in up to three places."""
    whole = {"": copy.deepcopy(EXAMPLES[name])}
    for _ in range(draw(st.integers(0, 3))):
        inside: Any = whole
        while True:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
            key = draw(st.sampled_from(keys))
            if not inside[key] or not isinstance(inside[key], dict | list) or draw(st.booleans()):
                break
            inside = inside[key]
        if isinstance(inside, dict) and inside is not whole and draw(st.booleans()):
            del inside[key]
        else:
            inside[key] = draw(VALUES)
        if not isinstance(whole[""], dict | list):
            break
    return whole[""]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_fits_its_schema(name: str) -> None:
    Draft202012Validator.check_schema(dict(read_schema(name)))
    assert find_misfit(read_schema(name), EXAMPLES[name]) == ""


@given(st.data(), st.sampled_from(sorted(EXAMPLES)))
def test_a_validator_of_others_finds_what_we_find(data: st.DataObject, name: str) -> None:
    value, schema = data.draw(changed(name)), read_schema(name)
    assert (find_misfit(schema, value) == "") == Draft202012Validator(schema).is_valid(value)


@given(st.data())
def test_what_fits_is_read(data: st.DataObject) -> None:
    request, response = data.draw(changed(REQUEST)), data.draw(changed(RESPONSE))
    if not find_misfit(read_schema(REQUEST), request):
        assert read_request({"mobile-mcp-request": json.dumps(request)}).version == "1.0"
    if not find_misfit(read_schema(RESPONSE), response):
        assert isinstance(read_response({"mobile-mcp-response": json.dumps(response)}).id, str)


def test_what_is_written_fits() -> None:
    for arguments in ({}, {"minutes": 3}):
        written = CapabilityRequest("1", "brew_tea", arguments).extras()["mobile-mcp-request"]
        assert find_misfit(read_schema(REQUEST), json.loads(written)) == ""
    for response in (
        Response("1", False, "The request is not JSON."),
        Response("1", True, None, "brew_tea", {"cups": 1, "notes": ["a"]}),
    ):
        written = response.extras()["mobile-mcp-response"]
        assert find_misfit(read_schema(RESPONSE), json.loads(written)) == ""


@pytest.mark.parametrize(
    ("name", "path", "value", "sentence"),
    [
        (RESPONSE, ("version",), "2.0", 'mobile-mcp-response.version is not "1.0"'),
        (
            RESPONSE,
            ("response", "status"),
            "ok",
            "mobile-mcp-response.response.status is none of: success, failure",
        ),
        (
            RESPONSE,
            ("response", "capability", "output"),
            {"cups": 1},
            "mobile-mcp-response.response.capability.output is not of the type array",
        ),
        (
            RESPONSE,
            ("response", "capability", "output"),
            [{"name": "cups", "value": 1}],
            "mobile-mcp-response.response.capability.output[0] has no type",
        ),
    ],
)
def test_a_misfit_is_named(name: str, path: tuple[str, ...], value: Any, sentence: str) -> None:
    whole = copy.deepcopy(EXAMPLES[name])
    inside = next(iter(whole.values()))
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    assert find_misfit(read_schema(name), whole) == sentence


def test_a_parameter_of_an_unknown_type_is_named() -> None:
    schema = read_schema(TOOL_INPUT)
    assert find_misfit(schema, {"days": {"type": "int"}}) == (
        "days.type is none of: string, boolean, integer, number, array, object"
    )
    assert find_misfit(schema, []) == "It is not of the type object"
    assert schema["maxProperties"] == host.MOST_PARAMETERS


def test_the_xml_schema_has_the_types_and_limits_of_the_reader() -> None:
    root = ElementTree.parse(FOLDER / DESCRIPTOR).getroot()
    types = root.find(f"{XS}simpleType[@name='known-type']")
    assert types is not None
    assert [one.get("value") for one in types.iter(f"{XS}enumeration")] == list(JSON_TYPES)
    most = {one.get("name"): one.get("maxOccurs") for one in root.iter(f"{XS}element")}
    assert (most["capability"], most["param"]) == (str(MOST_CAPABILITIES), str(MOST_PARAMETERS))
    longest = [one.get("value") for one in root.iter(f"{XS}maxLength")]
    assert longest == [str(LONGEST_ID)]
