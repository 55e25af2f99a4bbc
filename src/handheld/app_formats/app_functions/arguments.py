"""Encodes arguments for Android's command: a JSON object, whose values it types by their form.

A number with a point is a double, one without is a long; a list has the type of its first item, and
an empty one is left out. The phone serializes and parses nested objects again, so an integral
double loses its point. Values that would arrive as another type are refused here.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...compact_json import read_unambiguous
from .metadata import DataType, FunctionParameter
from .types import BROKEN, UNSENDABLE, Impossible, Types, is_uri, uri_property
from .words import SCHEMA_TYPE, TypeKind

DEEPEST = 64
"""The maximum nesting of objects in an argument."""
_BITS = {TypeKind.INT: 31, TypeKind.LONG: 63}
_EXACT = 2.0**63
_STRUCTURED = frozenset((TypeKind.OBJECT, TypeKind.ONE_OF, TypeKind.ARRAY))


class BadArgument(ValueError):
    """A value that does not fit its type, or that the command would change. The message
    is a predicate: `must be a whole number`."""


def encode_arguments(
    parameters: Sequence[FunctionParameter], types: Types, values: Mapping[str, Any]
) -> str:
    """Return the arguments for Android's command, in ASCII. None values are left out. Raises
    BadArgument, prefixed with the name."""
    encoded: dict[str, Any] = {}
    for parameter in parameters:
        value = values.get(parameter.name)
        if value is None:
            continue
        try:
            encoded[parameter.name] = encode(value, parameter.type, types)
        except BadArgument as problem:
            raise BadArgument(f"'{parameter.name}' {problem}") from None
    return write(encoded)


def encode(value: Any, type: DataType, types: Types) -> Any:
    """Return the value as JSON that arrives unchanged. Raises BadArgument."""
    return _encode(value, type, types, 0)


def _encode(value: Any, type: DataType, types: Types, deep: int) -> Any:
    if deep > DEEPEST:
        raise BadArgument(f"must not be more than {DEEPEST} deep")
    try:
        found = types.resolve(type)
    except Impossible as problem:
        raise BadArgument(f"cannot be sent: it {problem}") from None
    if found.kind in UNSENDABLE:
        raise BadArgument(f"cannot be sent over adb: it is of type {found.kind.name.lower()}")
    if is_uri(found):
        return {uri_property(found): _text(value, found)}
    if found.kind in _STRUCTURED and isinstance(value, str):
        value = _read_json(value)
    match found.kind:
        case TypeKind.OBJECT:
            return _object(value, found, types, deep)
        case TypeKind.ONE_OF:
            return _one_of(value, found, types, deep)
        case TypeKind.ARRAY:
            return _array(value, found, types, deep)
        case TypeKind.BOOLEAN:
            if not isinstance(value, bool):
                raise BadArgument("must be true or false")
            return value
        case TypeKind.STRING:
            return _text(value, found)
        case _:
            return _number(value, found, deep)


def _read_json(text: str) -> Any:
    """Parse a structure sent as JSON text, as clients do if the schema is not specific."""
    try:
        return read_unambiguous(text)
    except (ValueError, RecursionError):
        return text


def _text(value: Any, type: DataType) -> str:
    if not isinstance(value, str):
        raise BadArgument("must be a text")
    _check_choice(value, type)
    return value


def _number(value: Any, type: DataType, deep: int) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadArgument("must be a number")
    if type.kind in BROKEN:
        return _broken(value, deep)
    if not math.isfinite(value) or value != int(value):
        raise BadArgument("must be a whole number")
    whole = int(value)
    bits = _BITS[type.kind]
    if not -(1 << bits) <= whole < 1 << bits:
        raise BadArgument(f"must be a whole number of {bits + 1} bits")
    _check_choice(str(whole), type)
    return whole


def _broken(value: float, deep: int) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadArgument("must be a finite number")
    if deep and loses_point(number):
        raise BadArgument(
            f"must not be a whole number, such as {number:g}, inside an object: Android's command"
            " would pass it on as an integer, which the app does not accept for this type"
        )
    return number


def loses_point(number: float) -> bool:
    """Return whether Android writes this double without a point."""
    return number.is_integer() and abs(number) <= _EXACT


def _check_choice(text: str, type: DataType) -> None:
    if type.choices and text not in type.choices:
        raise BadArgument(f"must be one of: {', '.join(type.choices)[:500]}")


def _array(value: Any, type: DataType, types: Types, deep: int) -> list[Any]:
    if not isinstance(value, list):
        raise BadArgument("must be an array")
    items = cast("list[Any]", value)
    if not items:
        raise BadArgument(
            "must not be an empty array: Android's command leaves it out, and the app would not get"
            " it"
        )
    assert type.item is not None
    item = type.item
    encoded: list[Any] = []
    for number, one in enumerate(items):
        if one is None:
            raise BadArgument("must be an array without null in it")
        # The first item decides the type of all.
        level = deep if number == 0 else 0
        try:
            if types.resolve(item).kind in _STRUCTURED:
                level = deep
            if isinstance(one, list):
                raise BadArgument("must not be an array within an array")
            encoded.append(_encode(one, item, types, level))
        except Impossible as problem:
            raise BadArgument(f"cannot be sent: it {problem}") from None
        except BadArgument as problem:
            raise BadArgument(f"must be an array, each item of which {problem}") from None
    return encoded


def _object(value: Any, type: DataType, types: Types, deep: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadArgument("must be an object")
    given = cast("dict[str, Any]", value)
    for name in given:
        if name not in type.properties:
            raise BadArgument(f"must not have the unknown key '{name[:100]}'")
    encoded: dict[str, Any] = {}
    for name, property in type.properties.items():
        one = given.get(name)
        if one is None:
            if name in type.required and not _may_be_null(property, types):
                raise BadArgument(f"must have the key '{name}'")
            continue
        try:
            encoded[name] = _encode(one, property, types, deep + 1)
        except BadArgument as problem:
            raise BadArgument(f"must be an object whose '{name}' {problem}") from None
    return encoded


def _may_be_null(type: DataType, types: Types) -> bool:
    try:
        return types.resolve(type).nullable
    except Impossible:
        return False


def _one_of(value: Any, type: DataType, types: Types, deep: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadArgument("must be an object")
    given = dict(cast("dict[str, Any]", value))
    wanted = given.pop(SCHEMA_TYPE, None)
    for part in type.parts:
        try:
            found = types.resolve(part)
        except Impossible:
            continue
        if found.kind is TypeKind.OBJECT and found.name == wanted:
            own = SCHEMA_TYPE in found.properties
            inner = {**given, SCHEMA_TYPE: wanted} if own else given
            return {SCHEMA_TYPE: wanted, **_object(inner, found, types, deep)}
    raise BadArgument(f"must name its type in '{SCHEMA_TYPE}'")


def write(value: Any) -> str:
    """Write JSON in ASCII, every double with a point."""
    if isinstance(value, float):
        text = repr(value)
        mantissa, exponent, power = text.partition("e")
        return text if "." in mantissa else f"{mantissa}.0{exponent}{power}"
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value).items()
        return "{" + ",".join(f"{json.dumps(name)}:{write(one)}" for name, one in entries) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, cast("list[Any]", value))) + "]"
    return json.dumps(value)
