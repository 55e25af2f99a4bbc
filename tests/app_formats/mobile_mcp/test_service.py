import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.app_formats.mobile_mcp import (
    CapabilityFailed,
    CapabilityRequest,
    CapabilityService,
    Outcome,
    Response,
    parse_descriptor,
    read_response,
)

DESCRIPTOR = parse_descriptor(
    '<mobile-mcp-capabilities version="1.0">'
    '<capability id="add" description="Add." version="1"><input>'
    '<param name="a" type="int" required="true" description=""/>'
    '<param name="b" type="int" required="false" description=""/>'
    '</input><output><param name="sum" type="int" description=""/></output></capability>'
    '<capability id="fail" description="Fail." version="1"/>'
    '<capability id="break" description="Break." version="1"/>'
    '<capability id="idle" description="Nobody does it." version="1"/>'
    "</mobile-mcp-capabilities>"
)


@pytest.fixture
def service() -> CapabilityService:
    service = CapabilityService(DESCRIPTOR)

    @service.capability("add")
    def _(arguments: Mapping[str, Any]) -> Outcome:
        return Outcome({"sum": arguments["a"] + arguments.get("b", 0)}, "Added.")

    @service.capability("fail")
    def _(arguments: Mapping[str, Any]) -> Outcome:
        raise CapabilityFailed("Not today.")

    @service.capability("break")
    def _(arguments: Mapping[str, Any]) -> Outcome:
        raise ZeroDivisionError("by zero")

    return service


def ask(service: CapabilityService, request: CapabilityRequest) -> Response:
    return read_response(service.answer(request.extras()))


def test_a_capability_is_done_and_its_id_echoed(service: CapabilityService) -> None:
    assert ask(service, CapabilityRequest("7", "add", {"a": 1, "b": 2})) == Response(
        "7", True, "Added.", "add", [{"name": "sum", "type": "int", "value": 3}]
    )


def test_an_optional_parameter_may_be_left_out_or_null(service: CapabilityService) -> None:
    for arguments in ({"a": 1}, {"a": 1, "b": None}):
        assert ask(service, CapabilityRequest("7", "add", arguments)).values == {"sum": 1}


def refused(capability: str, message: str) -> Response:
    """With id and capability: only output and message may be left out of a reply."""
    return Response("7", False, message, capability)


@pytest.mark.parametrize(
    ("capability", "arguments", "version", "response"),
    [
        ("add", {}, "1.0", refused("add", "Missing required parameter: 'a'")),
        ("add", {"a": None}, "1.0", refused("add", "Missing required parameter: 'a'")),
        ("add", {"a": "1"}, "1.0", refused("add", "Parameter 'a' must be of type int.")),
        ("add", {"a": True}, "1.0", refused("add", "Parameter 'a' must be of type int.")),
        ("add", {"a": 1.5}, "1.0", refused("add", "Parameter 'a' must be of type int.")),
        ("add", {"a": 1, "c": 2}, "1.0", refused("add", "Unknown parameter 'c'.")),
        ("sub", {}, "1.0", refused("sub", "Unknown capability ID: sub")),
        ("idle", {}, "1.0", refused("idle", "Unknown capability ID: idle")),
        (
            "add",
            {"a": 1},
            "2.0",
            refused("add", "Version '2.0' is not known here; '1.0' is."),
        ),
        ("fail", {}, "1.0", refused("fail", "Not today.")),
        ("break", {}, "1.0", refused("break", "ZeroDivisionError: by zero")),
    ],
)
def test_a_request_that_cannot_be_done_is_answered_with_a_failure(
    service: CapabilityService,
    capability: str,
    arguments: dict[str, Any],
    version: str,
    response: Response,
) -> None:
    assert ask(service, CapabilityRequest("7", capability, arguments, version)) == response


@pytest.mark.parametrize(
    ("given_back", "message"),
    [
        (None, "AttributeError: 'NoneType' object has no attribute 'message'"),
        ({"sum": 1}, "AttributeError: 'dict' object has no attribute 'message'"),
        (Outcome({"sum": {1}}), "TypeError: Object of type set is not JSON serializable"),
        (
            Outcome({"sum": math.nan}),
            "ValueError: Out of range float values are not JSON compliant",
        ),
    ],
)
def test_a_capability_that_gives_back_what_no_reply_can_hold_has_failed(
    service: CapabilityService, given_back: Any, message: str
) -> None:
    service.capability("idle")(lambda arguments: given_back)
    answer = ask(service, CapabilityRequest("7", "idle", {}))
    assert (answer.id, answer.success, answer.capability) == ("7", False, "idle")
    assert (answer.message or "").startswith(message)


def test_what_is_no_request_is_answered_too(service: CapabilityService) -> None:
    assert read_response(service.answer({"request": "nonsense"})) == Response(
        "", False, "The request is not JSON."
    )


def test_the_id_is_echoed_also_where_the_rest_makes_no_sense(service: CapabilityService) -> None:
    half = {"mobile-mcp-request": {"version": "1.0", "request": {"id": "7"}}}
    answer = service.answer({"mobile-mcp-request": json.dumps(half)})
    assert read_response(answer) == Response("7", False, "The request has no object capability.")


def test_only_declared_capabilities_can_be_implemented(service: CapabilityService) -> None:
    with pytest.raises(KeyError):
        service.capability("other")


@given(st.dictionaries(st.sampled_from(["request", "mobile-mcp-request"]), st.text(max_size=80)))
def test_every_intent_is_answered(extras: dict[str, str]) -> None:
    service = CapabilityService(DESCRIPTOR)
    answer = service.answer(extras)
    assert json.loads(answer["response"])["status"] == "failure"
