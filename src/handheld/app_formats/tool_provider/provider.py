"""The app's side: a provider that answers both methods; an app writes only its tools.

provider = ToolProvider()

@provider.tool("get_weather", "The weather at a place.", {"place": {"type": "string"}}, ["place"])
def get_weather(arguments):
    return f"Sunny in {arguments['place']}"

bundle = provider.call("execute_tool", None, extras)
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from .host import ProviderTool
from .words import (
    ARGUMENTS,
    DESCRIPTION,
    ERROR,
    EXECUTE_TOOL,
    GET_TOOL_INFO,
    INPUT_REQUIRED,
    INPUT_SCHEMA,
    NAME,
    RESULT,
    SEVERAL,
    SUCCESS,
)

_KINDS: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
"""The Python types of values that are sent as JSON, not as text."""

Function = Callable[[Mapping[str, str]], str]


class ToolFailed(Exception):
    """Raised by a tool; the message is for the caller."""


class ToolProvider:
    """Describes one tool by flat keys, several as JSON: the forms that hosts read."""

    def __init__(self) -> None:
        self._tools: dict[str, tuple[ProviderTool, Function]] = {}

    def tool(
        self,
        name: str,
        description: str,
        properties: Mapping[str, Mapping[str, Any]] | None = None,
        required: Sequence[str] = (),
    ) -> Callable[[Function], Function]:
        declared = ProviderTool(name, description, properties or {}, tuple(required))

        def add(function: Function) -> Function:
            self._tools[name] = declared, function
            return function

        return add

    def call(
        self, method: str, arg: str | None, extras: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Return the bundle that a content provider's `call` returns."""
        if method == GET_TOOL_INFO:
            return self._describe()
        if method == EXECUTE_TOOL:
            return self._execute(extras)
        return _failure(f"Unknown method: {method}")

    def _describe(self) -> dict[str, Any]:
        tools = [declared for declared, _ in self._tools.values()]
        if len(tools) == 1:
            return {
                SUCCESS: True,
                NAME: tools[0].name,
                DESCRIPTION: tools[0].description,
                INPUT_SCHEMA: json.dumps(tools[0].properties, ensure_ascii=False),
                INPUT_REQUIRED: list(tools[0].required),
            }
        described = {tool.name: _described(tool) for tool in tools}
        return {SUCCESS: True, SEVERAL: json.dumps({"tools": described}, ensure_ascii=False)}

    def _execute(self, extras: Mapping[str, Any] | None) -> dict[str, Any]:
        if extras is None:
            return _failure("No extras provided")
        name, arguments = extras.get(NAME), extras.get(ARGUMENTS)
        if not isinstance(name, str):
            return _failure("Tool name not specified")
        if not isinstance(arguments, Mapping):
            return _failure("Invalid arguments")
        found = self._tools.get(name)
        if found is None:
            return _failure(f"Unknown tool: {name}")
        declared, function = found
        given = cast("Mapping[str, str]", arguments)
        missing = [one for one in declared.required if one not in given]
        if missing:
            return _failure(f"Missing required parameter: '{missing[0]}'")
        for parameter, schema in declared.properties.items():
            wanted = _find_misfit(given[parameter], schema) if parameter in given else ""
            if wanted:
                return _failure(f"Parameter '{parameter}' must be {wanted}.")
        try:
            result: Any = function(given)
            if not isinstance(result, str):
                raise TypeError(f"{name} gave back {type(result).__name__} instead of a text")
            return {SUCCESS: True, RESULT: result}
        except ToolFailed as problem:
            return _failure(str(problem))
        except Exception as problem:
            return _failure(f"Execution error: {problem}")


def _described(tool: ProviderTool) -> dict[str, Any]:
    return {
        "description": tool.description,
        "inputs": [
            {
                "type": f"{schema.get('type', 'string')}".capitalize() + "Input",
                "name": name,
                "description": schema.get("description", ""),
                "required": name in tool.required,
            }
            for name, schema in tool.properties.items()
        ],
    }


def _find_misfit(text: str, schema: Mapping[str, Any]) -> str:
    """Return the type that a value, received as text, should have; "" if it fits."""
    choices: Any = schema.get("enum")
    if isinstance(choices, list) and text not in choices:
        return f"one of: {', '.join(map(str, cast('list[Any]', choices)))}"
    kinds = _KINDS.get(str(schema.get("type")))
    if kinds is None:
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    fits = isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)
    return "" if fits else f"of type {schema['type']}"


def _failure(message: str) -> dict[str, Any]:
    return {SUCCESS: False, ERROR: message}
