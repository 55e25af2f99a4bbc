"""A tool's parameters: what the schema says of them, and how a value is read.

Clients send `"true"`, `"5000"` and `300.0`; what can only mean one thing is taken as that. Anything
else is refused with the parameter's name, what was wanted and what came.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from .errors import InvalidParams
from .ui.text import cut, plain

_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER_LIMIT = 1 << 63


@dataclass(frozen=True, slots=True)
class Param:
    """What is said of a parameter beside its type, as in `Annotated[float, Param("…")]`."""

    description: str
    at_least: float | None = None
    at_most: float | None = None
    empty: str = ""
    """What an empty text is told after the parameter's name; by default empty is fine."""
    unknown: str = "Parameter '{name}' must be one of: {choices}. Got: '{value}'"
    """What a value outside an enumeration is told."""
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further schema keys, such as the `items` of an array of objects."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]
    required: bool
    default: Any = None


class Unusable(Exception):
    """A value is of the wrong type: what it must be, and what came."""


def declare(name: str, hint: Any, default: Any, required: bool) -> Parameter:
    """The parameter for `hint`, an annotated type, and the function's default."""
    if get_origin(hint) is not Annotated:
        raise TypeError(f"Parameter {name} is not annotated with a Param.")
    kind, param = get_args(hint)[:2]
    if not isinstance(param, Param):
        raise TypeError(f"Parameter {name} is not annotated with a Param.")
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    choices: tuple[str, ...] = get_args(kind) if get_origin(kind) is Literal else ()
    schema: dict[str, Any] = {**_type_schema(kind), "description": param.description}
    schema |= param.schema
    if not required and default is not None:
        schema["default"] = default
    convert = _text if choices else _reader(kind)

    def read(value: Any) -> Any:
        try:
            converted = convert(value)
        except Unusable as problem:
            raise InvalidParams(f"Parameter '{name}' {problem}") from None
        if choices:
            return _choose(name, converted, choices, param)
        _check(name, converted, param)
        return converted

    return Parameter(name, schema, read, required, default)


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {parameter.name: dict(parameter.schema) for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
    }


def read_arguments(
    parameters: Sequence[Parameter], arguments: Mapping[str, Any], besides: Sequence[str] = ()
) -> dict[str, Any]:
    """The arguments as the function takes them. Raises InvalidParams, which lists `besides` too."""
    known = [*(parameter.name for parameter in parameters), *besides]
    for name in arguments:
        if name not in known:
            listed = f"Known parameters: {', '.join(known)}" if known else "This tool takes none"
            raise InvalidParams(f"Unknown parameter '{cut(plain(name))}'. {listed}.")
    for parameter in parameters:
        if parameter.required and parameter.name not in arguments:
            raise InvalidParams(f"Missing required parameter: '{parameter.name}'")
    values: dict[str, Any] = {}
    for parameter in parameters:
        value = arguments.get(parameter.name)
        absent = value is None and not parameter.required
        values[parameter.name] = parameter.default if absent else parameter.read(value)
    return values


def _type_schema(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    if get_origin(kind) is list:
        return {"type": "array", "items": _type_schema(get_args(kind)[0])}
    if get_origin(kind) is dict or kind is dict:
        return {"type": "object"}
    return {"type": {str: "string", bool: "boolean", int: "integer", float: "number"}[kind]}


def _reader(kind: Any) -> Callable[[Any], Any]:
    if get_origin(kind) is list:
        return lambda value: _array(value, _reader(get_args(kind)[0]))
    if get_origin(kind) is dict or kind is dict:
        return _object
    readers: dict[Any, Callable[[Any], Any]] = {
        str: _text,
        bool: _boolean,
        int: _integer,
        float: _number,
    }
    return readers[kind]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise Unusable(f"must be a string, {_came(value)}")


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise Unusable(f"must be a boolean (true/false), {_came(value)}")


def _number(value: Any, wanted: str = "a number") -> float:
    number = value
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = float(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise Unusable(f"must be {wanted}, {_came(value)}")
    try:
        number = float(number)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Unusable(f"must be a finite number, {_came(value)}")
    return number


def _integer(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,30}", value.strip(), re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        number = _number(value, "an integer")
        if number != int(number):
            raise Unusable(f"must be an integer, {_came(value)}")
        value = int(number)
    if not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise Unusable("value exceeds integer range")
    return value


def _array(value: Any, read: Callable[[Any], Any]) -> list[Any]:
    if not isinstance(value, list):
        raise Unusable(f"must be an array, {_came(value)}")
    try:
        return [read(item) for item in cast("list[Any]", value)]
    except Unusable as problem:
        raise Unusable(f"must be an array, each item of which {problem}") from None


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unusable(f"must be an object, {_came(value)}")
    return cast("dict[str, Any]", value)


def _came(value: Any) -> str:
    if isinstance(value, str):
        return f"got string: '{cut(plain(value))}'"
    if isinstance(value, list | tuple):
        return "got an array"
    if isinstance(value, dict):
        return "got an object"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**100:
        return "got a number of more than 100 digits"
    return f"got: '{json.dumps(value)}'"


def _choose(name: str, value: str, choices: Sequence[str], param: Param) -> str:
    for choice in choices:
        if choice.lower() == value.strip().lower():
            return choice
    raise InvalidParams(
        param.unknown.format(name=name, choices=", ".join(choices), value=cut(plain(value)))
    )


def _check(name: str, value: Any, param: Param) -> None:
    if param.empty and not value:
        raise InvalidParams(f"Parameter '{name}' {param.empty}")
    low, high = param.at_least, param.at_most
    if (low is not None and value < low) or (high is not None and value > high):
        if low is None or high is None:
            bound = f">= {_figure(low)}" if low is not None else f"<= {_figure(high)}"
        else:
            bound = f"between {_figure(low)} and {_figure(high)}"
        raise InvalidParams(f"Parameter '{name}' must be {bound}, got: {value}")


def _figure(value: float | None) -> str:
    return str(int(value)) if value is not None and value == int(value) else str(value)
