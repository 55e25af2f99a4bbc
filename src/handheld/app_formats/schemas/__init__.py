"""The schemas of apps' declarations of tools, and `find_misfit`, which validates a value.

The XML schema is not used here, because Python has no validator for it: `mobile_mcp.descriptor`
makes the same checks, and Java's validator tests both.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

FOLDER = Path(__file__).parent
DESCRIPTOR = "mobile-mcp-capabilities.xsd"
REQUEST = "mobile-mcp-request.schema.json"
RESPONSE = "mobile-mcp-response.schema.json"
TOOL_INPUT = "tool-input.schema.json"


@cache
def read_schema(name: str) -> Mapping[str, Any]:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def find_misfit(schema: Mapping[str, Any], value: Any, path: str = "") -> str:
    """Return the first violation of the schema, as a sentence without its end; "" if there is none.
    Supports only the keywords that our own schemas use; raises KeyError for others.
    """
    return next(_misfits(schema, value, path), "")


def _misfits(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    for keyword, wanted in schema.items():
        yield from _KEYWORDS[keyword](wanted, value, path)


def _type(wanted: str, value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, _TYPES[wanted]):
        yield f"{_named(path)} is not of the type {wanted}"


def _one_of(wanted: list[str], value: Any, path: str) -> Iterator[str]:
    if value not in wanted:
        yield f"{_named(path)} is none of: {', '.join(wanted)}"


def _const(wanted: str, value: Any, path: str) -> Iterator[str]:
    if value != wanted:
        yield f"{_named(path)} is not {json.dumps(wanted)}"


def _required(wanted: list[str], value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{_named(path)} has no {name}" for name in wanted if name not in value)


def _properties(wanted: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in (name for name in wanted if name in value):
            yield from _misfits(wanted[name], value[name], f"{path}.{name}" if path else name)


def _other_properties(wanted: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    # No schema of ours has this and `properties` in the same object.
    if isinstance(value, dict):
        names = cast("dict[str, Any]", value)
        yield from _properties(dict.fromkeys(names, wanted), names, path)


def _items(wanted: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _misfits(wanted, item, f"{path}[{index}]")


def _least(kind: type, size: int, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, kind) and len(value) < size:
        yield f"{_named(path)} is empty"


def _most_properties(most: int, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) > most:
        yield f"{_named(path)} has over {most} members"


def _named(path: str) -> str:
    return path or "It"


def _nothing(wanted: str, value: Any, path: str) -> Iterator[str]:
    """Check nothing: the keyword is for readers."""
    return iter(())


_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str}
_KEYWORDS: Mapping[str, Callable[[Any, Any, str], Iterator[str]]] = {
    "type": _type,
    "enum": _one_of,
    "const": _const,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _other_properties,
    "items": _items,
    "minLength": lambda size, value, path: _least(str, size, value, path),
    "minItems": lambda size, value, path: _least(list, size, value, path),
    "maxProperties": _most_properties,
    **dict.fromkeys(("$schema", "$id", "title", "description"), _nothing),
}
