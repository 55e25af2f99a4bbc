import contextlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.app_formats.tool_provider import (
    BadTool,
    ProviderResult,
    ProviderTool,
    ToolFailed,
    ToolProvider,
    execute_extras,
    read_result,
    read_tools,
)

INFO = {
    "success": True,
    "tool_name": "get_weather_forecast",
    "tool_description": "Gets weather forecast for a location",
    "tool_input_schema": '{"location": {"type": "string"}, "days": {"type": "number"}}',
    "tool_input_required": ["location"],
}


def weather() -> ToolProvider:
    provider = ToolProvider()

    @provider.tool(
        "weather", "The weather.", {"place": {"type": "string", "description": "Where"}}, ["place"]
    )
    def _(arguments: Mapping[str, str]) -> str:
        if arguments["place"] == "nowhere":
            raise ToolFailed("There is no such place.")
        return f"{1 / len(arguments['place']):.0f} mm of rain in {arguments['place']}"

    return provider


def test_the_flat_description_of_one_tool_is_read() -> None:
    assert read_tools(INFO) == [
        ProviderTool(
            "get_weather_forecast",
            "Gets weather forecast for a location",
            {"location": {"type": "string"}, "days": {"type": "number"}},
            ("location",),
        )
    ]


def test_several_tools_in_one_key_are_read() -> None:
    inputs = [
        {
            "type": "se.premex.mcp.provider.ToolInput.StringInput",
            "name": "text",
            "description": "What to turn",
            "required": True,
        },
        {"type": "other.NumberInput", "name": "times"},
    ]
    tools = {"tools": {"reverse": {"description": "Turn.", "inputs": inputs}}}
    assert read_tools({"success": True, "tool": json.dumps(tools)}) == [
        ProviderTool(
            "reverse",
            "Turn.",
            {
                "text": {"type": "string", "description": "What to turn"},
                "times": {"type": "number", "description": ""},
            },
            ("text",),
        )
    ]


@pytest.mark.parametrize(
    ("bundle", "predicate"),
    [
        (None, "answered get_tool_info with nothing"),
        ({}, "answered get_tool_info without success"),
        (
            {"success": False, "error_message": "Busy"},
            "answered get_tool_info without success: Busy",
        ),
        ({**INFO, "tool_name": ""}, "has no tool_name"),
        ({**INFO, "tool_description": None}, "has no tool_description"),
        ({**INFO, "tool_input_schema": None}, "has no tool_input_schema"),
        ({**INFO, "tool_input_schema": "{"}, "has a tool_input_schema that is not JSON"),
        ({**INFO, "tool_input_schema": "[]"}, "has a tool_input_schema that is not a JSON object"),
        (
            {**INFO, "tool_input_schema": '{"a": 1}'},
            "says of the parameter 'a' something that is no object",
        ),
        (
            {key: value for key, value in INFO.items() if key != "tool_input_required"},
            "has no tool_input_required, not even an empty array",
        ),
        (
            {**INFO, "tool_input_required": ["place"]},
            "names in tool_input_required what is not in tool_input_schema",
        ),
        ({"success": True, "tool": "{}"}, "has no object tools in its tool"),
    ],
)
def test_a_bad_provider_description_is_reported(
    bundle: dict[str, Any] | None, predicate: str
) -> None:
    with pytest.raises(BadTool) as caught:
        read_tools(bundle)
    assert str(caught.value) == predicate


def test_arguments_go_as_texts() -> None:
    arguments = {"a": '5 "x"\n', "b": 5, "c": True, "d": [1, "ü"], "e": {"f": 1.5}, "g": None}
    assert execute_extras("tool", arguments) == {
        "tool_name": "tool",
        "tool_arguments": {
            "a": '5 "x"\n',
            "b": "5",
            "c": "true",
            "d": '[1,"ü"]',
            "e": '{"f":1.5}',
        },
    }


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (2.0, "2"),
        (-7.0, "-7"),
        (-0.0, "0"),
        (2.5, "2.5"),
        (2.0**53, "9007199254740992"),
        (1e300, "1e+300"),
    ],
)
def test_a_whole_number_has_no_fraction(number: float, text: str) -> None:
    assert execute_extras("tool", {"days": number})["tool_arguments"] == {"days": text}


