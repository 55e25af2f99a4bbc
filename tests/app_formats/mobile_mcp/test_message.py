import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.app_formats.mobile_mcp import (
    BadMessage,
    Capability,
    CapabilityParameter,
    CapabilityRequest,
    Response,
    read_request,
    read_response,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def test_a_request_is_written_in_both_forms() -> None:
    extras = CapabilityRequest("42", "query", {"date": "2026-01-02"}).extras()
    assert {name: json.loads(text) for name, text in extras.items()} == {
        "mobile-mcp-request": {
            "mobile-mcp-request": {
                "version": "1.0",
                "request": {
                    "id": "42",
                    "capability": {
                        "id": "query",
                        "args": {"date": "2026-01-02"},
                        "input": {"date": "2026-01-02"},
                    },
                },
            }
        },
        "request": {"id": "42", "capability": {"id": "query", "input": '{"date":"2026-01-02"}'}},
    }


@given(st.text(min_size=1), st.text(min_size=1), st.dictionaries(st.text(), VALUES))
def test_a_request_is_read_back_from_either_form(
    id: str, capability: str, arguments: dict[str, Any]
) -> None:
    extras = CapabilityRequest(id, capability, arguments).extras()
    assert read_request(extras) == CapabilityRequest(id, capability, arguments)
    del extras["mobile-mcp-request"]
    assert read_request(extras) == CapabilityRequest(id, capability, arguments, version=None)


def test_a_response_is_written_in_both_forms() -> None:
    declared = Capability("q", "", "1", output=(CapabilityParameter("done", "bool", ""),))
    extras = Response("42", True, "Done.", "q", {"done": True, "n": 1}).extras(declared)
    assert {name: json.loads(text) for name, text in extras.items()} == {
        "mobile-mcp-response": {
            "mobile-mcp-response": {
                "version": "1.0",
                "response": {
                    "id": "42",
                    "capability": {
                        "id": "q",
                        "output": [
                            {"name": "done", "type": "bool", "value": True},
                            {"name": "n", "type": "integer", "value": 1},
                        ],
                    },
                    "status": "success",
                    "message": "Done.",
                },
            }
        },
        "response": {
            "status": "success",
            "message": "Done.",
            "id": "42",
            "capability": {"id": "q", "output": {"done": True, "n": 1}},
        },
    }


@given(
    st.builds(
        Response,
        st.text(),
        st.booleans(),
        st.none() | st.text(),
        st.text(),
        st.none() | st.dictionaries(st.text(), VALUES),
    )
)
def test_a_response_is_read_back_from_either_form(response: Response) -> None:
    extras = response.extras()
    enveloped = read_response(extras)
    assert (replace(enveloped, output=None), enveloped.values) == (
        replace(response, output=None),
        response.values,
    )
    del extras["mobile-mcp-response"]
    assert read_response(extras) == response


@pytest.mark.parametrize(
    ("extras", "predicate"),
    [
        ({}, "has no mobile-mcp-request"),
        ({"mobile-mcp-request": 5}, "is not a string"),
        ({"mobile-mcp-request": "{"}, "is not JSON"),
        ({"mobile-mcp-request": "[" * 100_000}, "is not JSON"),
        ({"mobile-mcp-request": "[]"}, "is not a JSON object"),
        ({"mobile-mcp-request": "{}"}, "has no object mobile-mcp-request"),
        (
            {"mobile-mcp-request": '{"mobile-mcp-request":{}}'},
            "has no object mobile-mcp-request.request",
        ),
        ({"request": "{}"}, "has no request id"),
        ({"request": '{"id":"1"}'}, "has no object capability"),
        ({"request": '{"id":"1","capability":{}}'}, "has no capability id"),
        (
            {"request": '{"id":"1","capability":{"id":"a","input":[]}}'},
            "has arguments that are not a JSON object",
        ),
        ({"request": " " * 1_048_577}, "is longer than 1048576 characters"),
    ],
)
def test_an_invalid_request_is_reported_with_the_reason(
    extras: dict[str, Any], predicate: str
) -> None:
    with pytest.raises(BadMessage) as caught:
        read_request(extras)
    assert str(caught.value) == predicate


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("nonsense", "is not JSON"),
        ('{"id":"1","status":"success","message":NaN}', "is not JSON"),
        ('{"id":"1","status":"success","message":-1e999}', "is not JSON"),
        ('{"id":"1","status":"success","capability":{"output":{"a":Infinity}}}', "is not JSON"),
        ('{"status":"success"}', "has no id"),
        ('{"id":"1","status":"ok"}', "has a status that is neither success nor failure"),
        (
            '{"id":"1","status":"success","capability":{"output":5}}',
            "has an output that is neither an array nor an object",
        ),
        (
            '{"id":"1","status":"success","capability":{"output":[{}]}}',
            "has an output item without a name",
        ),
    ],
)
def test_an_invalid_response_is_reported_with_the_reason(text: str, predicate: str) -> None:
    for name in ("response", "mobile-mcp-response"):
        with pytest.raises(BadMessage) as caught:
            read_response({name: text})
        assert str(caught.value) == predicate


@pytest.mark.parametrize("version", ["2.0", "1", "", 1.0, ["1.0"]])
def test_a_reply_of_another_version_is_refused_as_a_request_is(version: Any) -> None:
    extras = Response("1", True, "Done").extras()
    whole = json.loads(extras["mobile-mcp-response"])
    whole["mobile-mcp-response"]["version"] = version
    with pytest.raises(BadMessage) as caught:
        read_response({"mobile-mcp-response": json.dumps(whole)})
    known = "of which only '1.0' is known"
    assert str(caught.value) == f"has the version {version!r}, {known}"
    # Apps that write none are read, as descriptors without one are.
    del whole["mobile-mcp-response"]["version"]
    assert read_response({"mobile-mcp-response": json.dumps(whole)}).message == "Done"


@given(st.text(max_size=50) | VALUES.map(json.dumps))
def test_no_reply_breaks_the_reader(text: str) -> None:
    for name in ("response", "mobile-mcp-response"):
        with contextlib.suppress(BadMessage):
            read_response({name: text})
