"""Types with their references followed: what schema, arguments and results have in common."""

from collections.abc import Mapping
from dataclasses import replace

from .metadata import DataType
from .words import URI, TypeKind

WHOLE = frozenset((TypeKind.INT, TypeKind.LONG))
BROKEN = frozenset((TypeKind.FLOAT, TypeKind.DOUBLE))
"""Kinds of numbers."""
UNSENDABLE = frozenset((TypeKind.BYTES, TypeKind.PARCELABLE, TypeKind.UNIT))
"""What no JSON stands for."""
_MOST_STEPS = 32


class Impossible(Exception):
    """No value of this type can be sent. The message is a predicate of what has it."""


class Types:
    """The types that an app's functions share, by name."""

    def __init__(self, named: Mapping[str, DataType]) -> None:
        self._named = named

    def resolve(self, type: DataType) -> DataType:
        """The type itself, in place of a reference or of an ALL_OF. Raises Impossible."""
        return self._resolve(type, _MOST_STEPS)

    def _resolve(self, type: DataType, left: int) -> DataType:
        if left == 0:
            raise Impossible("has a type that refers to itself")
        if type.kind is TypeKind.REFERENCE:
            target = self._named.get(type.reference)
            if target is None:
                raise Impossible(f"has the type {type.reference[:100]!r}, which is not declared")
            found = self._resolve(target, left - 1)
            nullable = type.nullable or found.nullable
            described = type.description or found.description
            return replace(found, nullable=nullable, description=described)
        if type.kind is TypeKind.ALL_OF:
            return self._merge(type, left - 1)
        return type

    def _merge(self, type: DataType, left: int) -> DataType:
        properties: dict[str, DataType] = {}
        required: frozenset[str] = frozenset()
        for part in type.parts:
            found = self._resolve(part, left)
            if found.kind is not TypeKind.OBJECT:
                raise Impossible("has a type that is all of several, and not all are objects")
            properties.update(found.properties)
            required |= found.required
        return replace(
            type, kind=TypeKind.OBJECT, properties=properties, required=required, parts=()
        )


def is_uri(type: DataType) -> bool:
    """Whether it is Android's Uri, which is an object of one text there and a text here."""
    return type.kind is TypeKind.OBJECT and type.name == URI and bool(type.properties)


def uri_property(type: DataType) -> str:
    return next(iter(type.properties))
