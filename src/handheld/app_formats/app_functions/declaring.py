"""The app's side: builds the documents in which an app declares types."""

from collections.abc import Mapping, Sequence
from typing import Any

from .words import URI, TypeKind

Declared = dict[str, Any]
"""A document; every property is an array."""


def _type(kind: TypeKind, **more: Sequence[Any]) -> Declared:
    return {"type": [int(kind)], "isNullable": [False], **{k: list(v) for k, v in more.items()}}


UNIT = _type(TypeKind.UNIT)
BOOLEAN = _type(TypeKind.BOOLEAN)
BYTES = _type(TypeKind.BYTES)
DOUBLE = _type(TypeKind.DOUBLE)
FLOAT = _type(TypeKind.FLOAT)
LONG = _type(TypeKind.LONG)
INT = _type(TypeKind.INT)
STRING = _type(TypeKind.STRING)
PARCELABLE = _type(TypeKind.PARCELABLE)


def nullable(type: Declared) -> Declared:
    return {**type, "isNullable": [True]}


def described(type: Declared, description: str) -> Declared:
    return {**type, "description": [description]}


def one_value_of(type: Declared, *values: str | int) -> Declared:
    """Declare a text or an integer with one of these values."""
    return {**type, "enumValues": [str(value) for value in values]}


def array_of(item: Declared) -> Declared:
    return _type(TypeKind.ARRAY, itemType=[item])


def object_of(
    name: str, properties: Mapping[str, Declared], required: Sequence[str] | None = None
) -> Declared:
    """Declare an object; `required` None means all properties."""
    named = [{"name": [key], "dataTypeMetadata": [type]} for key, type in properties.items()]
    needed = list(properties) if required is None else list(required)
    found = _type(TypeKind.OBJECT, properties=named, objectQualifiedName=[name])
    return {**found, "required": needed} if needed else found


def refer(name: str) -> Declared:
    """Refer to a type that is declared under this name."""
    return _type(TypeKind.REFERENCE, dataTypeReference=[name])


def all_of(name: str, *parts: Declared) -> Declared:
    """Declare an object with the properties of all parts."""
    return _type(TypeKind.ALL_OF, allOf=parts, objectQualifiedName=[name])


def one_of(name: str, *parts: Declared) -> Declared:
    """Declare an object that is one of the parts."""
    return _type(TypeKind.ONE_OF, oneOf=parts, objectQualifiedName=[name])


URI_TYPE = object_of(URI, {"uri": STRING})
