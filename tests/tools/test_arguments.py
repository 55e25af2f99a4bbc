"""Arguments and schemas."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.errors import InvalidParams
from handheld.phone.phone import Phone
from handheld.tools.parameter import Param, declare
from handheld.tools.recording import AuditPolicy, Secret
from handheld.tools.tool import Listing, Toolset

Length = Annotated[int, Param("How long", at_least=1, at_most=60_000)]

sample = Toolset("sample")


@sample.tool(title="Sample", destructive=True, secret_reply=Secret.NO)
async def everything(
    phone: Phone,
    x: Annotated[float, Param("Where", at_least=0)],
    name: Annotated[str, Param("Who", empty="must not be empty", secret=Secret.NO)],
    length: Length = 300,
    loud: Annotated[bool, Param("Loudly")] = False,
    side: Annotated[Literal["up", "down"], Param("Which way")] = "up",
    names: Annotated[list[str] | None, Param("More of them", secret=Secret.NO)] = None,
    extra: Annotated[dict[str, Any] | None, Param("Anything", secret=Secret.ALWAYS)] = None,
) -> str:
    """Does everything
    that it can.

    And more."""
    return repr((x, name, length, loud, side, names, extra))


[TOOL] = sample.tools
GIVEN = {"x": 1, "name": "n"}


async def run(arguments: Mapping[str, Any]) -> Any:
    # The sample never looks at its phone.
    return await TOOL.prepare(arguments)(None)  # pyright: ignore[reportArgumentType]


def refusal(arguments: Mapping[str, Any]) -> str:
    with pytest.raises(InvalidParams) as caught:
        TOOL.prepare(arguments)
    return caught.value.message


def test_a_tool_is_declared_by_its_function() -> None:
    assert TOOL.listing == Listing(
        "everything",
        "Sample",
        "Does everything that it can.\n\nAnd more.",
        {
            "type": "object",
            "properties": {
                "x": {"type": "number", "description": "Where"},
                "name": {"type": "string", "description": "Who"},
                "length": {"type": "integer", "description": "How long", "default": 300},
                "loud": {"type": "boolean", "description": "Loudly", "default": False},
                "side": {
                    "type": "string",
                    "enum": ["up", "down"],
                    "description": "Which way",
                    "default": "up",
                },
                "names": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "More of them",
                },
                "extra": {"type": "object", "description": "Anything"},
            },
            "required": ["x", "name"],
        },
        destructive=True,
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "(1.0, 'n', 300, False, 'up', None, None)"),
        ({"x": 1.5}, "(1.5, 'n', 300, False, 'up', None, None)"),
        ({"x": "1.5"}, "(1.5, 'n', 300, False, 'up', None, None)"),
        ({"x": " 2e1 "}, "(20.0, 'n', 300, False, 'up', None, None)"),
        ({"name": 7}, "(1.0, '7', 300, False, 'up', None, None)"),
        ({"name": 7.5}, "(1.0, '7.5', 300, False, 'up', None, None)"),
        ({"name": True}, "(1.0, 'true', 300, False, 'up', None, None)"),
        ({"length": 300.0}, "(1.0, 'n', 300, False, 'up', None, None)"),
        ({"length": "5000"}, "(1.0, 'n', 5000, False, 'up', None, None)"),
        ({"length": "5000.0"}, "(1.0, 'n', 5000, False, 'up', None, None)"),
        ({"length": None}, "(1.0, 'n', 300, False, 'up', None, None)"),
        ({"loud": "true"}, "(1.0, 'n', 300, True, 'up', None, None)"),
        ({"loud": "FALSE"}, "(1.0, 'n', 300, False, 'up', None, None)"),
        ({"loud": True}, "(1.0, 'n', 300, True, 'up', None, None)"),
        ({"side": "DOWN"}, "(1.0, 'n', 300, False, 'down', None, None)"),
        ({"names": ["a", 1]}, "(1.0, 'n', 300, False, 'up', ['a', '1'], None)"),
        ({"extra": {"a": []}}, "(1.0, 'n', 300, False, 'up', None, {'a': []})"),
    ],
)
async def test_unambiguous_values_are_accepted(arguments: dict[str, Any], expected: str) -> None:
    assert await run(GIVEN | arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": "abc"}, "Parameter 'x' must be a number, got string: 'abc'"),
        ({"x": "0x10"}, "Parameter 'x' must be a number, got string: '0x10'"),
        ({"x": "1_0"}, "Parameter 'x' must be a number, got string: '1_0'"),
        ({"x": "nan"}, "Parameter 'x' must be a number, got string: 'nan'"),
        ({"x": ""}, "Parameter 'x' must be a number, got string: ''"),
        ({"x": True}, "Parameter 'x' must be a number, got: 'true'"),
        ({"x": None}, "Parameter 'x' must be a number, got: 'null'"),
        ({"x": [1]}, "Parameter 'x' must be a number, got an array"),
        ({"x": {"a": 1}}, "Parameter 'x' must be a number, got an object"),
        ({"x": math.nan}, "Parameter 'x' must be a finite number, got: 'NaN'"),
        ({"x": math.inf}, "Parameter 'x' must be a finite number, got: 'Infinity'"),
        ({"x": "1e999"}, "Parameter 'x' must be a finite number, got string: '1e999'"),
        (
            {"x": 10**400},
            "Parameter 'x' must be a finite number, got a number of more than 100 digits",
        ),
        ({"x": -1}, "Parameter 'x' must be >= 0, got: -1.0"),
        ({"name": ""}, "Parameter 'name' must not be empty"),
        ({"name": None}, "Parameter 'name' must be a string, got: 'null'"),
        ({"name": ["n"]}, "Parameter 'name' must be a string, got an array"),
        ({"length": 1.5}, "Parameter 'length' must be an integer, got: '1.5'"),
        ({"length": "1.5"}, "Parameter 'length' must be an integer, got string: '1.5'"),
        ({"length": "soon"}, "Parameter 'length' must be an integer, got string: 'soon'"),
        ({"length": False}, "Parameter 'length' must be an integer, got: 'false'"),
        ({"length": 2**63}, "Parameter 'length' value exceeds integer range"),
        ({"length": 0}, "Parameter 'length' must be between 1 and 60000, got: 0"),
        ({"length": 60001}, "Parameter 'length' must be between 1 and 60000, got: 60001"),
        ({"loud": "yes"}, "Parameter 'loud' must be a boolean (true/false), got string: 'yes'"),
        ({"loud": 1}, "Parameter 'loud' must be a boolean (true/false), got: '1'"),
        ({"side": "left"}, "Parameter 'side' must be one of: up, down. Got: 'left'"),
        ({"side": ["up"]}, "Parameter 'side' must be a string, got an array"),
        ({"names": "a"}, "Parameter 'names' must be an array, got string: 'a'"),
        (
            {"names": ["a", {}]},
            "Parameter 'names' must be an array, each item of which must be a string, got an"
            " object",
        ),
        ({"extra": "{}"}, "Parameter 'extra' must be an object, got string: '{}'"),
        (
            {"colour": 1},
            "Unknown parameter 'colour'. Known parameters: x, name, length, loud, side, names,"
            " extra.",
        ),
        (
            {"x": "y" * 101},
            f"Parameter 'x' must be a number, got string: '{'y' * 100}...truncated'",
        ),
    ],
)
def test_other_values_are_rejected_with_the_expected_type_and_the_value(
    arguments: dict[str, Any], message: str
) -> None:
    assert refusal(GIVEN | arguments) == message


def test_what_is_missing_is_named() -> None:
    assert refusal({}) == "Missing required parameter: 'x'"
    assert refusal({"x": 1}) == "Missing required parameter: 'name'"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(list(TOOL.listing.input_schema["properties"])), json_values))
def test_no_value_does_more_than_be_refused(arguments: dict[str, Any]) -> None:
    message = ""
    try:
        TOOL.prepare(arguments)
    except InvalidParams as refused:
        message = refused.message
    assert len(message) < 400


def test_a_parameter_without_its_words_is_a_mistake_of_ours() -> None:
    async def bare(phone: Phone, x: int) -> str:
        return ""

    with pytest.raises(TypeError, match="Parameter x is not annotated"):
        Toolset("bad").tool(title="Bad", secret_reply=Secret.NO)(bare)


@pytest.mark.parametrize("kind", [str, str | None, list[str], dict[str, Any], Any, datetime])
def test_a_text_parameter_cannot_be_declared_without_a_decision_on_recording_it(kind: Any) -> None:
    with pytest.raises(TypeError, match="must state secret="):
        declare("pin", Annotated[kind, Param("A PIN")], None, True)


@pytest.mark.parametrize("kind", [bool, int, float | None, Literal["a", "b"]])
def test_a_number_or_choice_is_recorded_unless_declared_secret(kind: Any) -> None:
    assert declare("count", Annotated[kind, Param("How many")], None, True).secret is Secret.NO
    secret = Annotated[kind, Param("A PIN", secret=Secret.ALWAYS)]
    assert declare("pin", secret, None, True).secret is Secret.ALWAYS


def test_a_tool_cannot_be_declared_without_a_decision_on_recording_its_reply() -> None:
    with pytest.raises(TypeError, match="secret_reply"):
        Toolset("bad").tool(title="Bad")  # pyright: ignore[reportCallIssue]


def test_a_tool_carries_the_secrets_of_its_parameters() -> None:
    assert TOOL.listing.recording == AuditPolicy({"extra": Secret.ALWAYS}, Secret.NO)
