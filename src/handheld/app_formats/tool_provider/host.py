"""The caller's side: reads a provider's declarations, encodes calls, reads results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from .words import (
    ARGUMENTS,
    DESCRIPTION,
    ERROR,
    INPUT_REQUIRED,
    INPUT_SCHEMA,
    NAME,
    RESULT,
    SEVERAL,
    SUCCESS,
)

LONGEST = 256 * 1024
MOST_TOOLS = 100
MOST_PARAMETERS = 100
EXACT = 2**53
"""Up to this number, a float represents every integer."""


class BadTool(ValueError):
    """A provider's description of its tools is invalid. The message is a predicate."""


@dataclass(frozen=True, slots=True)
class ProviderTool:
    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    """JSON schemas of the parameters."""
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderResult:
    success: bool
    text: str | None
    """The result or the error; None if the provider gave none."""


def read_tools(bundle: Mapping[str, Any] | None) -> list[ProviderTool]:
    """Read the answer to `get_tool_info`. Raises BadTool."""
    if bundle is None:
        raise BadTool("answered get_tool_info with nothing")
    if bundle.get(SUCCESS) is not True:
        value = bundle.get(ERROR)
        reason = f": {value}" if isinstance(value, str) and value else ""
        raise BadTool(f"answered get_tool_info without success{reason}")
    if SEVERAL in bundle and NAME not in bundle:
        return _several(_json_object(bundle[SEVERAL], SEVERAL))
    name, description = (_string(bundle, key) for key in (NAME, DESCRIPTION))
    properties = _properties(_json_object(bundle.get(INPUT_SCHEMA), INPUT_SCHEMA))
    required = bundle.get(INPUT_REQUIRED)
    if not isinstance(required, Sequence) or isinstance(required, str):
        raise BadTool(f"has no {INPUT_REQUIRED}, not even an empty array")
    names = cast("Sequence[Any]", required)
    if not all(isinstance(one, str) and one in properties for one in names):
        raise BadTool(f"names in {INPUT_REQUIRED} what is not in {INPUT_SCHEMA}")
    return [ProviderTool(name, description, properties, tuple(dict.fromkeys(names)))]


def _several(value: dict[str, Any]) -> list[ProviderTool]:
    tools: Any = value.get("tools")
    if not isinstance(tools, dict):
        raise BadTool(f"has no object tools in its {SEVERAL}")
    named = cast("dict[str, Any]", tools)
    if len(named) > MOST_TOOLS:
        raise BadTool(f"offers over {MOST_TOOLS} tools")
    return [_one_of_several(name, value) for name, value in named.items()]


def _one_of_several(name: str, value: Any) -> ProviderTool:
    if not name or not isinstance(value, dict):
        raise BadTool(f"says of the tool {name!r} something that is no object")
    tool = cast("dict[str, Any]", value)
    description, inputs = tool.get("description"), tool.get("inputs", [])
    if not isinstance(description, str) or not isinstance(inputs, list):
        raise BadTool(f"says of the tool {name!r} no description, or inputs that are no array")
    properties: dict[str, Mapping[str, Any]] = {}
    required: list[str] = []
    for item in cast("list[Any]", inputs)[: MOST_PARAMETERS + 1]:
        one = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        parameter, words = one.get("name"), one.get("description", "")
        if not isinstance(parameter, str) or not parameter or not isinstance(words, str):
            raise BadTool(f"has an input of the tool {name!r} without a name")
        kind = str(one.get("type", "")).rpartition(".")[2].removesuffix("Input").lower()
        known = {"string", "boolean", "integer", "number", "array", "object"}
        properties[parameter] = {
            "type": kind if kind in known else "string",
            "description": words,
        }
        if one.get("required") is True:
            required.append(parameter)
    if len(properties) > MOST_PARAMETERS:
        raise BadTool(f"has over {MOST_PARAMETERS} parameters for the tool {name!r}")
    return ProviderTool(name, description, properties, tuple(required))


def _properties(value: dict[str, Any]) -> dict[str, Mapping[str, Any]]:
    if len(value) > MOST_PARAMETERS:
        raise BadTool(f"has over {MOST_PARAMETERS} parameters")
    for name, schema in value.items():
        if not name or not isinstance(schema, dict):
            raise BadTool(f"says of the parameter {name!r} something that is no object")
    return value


def _string(bundle: Mapping[str, Any], key: str) -> str:
    value = bundle.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadTool(f"has no {key}")
    return value


def _json_object(text: Any, key: str) -> dict[str, Any]:
    if not isinstance(text, str):
        raise BadTool(f"has no {key}")
    if len(text) > LONGEST:
        raise BadTool(f"has a {key} of over {LONGEST} characters")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadTool(f"has a {key} that is not JSON") from None
    if not isinstance(value, dict):
        raise BadTool(f"has a {key} that is not a JSON object")
    return cast("dict[str, Any]", value)


def execute_extras(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the arguments for `execute_tool`: strings unchanged, everything else as JSON text."""
    values = {key: _text(value) for key, value in arguments.items() if value is not None}
    return {NAME: name, ARGUMENTS: values}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        value = int(value)  # providers read `2` with toInt, which does not accept `2.0`
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_result(bundle: Mapping[str, Any] | None) -> ProviderResult:
    """Read the answer to `execute_tool`."""
    if bundle is None:
        return ProviderResult(False, None)
    success = bundle.get(SUCCESS) is True
    value = bundle.get(RESULT if success else ERROR)
    return ProviderResult(success, value if isinstance(value, str) else None)
