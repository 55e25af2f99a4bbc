"""A tool's parameters: their schema, and how a value is read.

Clients send `"true"`, `"5000"` and `300.0`; a value that is unambiguous is converted. Anything else
is rejected with the parameter's name, the expected type and the received value.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from ..errors import InvalidParams
from ..screen.text import brief
from .recording import Secret

_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER_LIMIT = 1 << 63
LONGEST = 10_000
"""Characters of a name, an id, a path, an address or words to search for: they are compared with
everything on a screen."""
_LONG = frozenset({Secret.ALWAYS, Secret.TYPED, Secret.FILE})
"""For content, which has other limits."""


@dataclass(frozen=True, slots=True)
class Param:
    """Describes a parameter in addition to its type, as in `Annotated[float, Param("…")]`."""

    description: str
    at_least: float | None = None
    at_most: float | None = None
    over: float | None = None
    """The number must be greater than this."""
    read: Callable[[Any], Any] | None = None
    """Reads a structured value. Raises InvalidParams, or Unusable."""
    empty: str = ""
    """The message for an empty text, after the parameter's name; by default empty is allowed."""
    unknown: str = "Parameter '{name}' must be one of: {choices}. Got: '{value}'"
    """The message for a value outside an enumeration."""
    beyond: str = "Parameter '{name}' must be {bound}, got: {value}"
    """The message for a number outside `at_least` to `at_most`."""
    refuse: Callable[[Any], str] | None = None
    """The sentence for a value that cannot be used for another reason; empty when it can."""
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further schema keys, such as the `items` of an array of objects; None takes one away."""
    longest: int | None = LONGEST
    """The most characters of a text that is no content; None: other limits hold."""
    secret: Secret | None = None
    """How the audit record treats the value. Must be given unless the type is a number, a boolean
    or a choice: every text parameter needs a decision."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]
    """Converts a value to the wanted type."""
    check: Callable[[Any], Any]
    """Checks the value that was read, and returns it."""
    required: bool
    default: Any = None
    secret: Secret = Secret.NO
    longest: int | None = None
    """The most characters of a text as it was sent; None: other limits hold."""


class Unusable(Exception):
    """A value is of the wrong type. The message has the expected type and the received value."""


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
    if param.secret is None and not choices and kind not in (bool, int, float):
        raise TypeError(f"Parameter {name} takes free text: its Param must state secret=.")
    schema: dict[str, Any] = {} if param.read else _type_schema(kind)
    schema |= param.schema
    schema.setdefault("description", param.description)
    schema = {key: value for key, value in schema.items() if value is not None}
    if not required and default is not None:
        schema["default"] = default
    convert = param.read or (read_text if choices else _reader(kind))

    def read(value: Any) -> Any:
        try:
            return convert(value)
        except Unusable as problem:
            raise InvalidParams(f"Parameter '{name}' {problem}") from None

    longest = None if param.secret in _LONG else param.longest

    def check(value: Any) -> Any:
        if longest is not None and isinstance(value, str) and len(value) > longest:
            raise InvalidParams(
                f"Parameter '{name}' must have at most {longest} characters, got: {len(value)}"
            )
        if choices:
            return _choose(name, value, choices, param)
        _check(name, value, param)
        return value

    secret = param.secret or Secret.NO
    # What is read of another kind of value may be shorter.
    sent = longest if (kind is str or choices) and not param.read else None
    return Parameter(name, schema, read, check, required, default, secret, sent)


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
            raise InvalidParams(f"Unknown parameter '{_shown(name)}'. {listed}.")
    for parameter in parameters:
        if parameter.required and parameter.name not in arguments:
            raise InvalidParams(f"Missing required parameter: '{parameter.name}'")
    given = [p for p in parameters if p.required or arguments.get(p.name) is not None]
    values = {parameter.name: parameter.default for parameter in parameters}
    # All types first: a value of the wrong type is the more basic mistake.
    for parameter in given:
        values[parameter.name] = parameter.read(arguments[parameter.name])
    for parameter in given:
        values[parameter.name] = parameter.check(values[parameter.name])
    return values


