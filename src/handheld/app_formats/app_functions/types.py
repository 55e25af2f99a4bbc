"""Resolves references between types, for schemas, arguments and results."""

from collections.abc import Mapping
from dataclasses import replace

from .metadata import MOST_PROPERTIES, DataType
from .words import URI, TypeKind

WHOLE = frozenset((TypeKind.INT, TypeKind.LONG))
BROKEN = frozenset((TypeKind.FLOAT, TypeKind.DOUBLE))
"""Kinds of numbers."""
UNSENDABLE = frozenset((TypeKind.BYTES, TypeKind.PARCELABLE, TypeKind.UNIT))
"""Kinds without a JSON form."""
_MOST_STEPS = 32


class Impossible(Exception):
    """No value of this type can be sent. The message is a predicate about the function."""


class Types:
    """The types that an app's functions share, by name."""

    def __init__(self, named: Mapping[str, DataType]) -> None:
        self._named = named
        self._found: dict[str, DataType] = {}
        """The cache of resolved types: a few mutual references expand to very many."""

    def resolve(self, type: DataType) -> DataType:
        """Resolve a reference or an ALL_OF into the type itself. Raises Impossible."""
        return self._resolve(type, ())

    def _resolve(self, type: DataType, path: tuple[str, ...]) -> DataType:
        """`path`: the names of the enclosing types, "" for unnamed ones."""
        if len(path) > _MOST_STEPS:
            raise Impossible(f"has a type that refers to others over {_MOST_STEPS} deep")
        if type.kind is TypeKind.REFERENCE:
            found = self._look_up(type.reference, path)
            nullable = type.nullable or found.nullable
            described = type.description or found.description
            return replace(found, nullable=nullable, description=described)
        if type.kind is TypeKind.ALL_OF:
            return self._merge(type, path)
        return type

    def _look_up(self, name: str, path: tuple[str, ...]) -> DataType:
        found = self._found.get(name)
        if found is not None:
            return found
        target = self._named.get(name)
        if target is None:
            raise Impossible(f"has the type {name[:100]!r}, which is not declared")
        if name in path:
            raise Impossible("has a type that refers to itself")
        found = self._found[name] = self._resolve(target, (*path, name))
        return found

    def _merge(self, type: DataType, path: tuple[str, ...]) -> DataType:
        properties: dict[str, DataType] = {}
        required: frozenset[str] = frozenset()
        for part in type.parts:
            found = self._resolve(part, (*path, ""))
            if found.kind is not TypeKind.OBJECT:
                raise Impossible("has a type that is all of several, and not all are objects")
            properties.update(found.properties)
            required |= found.required
            if len(properties) > MOST_PROPERTIES:
                raise Impossible(f"has a type of over {MOST_PROPERTIES} parts")
        return replace(
            type, kind=TypeKind.OBJECT, properties=properties, required=required, parts=()
        )


def is_uri(type: DataType) -> bool:
    """Whether it is Android's Uri, an object with one text in Android and a text here."""
    return type.kind is TypeKind.OBJECT and type.name == URI and bool(type.properties)


def uri_property(type: DataType) -> str:
    return next(iter(type.properties))
