"""Reduces a JSON Schema to the keywords that every model's client accepts."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

KEYWORDS = ("type", "description", "enum", "properties", "required", "items")
_TYPES = ("string", "integer", "number", "boolean", "array", "object")
_DEEPEST = 8


def reduce_schema(schema: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return a schema of `KEYWORDS` alone. Some clients refuse a whole request for one other
    keyword. Where the schema allowed several types, the first is kept, or text where none is
    certain; the server that gets the value still decides about it."""
    kind = _type_of(schema)
    reduced: dict[str, Any] = {"type": kind}
    if isinstance(description := schema.get("description"), str) and description:
        reduced["description"] = description
    choices = _texts(schema.get("enum"))
    if kind == "string" and choices:
        reduced["enum"] = choices
    if kind == "array":
        items = schema.get("items")
        reduced["items"] = (
            reduce_schema(cast("Mapping[str, Any]", items), depth + 1)
            if isinstance(items, Mapping) and depth < _DEEPEST
            else {"type": "string"}
        )
    if kind == "object":
        properties = _properties(schema) if depth < _DEEPEST else {}
        if not properties and depth:
            # An object without declared parts is refused by some: it is taken as JSON text.
            note = "JSON object"
            described = reduced.get("description")
            return {"type": "string", "description": f"{described} ({note})" if described else note}
        reduced["properties"] = {
            name: reduce_schema(each, depth + 1) for name, each in properties.items()
        }
        required = [each for each in _texts(schema.get("required")) if each in properties]
        if required:
            reduced["required"] = required
    return reduced


def _type_of(schema: Mapping[str, Any]) -> str:
    kind: Any = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in cast("list[Any]", kind) if each in _TYPES), None)
    if isinstance(kind, str) and kind in _TYPES:
        return kind
    for keyword in ("anyOf", "oneOf", "allOf"):
        for each in _sequence(schema.get(keyword)):
            if isinstance(each, Mapping):
                found = cast("Mapping[str, Any]", each).get("type")
                if isinstance(found, str) and found in _TYPES:
                    return found
    return "object" if _properties(schema) else "string"


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    given = schema.get("properties")
    if not isinstance(given, Mapping):
        return {}
    return {
        name: cast("Mapping[str, Any]", each) if isinstance(each, Mapping) else {}
        for name, each in cast("Mapping[str, Any]", given).items()
    }


def _sequence(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()


def _texts(value: Any) -> list[str]:
    return [each for each in _sequence(value) if isinstance(each, str)]
