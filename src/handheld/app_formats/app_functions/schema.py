"""Types of app functions as JSON Schema."""

import re
from collections.abc import Callable
from typing import Any

from .metadata import DataType
from .types import BROKEN, UNSENDABLE, WHOLE, Impossible, Types, is_uri
from .words import SCHEMA_TYPE, TypeKind

MOST_PARTS = 500
"""The maximum of types in a schema: a few mutual references expand to very many."""
_FORMATS = ("date", "date-time", "time", "duration", "email", "uri", "uuid")
_NUMBER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_NAMES = {
    TypeKind.BOOLEAN: "boolean",
    TypeKind.STRING: "string",
    **dict.fromkeys(WHOLE, "integer"),
    **dict.fromkeys(BROKEN, "number"),
}

Describe = Callable[[str], str]
"""Makes a description safe to list."""
Allow = Callable[[str], bool]
"""Whether an app's word, the name of a property or a choice, is safe to list unchanged."""


class SchemaWriter:
    """Writes the schemas of one function's parameters."""

    def __init__(self, types: Types, describe: Describe, name: Allow, choice: Allow) -> None:
        self._types = types
        self._describe = describe
        self._name = name
        self._choice = choice
        self._left = MOST_PARTS

    def write(self, type: DataType, description: str = "") -> dict[str, Any]:
        """Raises Impossible."""
        return self._write(type, description or type.description, ())

    def _write(self, type: DataType, description: str, path: tuple[str, ...]) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0:
            raise Impossible(f"has a type of over {MOST_PARTS} parts")
        found = self._types.resolve(type)
        if found.kind in UNSENDABLE:
            raise Impossible(f"is of type {found.kind.name.lower()}, which cannot be sent over adb")
        schema = self._bare(found, path, type.reference)
        if found.nullable:
            schema = _nullable(schema)
        told = description or found.description
        words = self._describe(told) if told else ""
        return {**schema, "description": words} if words else schema

    def _bare(self, type: DataType, path: tuple[str, ...], reference: str) -> dict[str, Any]:
        if is_uri(type):
            return {"type": "string", "format": "uri"}
        if type.kind in (TypeKind.OBJECT, TypeKind.ONE_OF):
            # The qualified name reveals a type that contains itself even without a reference.
            here = reference or type.name
            if here and here in path:
                return {"type": "object"}
            inner = (*path, here) if here else path
            write = self._object if type.kind is TypeKind.OBJECT else self._alternatives
            return write(type, inner)
        if type.kind is TypeKind.ARRAY:
            assert type.item is not None
            # Android's command leaves out an empty array, so the app would not get it.
            return {"type": "array", "items": self._write(type.item, "", path), "minItems": 1}
        schema: dict[str, Any] = {"type": _NAMES[type.kind]}
        if type.choices and (choices := self._choices(type)):
            schema["enum"] = choices
        if type.kind is TypeKind.STRING and type.format in _FORMATS:
            schema["format"] = type.format
        return schema

    def _object(self, type: DataType, path: tuple[str, ...]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for name, property in type.properties.items():
            required = name in type.required
            try:
                if not self._name(name):
                    raise Impossible("has a property whose name cannot be listed")
                properties[name] = self._write(property, property.description, path)
            except Impossible:
                if required or self._left < 0:
                    raise
        listed = [name for name in type.properties if name in type.required]
        return {"type": "object", "properties": properties, "required": listed}

    def _alternatives(self, type: DataType, path: tuple[str, ...]) -> dict[str, Any]:
        possible: list[dict[str, Any]] = []
        for part in type.parts:
            try:
                possible.append(self._alternative(part, path))
            except Impossible:
                if self._left < 0:
                    raise
        if not possible:
            raise Impossible("is one of several types, none of which can be sent over adb")
        return {"type": "object", "oneOf": possible}

    def _alternative(self, part: DataType, path: tuple[str, ...]) -> dict[str, Any]:
        found = self._types.resolve(part)
        if found.kind is not TypeKind.OBJECT or not found.name or not self._choice(found.name):
            raise Impossible("is one of several types that are not named objects")
        schema = self._write(part, part.description, path)
        named = {SCHEMA_TYPE: {"type": "string", "const": found.name}}
        properties = {**named, **schema.get("properties", {})}
        required = [SCHEMA_TYPE, *schema.get("required", [])]
        return {**schema, "type": "object", "properties": properties, "required": required}

    def _choices(self, type: DataType) -> list[Any]:
        """Return the choices; [] if they cannot be listed. Each is a part of the schema."""
        if len(type.choices) > self._left:
            return []
        self._left -= len(type.choices)
        if type.kind in WHOLE:
            numbers = [int(one) for one in type.choices if _NUMBER.fullmatch(one)]
            return numbers if len(numbers) == len(type.choices) else []
        if type.kind is TypeKind.STRING and all(map(self._choice, type.choices)):
            return list(dict.fromkeys(type.choices))
        return []


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "oneOf" in schema:
        return {"oneOf": [*schema["oneOf"], {"type": "null"}]}
    nullable = {**schema, "type": [schema["type"], "null"]}
    return {**nullable, "enum": [*schema["enum"], None]} if "enum" in schema else nullable
