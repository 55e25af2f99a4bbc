"""The app's side: it declares and dispatches functions, and an app writes only their bodies.

functions = AppFunctions("org.example.notes.NoteFunctions")

@functions.function("addNote", "Adds a note.", {"title": STRING}, returns=INT)
def _(arguments):
    return add(arguments["title"])
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .declaring import UNIT, URI_TYPE, Declared
from .words import COMPONENTS, GLOBAL, RETURN_VALUE, STATIC, URI, FunctionError, TypeKind

_MOST_STEPS = 32
_EXPECTED = {
    TypeKind.BOOLEAN: bool,
    TypeKind.DOUBLE: float,
    TypeKind.FLOAT: float,
    TypeKind.LONG: int,
    TypeKind.INT: int,
    TypeKind.STRING: str,
}

Body = Callable[[Mapping[str, Any]], Any]
"""Takes the given arguments, and returns a value of the declared type."""


@dataclass(frozen=True, slots=True)
class Document:
    """An AppSearch document: properties, each of which is an array of one kind of values."""

    properties: Mapping[str, Sequence[Any]] = field(default_factory=dict[str, Sequence[Any]])
    type: str = ""


class FunctionFailed(Exception):
    """Raised by a function; the message is for the caller."""

    def __init__(self, message: str, code: FunctionError = FunctionError.APP) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Later:
    """Returned by a function that answers later."""

    after_ms: float
    value: Any = None


@dataclass(frozen=True, slots=True)
class _Function:
    id: str
    description: str
    parameters: Mapping[str, Declared]
    optional: frozenset[str]
    returns: Declared | None
    body: Body
    enabled: bool
    scope: str


class AppFunctions:
    """The functions of one class of an app."""

    def __init__(self, class_name: str) -> None:
        self._class = class_name
        self._functions: dict[str, _Function] = {}
        self._types: dict[str, Declared] = {}

    def declare(self, name: str, type: Declared) -> Declared:
        """Declare a type that others refer to."""
        self._types[name] = type
        return type

    def function(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Declared] | None = None,
        *,
        optional: Sequence[str] = (),
        returns: Declared | None = UNIT,
        enabled: bool = True,
        scope: str = GLOBAL,
    ) -> Callable[[Body], Body]:
        """`returns=None` declares only the id, like older indexers."""

        def add(body: Body) -> Body:
            id = f"{self._class}#{name}"
            self._functions[id] = _Function(
                id,
                description,
                parameters or {},
                frozenset(optional),
                returns,
                body,
                enabled,
                scope,
            )
            return body

        return add

    @property
    def ids(self) -> Sequence[str]:
        return tuple(self._functions)

    def is_enabled(self, id: str) -> bool:
        """Return the default state; the owner may have changed it."""
        return self._functions[id].enabled

    def documents(self, package: str) -> list[tuple[str, Declared]]:
        """Return the documents to index, each with its type, the functions first."""
        found = [
            (f"{STATIC}-{package}", self._describe(package, one))
            for one in self._functions.values()
        ]
        if self._types:
            named = [
                {"name": [name], "dataTypeMetadata": [type]} for name, type in self._types.items()
            ]
            components = {"packageName": [package], "dataTypes": named}
            found.append((f"{COMPONENTS}-{package}", components))
        return found

    def _describe(self, package: str, function: _Function) -> Declared:
        document: Declared = {
            "functionId": [function.id],
            "packageName": [package],
            "enabledByDefault": [function.enabled],
        }
        if function.returns is None:
            return document
        document["description"] = [function.description]
        if function.parameters:
            document["parameters"] = [
                {
                    "name": [name],
                    "isRequired": [name not in function.optional],
                    "dataTypeMetadata": [type],
                    **({"description": type["description"]} if "description" in type else {}),
                }
                for name, type in function.parameters.items()
            ]
        document["response"] = [{"valueType": [function.returns]}]
        document["scope"] = [function.scope]
        return document

    def execute(self, id: str, given: Document) -> Document | Later:
        """Raises FunctionFailed."""
        function = self._functions.get(id)
        if function is None:
            raise FunctionFailed(f"{id} not found", FunctionError.NOT_FOUND)
        arguments: dict[str, Any] = {}
        for name, type in function.parameters.items():
            if name in given.properties:
                arguments[name] = self._take(given.properties[name], type, name)
            elif name not in function.optional and not self._resolve(type)["isNullable"][0]:
                raise FunctionFailed(
                    f"Parameter {name} is required but missing", FunctionError.BAD_ARGUMENT
                )
        try:
            value = function.body(arguments)
        except FunctionFailed:
            raise
        except Exception as problem:
            raise FunctionFailed(f"{type_name(problem)}: {problem}") from problem
        returns = function.returns or UNIT
        if isinstance(value, Later):
            return Later(value.after_ms, self._give(value.value, returns))
        return self._give(value, returns)

    def _resolve(self, type: Declared) -> Declared:
        for _ in range(_MOST_STEPS):
            if type["type"][0] != TypeKind.REFERENCE:
                break
            name = type["dataTypeReference"][0]
            type = self._types[name] if name in self._types or name != URI else URI_TYPE
        if type["type"][0] != TypeKind.ALL_OF:
            return type
        parts = [self._resolve(part) for part in type["allOf"]]
        return {
            **type,
            "type": [int(TypeKind.OBJECT)],
            "properties": [one for part in parts for one in part["properties"]],
            "required": [one for part in parts for one in part.get("required", [])],
        }

    # Arguments

    def _take(self, values: Sequence[Any], declared: Declared, name: str) -> Any:
        type = self._resolve(declared)
        if type["type"][0] == TypeKind.ARRAY:
            item = self._resolve(type["itemType"][0])
            return [self._take_one(value, item, name) for value in values]
        return self._take_one(values[0], type, name)

    def _take_one(self, value: Any, type: Declared, name: str) -> Any:
        kind = TypeKind(type["type"][0])
        if kind in (TypeKind.OBJECT, TypeKind.ONE_OF):
            if not isinstance(value, Document):
                raise _mismatch(name)
            return self._take_object(value, type)
        if kind not in _EXPECTED or builtin(value) is not _EXPECTED[kind]:
            raise _mismatch(name)
        if "enumValues" in type and str(value) not in type["enumValues"]:
            raise FunctionFailed(
                f"{value} is not one of {type['enumValues']}", FunctionError.BAD_ARGUMENT
            )
        return value

    def _take_object(self, document: Document, type: Declared) -> Any:
        if type["type"][0] == TypeKind.ONE_OF:
            parts = [self._resolve(part) for part in type["oneOf"]]
            named = [one for one in parts if one["objectQualifiedName"][0] == document.type]
            if not named:
                raise FunctionFailed("Unknown type", FunctionError.BAD_ARGUMENT)
            return {"type": document.type, **self._take_object(document, named[0])}
        properties = {one["name"][0]: one["dataTypeMetadata"][0] for one in type["properties"]}
        missing = [
            one
            for one in type.get("required", [])
            if one not in document.properties
            and not self._resolve(properties[one])["isNullable"][0]
        ]
        if missing:
            raise FunctionFailed(f"{missing[0]} is required", FunctionError.BAD_ARGUMENT)
        taken = {
            name: self._take(values, properties[name], name)
            for name, values in document.properties.items()
            if name in properties
        }
        return taken["uri"] if type["objectQualifiedName"][0] == URI else taken

    # Results

    def _give(self, value: Any, returns: Declared) -> Document:
        type = self._resolve(returns)
        if value is None or type["type"][0] == TypeKind.UNIT:
            return Document()
        return Document({RETURN_VALUE: self._put(value, type)})

    def _put(self, value: Any, declared: Declared) -> list[Any]:
        type = self._resolve(declared)
        if type["type"][0] == TypeKind.ARRAY:
            item = type["itemType"][0]
            return [one for each in cast("list[Any]", value) for one in self._put(each, item)]
        if type["type"][0] not in (TypeKind.OBJECT, TypeKind.ONE_OF):
            return [value]
        if type["type"][0] == TypeKind.ONE_OF:
            parts = [self._resolve(part) for part in type["oneOf"]]
            type = next(one for one in parts if one["objectQualifiedName"][0] == value["type"])
        if type["objectQualifiedName"][0] == URI:
            return [Document({"uri": [value]}, URI)]
        properties = {one["name"][0]: one["dataTypeMetadata"][0] for one in type["properties"]}
        held = {
            name: self._put(one, properties[name])
            for name, one in cast("dict[str, Any]", value).items()
            if name in properties and one is not None
        }
        return [Document(held, type["objectQualifiedName"][0])]


def builtin(value: object) -> type:
    return bool if isinstance(value, bool) else type(value)


def type_name(problem: Exception) -> str:
    return type(problem).__name__


def _mismatch(name: str) -> FunctionFailed:
    # The message of the library for apps.
    return FunctionFailed(
        f"The value associated with the key {name} has a data type that does not match",
        FunctionError.BAD_ARGUMENT,
    )
