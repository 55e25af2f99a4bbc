"""Unwraps a function's result by its declared type."""

from collections.abc import Mapping
from typing import Any, cast

from .metadata import DataType
from .types import BROKEN, Impossible, Types, is_uri, uri_property
from .words import RETURN_VALUE, TypeKind

DEEPEST = 64


class Odd(Exception):
    """A result does not have its declared type."""


def is_void(document: Mapping[str, Any]) -> bool:
    """Whether the function returned nothing."""
    return RETURN_VALUE not in document


def read_result(document: Mapping[str, Any], type: DataType | None, types: Types) -> Any:
    """Return the result; None for nothing. A result of another type than the declared one is
    returned in Android's form."""
    if is_void(document):
        return None
    printed = document[RETURN_VALUE]
    if type is None:
        return printed
    try:
        return _unwrap(printed, type, types, 0)
    except (Odd, Impossible):
        return printed


def _unwrap(values: Any, type: DataType, types: Types, deep: int) -> Any:
    """Unwrap a value from an array, the form in which Android prints every property."""
    if not isinstance(values, list) or deep > DEEPEST:
        raise Odd
    found = types.resolve(type)
    items = cast("list[Any]", values)
    if found.kind is TypeKind.ARRAY:
        assert found.item is not None
        item = types.resolve(found.item)
        return [_one(value, item, types, deep) for value in items]
    if len(items) != 1:
        raise Odd
    return _one(items[0], found, types, deep)


def _one(value: Any, type: DataType, types: Types, deep: int) -> Any:
    match type.kind:
        case TypeKind.OBJECT | TypeKind.ONE_OF:
            if not isinstance(value, dict):
                raise Odd
            document = cast("dict[str, Any]", value)
            if is_uri(type):
                return _unwrap(document.get(uri_property(type)), _TEXT, types, deep + 1)
            shape = type if type.kind is TypeKind.OBJECT else _choose(document, type, types)
            return {
                name: _unwrap(held, shape.properties[name], types, deep + 1)
                if name in shape.properties
                else held
                for name, held in document.items()
            }
        case TypeKind.BOOLEAN:
            fits = isinstance(value, bool)
        case TypeKind.STRING:
            fits = isinstance(value, str)
        case TypeKind.INT | TypeKind.LONG:
            fits = isinstance(value, int) and not isinstance(value, bool)
        case _ if type.kind in BROKEN:
            # Android writes an integral double without a point.
            if isinstance(value, int) and not isinstance(value, bool):
                return _as_float(value)
            fits = isinstance(value, float)
        case _:
            fits = False
    if not fits:
        raise Odd
    return value


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise Odd from None


def _choose(document: Mapping[str, Any], type: DataType, types: Types) -> DataType:
    """Choose among several types the first one that has all properties of the document. Android
    does not print the type's name."""
    for part in type.parts:
        try:
            found = types.resolve(part)
        except Impossible:
            continue
        if found.kind is TypeKind.OBJECT and document.keys() <= found.properties.keys():
            return found
    raise Odd


_TEXT = DataType(TypeKind.STRING)