def _type_schema(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    if get_origin(kind) is list:
        return {"type": "array", "items": _type_schema(get_args(kind)[0])}
    if get_origin(kind) is dict or kind is dict:
        return {"type": "object"}
    if kind is Any:
        return {}
    return {"type": {str: "string", bool: "boolean", int: "integer", float: "number"}[kind]}


def _reader(kind: Any) -> Callable[[Any], Any]:
    if get_origin(kind) is list:
        return lambda value: _array(value, _reader(get_args(kind)[0]))
    if get_origin(kind) is dict or kind is dict:
        return _object
    readers: dict[Any, Callable[[Any], Any]] = {
        Any: lambda value: value,
        str: read_text,
        bool: _boolean,
        int: read_integer,
        float: read_number,
    }
    return readers[kind]


def read_text(value: Any) -> str:
    """What a tool gets for a text. Raises Unusable."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise Unusable(f"must be a string, {received(value)}")


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise Unusable(f"must be a boolean (true/false), {received(value)}")


def read_number(value: Any, wanted: str = "a number") -> float:
    number = value
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = float(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise Unusable(f"must be {wanted}, {received(value)}")
    try:
        number = float(number)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Unusable(f"must be a finite number, {received(value)}")
    return number


def read_integer(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,30}", value.strip(), re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        number = read_number(value, "an integer")
        if number != int(number):
            raise Unusable(f"must be an integer, {received(value)}")
        value = int(number)
    if not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise Unusable("value exceeds integer range")
    return value


def _array(value: Any, read: Callable[[Any], Any]) -> list[Any]:
    if not isinstance(value, list):
        raise Unusable(f"must be an array, {received(value)}")
    try:
        return [read(item) for item in cast("list[Any]", value)]
    except Unusable as problem:
        raise Unusable(f"must be an array, each item of which {problem}") from None


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unusable(f"must be an object, {received(value)}")
    return cast("dict[str, Any]", value)


def received(value: Any) -> str:
    if isinstance(value, str):
        return f"got string: '{_shown(value)}'"
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
        param.unknown.format(name=name, choices=", ".join(choices), value=_shown(value))
    )


def _check(name: str, value: Any, param: Param) -> None:
    if param.empty and not value:
        raise InvalidParams(f"Parameter '{name}' {param.empty}")
    if param.refuse is not None and (sentence := param.refuse(value)):
        raise InvalidParams(sentence)
    if param.over is not None and not value > param.over:
        raise InvalidParams(
            f"Parameter '{name}' must be > {_figure(param.over)}, got: {number_text(value)}"
        )
    low, high = param.at_least, param.at_most
    if (low is not None and value < low) or (high is not None and value > high):
        if low is None or high is None:
            bound = f">= {_figure(low)}" if low is not None else f"<= {_figure(high)}"
        else:
            bound = f"between {_figure(low)} and {_figure(high)}"
        raise InvalidParams(param.beyond.format(name=name, bound=bound, value=number_text(value)))


def number_text(value: float) -> str:
    """As replies print numbers: `2.0`, and `1.0E-5` for the very small or large."""
    if isinstance(value, int) or not value or 1e-3 <= abs(value) < 1e7:
        return str(value)
    from decimal import Decimal

    mantissa, _, exponent = f"{Decimal(repr(value)).normalize():E}".partition("E")
    mantissa += "" if "." in mantissa else ".0"
    return f"{mantissa}E{int(exponent)}"


def _figure(value: float | None) -> str:
    return str(int(value)) if value is not None and value == int(value) else str(value)


def _shown(text: str) -> str:
    """A text of the caller, in the form in which a message repeats it."""
    # Imported here: the commands that go through another process describe no screens.
    return brief(text)