@pytest.mark.parametrize(
    ("bundle", "result"),
    [
        (None, ProviderResult(False, None)),
        ({}, ProviderResult(False, None)),
        ({"success": True, "tool_result": "Rain"}, ProviderResult(True, "Rain")),
        ({"success": True}, ProviderResult(True, None)),
        ({"success": "true", "tool_result": "Rain"}, ProviderResult(False, None)),
        ({"success": False, "error_message": "No"}, ProviderResult(False, "No")),
    ],
)
def test_results_are_read(bundle: dict[str, Any] | None, result: ProviderResult) -> None:
    assert read_result(bundle) == result


def test_a_provider_of_one_tool_describes_it_by_flat_keys() -> None:
    bundle = weather().call("get_tool_info", None, None)
    assert set(bundle) == set(INFO)
    assert read_tools(bundle) == [
        ProviderTool(
            "weather",
            "The weather.",
            {"place": {"type": "string", "description": "Where"}},
            ("place",),
        )
    ]


def test_a_provider_of_several_tools_describes_them_as_json() -> None:
    provider = weather()
    provider.tool("ping", "Answer.")(lambda arguments: "pong")
    assert [tool.name for tool in read_tools(provider.call("get_tool_info", None, None))] == [
        "weather",
        "ping",
    ]


@pytest.mark.parametrize(
    ("extras", "result"),
    [
        (execute_extras("weather", {"place": "X"}), ProviderResult(True, "1 mm of rain in X")),
        (
            execute_extras("weather", {}),
            ProviderResult(False, "Missing required parameter: 'place'"),
        ),
        (
            execute_extras("weather", {"place": "nowhere"}),
            ProviderResult(False, "There is no such place."),
        ),
        (
            execute_extras("weather", {"place": ""}),
            ProviderResult(False, "Execution error: division by zero"),
        ),
        (execute_extras("other", {}), ProviderResult(False, "Unknown tool: other")),
        ({"tool_name": "weather"}, ProviderResult(False, "Invalid arguments")),
        ({}, ProviderResult(False, "Tool name not specified")),
        (None, ProviderResult(False, "No extras provided")),
    ],
)
def test_a_tool_is_executed(extras: dict[str, Any] | None, result: ProviderResult) -> None:
    assert read_result(weather().call("execute_tool", None, extras)) == result


@pytest.mark.parametrize(
    ("schema", "fitting", "other"),
    [
        ({"type": "integer"}, ["2", "-7"], ["2.5", "two", "true", ""]),
        ({"type": "number"}, ["2", "2.5"], ["two", "false", "[]"]),
        ({"type": "boolean"}, ["true", "false"], ["yes", "1", "True"]),
        ({"type": "array"}, ["[1]"], ["1", "{}", "["]),
        ({"type": "object"}, ["{}"], ["[]", "x", "[" * 100_000]),
        ({"type": "string", "enum": ["a", "b"]}, ["a"], ["c", ""]),
        ({"type": "string"}, ["", "5"], []),
        ({"type": "date"}, ["today"], []),
        ({}, ["anything"], []),
    ],
)
def test_a_provider_checks_its_inputs_against_its_schema(
    schema: dict[str, Any], fitting: list[str], other: list[str]
) -> None:
    provider = ToolProvider()
    provider.tool("take", "Take.", {"it": schema})(lambda arguments: arguments["it"])

    def take(text: str) -> ProviderResult:
        return read_result(
            provider.call("execute_tool", None, execute_extras("take", {"it": text}))
        )

    assert [take(text) for text in fitting] == [ProviderResult(True, text) for text in fitting]
    wanted = "one of: a, b" if "enum" in schema else f"of type {schema.get('type')}"
    refusal = ProviderResult(False, f"Parameter 'it' must be {wanted}.")
    assert [take(text) for text in other] == [refusal] * len(other)


def test_a_tool_that_gives_back_no_text_has_failed() -> None:
    provider = ToolProvider()
    untyped: Any = lambda arguments: {"rain": 1}  # noqa: E731
    provider.tool("weather", "The weather.")(untyped)
    assert read_result(provider.call("execute_tool", None, execute_extras("weather", {}))) == (
        ProviderResult(False, "Execution error: weather gave back dict instead of a text")
    )


def test_another_method_is_refused() -> None:
    assert weather().call("delete", None, None) == {
        "success": False,
        "error_message": "Unknown method: delete",
    }


@given(
    st.dictionaries(
        st.sampled_from([*INFO, "tool"]),
        st.text(max_size=30) | st.booleans() | st.lists(st.text(max_size=3)) | st.none(),
    )
)
def test_no_bundle_breaks_the_reader(bundle: dict[str, Any]) -> None:
    with contextlib.suppress(BadTool):
        assert all(tool.name for tool in read_tools({**bundle, "success": True}))
