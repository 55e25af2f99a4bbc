"""Reads apps' declarations: the documents that Android lists become functions and types.

Android prints every property as an array, even a single value.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .words import GLOBAL, RUNTIME, STATIC, Enabled, TypeKind

DEEPEST = 32
"""The maximum nesting of types."""
DEEPEST_DOCUMENT = 200
"""The maximum nesting of JSON: more than such types need."""
MOST_FUNCTIONS = 200
"""The maximum of functions per app: describing each takes as long as its types allow."""
MOST_PARAMETERS = 100
LONGEST_DESCRIPTION = 5000
"""The maximum of characters read from a description; fewer are shown."""
MOST_PROPERTIES = 200
"""The maximum of properties of an object, and of alternatives of a type."""


class BadFunctions(ValueError):
    """Android's output is not a list of functions, or a function in it cannot be read. The message
    is a predicate."""


@dataclass(frozen=True, slots=True)
class DataType:
    kind: TypeKind
    nullable: bool = False
    description: str = ""
    item: "DataType | None" = None
    """The item type of an array."""
    properties: Mapping[str, "DataType"] = field(default_factory=dict[str, "DataType"])
    required: frozenset[str] = frozenset()
    parts: tuple["DataType", ...] = ()
    """The parts of ALL_OF and ONE_OF."""
    reference: str = ""
    name: str = ""
    """The qualified name of an object."""
    choices: tuple[str, ...] = ()
    """The allowed values; integers are also texts."""
    format: str = ""


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    name: str
    type: DataType
    required: bool
    description: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    id: str
    package: str
    description: str = ""
    parameters: tuple[FunctionParameter, ...] = ()
    returns: DataType | None = None
    """None if only the id is known, without parameters: an older Android indexed it."""
    returns_what: str = ""
    enabled: bool = True
    deprecated: str = ""
    scope: str = GLOBAL
    access: str = ""

    @property
    def short_name(self) -> str:
        """The part after the class: `addNote` of `org.example.Notes#addNote`."""
        return self.id.rpartition("#")[2] or self.id


@dataclass(frozen=True, slots=True)
class DeclaredFunctions:
    """The declared functions of one app."""

    functions: tuple[Function, ...]
    types: Mapping[str, DataType] = field(default_factory=dict[str, DataType])
    """The types that references refer to."""
    declared: Any = None
    """The part that changes only with the app; it is the input of a digest."""
    problems: tuple[str, ...] = ()
    """A sentence for each function that cannot be read."""


def read_functions(text: str) -> dict[str, DeclaredFunctions]:
    """Parse Android's output into functions by package. Raises BadFunctions."""
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFunctions("is not JSON") from None
    if not isinstance(listed, dict):
        raise BadFunctions("is not a JSON object")
    packages = cast("dict[str, Any]", listed)
    found: dict[str, DeclaredFunctions] = {}
    for package, results in packages.items():
        if not isinstance(results, list):
            raise BadFunctions(f"does not list an array for {package[:100]!r}")
        found[package] = _read_package(package, cast("list[Any]", results))
    return found


def _read_package(package: str, results: Sequence[Any]) -> DeclaredFunctions:
    static: dict[str, tuple[Mapping[str, Any], Enabled]] = {}
    others: list[Mapping[str, Any]] = []
    problems: list[str] = []
    for result in results:
        if _is_deep(result):
            problems = [f"{package} declares something over {DEEPEST_DOCUMENT} levels deep."]
            continue
        joined = _documents(result)
        own = next((one for kind, one in joined if _is(kind, STATIC)), None)
        if own is None:
            others += [one for kind, one in joined if not _is(kind, RUNTIME)]
        elif (id := _text(own, "functionId")) and id not in static:
            static[id] = own, _read_state(joined)
    functions: list[Function] = []
    for id, (document, state) in list(static.items())[:MOST_FUNCTIONS]:
        try:
            functions.append(_read_function(id, package, document, state))
        except BadFunctions as problem:
            problems.append(f"{package}: the function {id[:200]!r} {problem}.")
    if len(static) > MOST_FUNCTIONS:
        problems.append(f"{package} declares over {MOST_FUNCTIONS} functions.")
    declared = [
        [document for _, (document, _) in sorted(static.items())],
        sorted(others, key=lambda one: json.dumps(one, sort_keys=True)),
    ]
    return DeclaredFunctions(tuple(functions), _read_types(others), declared, tuple(problems))


def _is_deep(value: Any) -> bool:
    """Whether it is nested too deep for Python to serialize it, which a digest needs."""
    level = [value]
    for _ in range(DEEPEST_DOCUMENT):
        level = [inner for one in level for inner in _within(one)]
        if not level:
            return False
    return True


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _documents(result: Any, deep: int = 0) -> list[tuple[str, Mapping[str, Any]]]:
    """Documents with their types. Android lists a joined document once more under its type, as a
    separate object; this function undoes that."""
    if not isinstance(result, dict):
        return []
    found: list[tuple[str, Mapping[str, Any]]] = []
    for kind, value in cast("dict[str, Any]", result).items():
        if not isinstance(value, dict):
            continue
        document = cast("dict[str, Any]", value)
        if deep < 2 and isinstance(document.get(kind), dict):
            found += _documents(document, deep + 1)
        else:
            found.append((kind, document))
    return found


def _is(kind: str, wanted: str) -> bool:
    return kind == wanted or kind.startswith(f"{wanted}-")


def _read_state(joined: Sequence[tuple[str, Mapping[str, Any]]]) -> Enabled:
    for kind, document in joined:
        if _is(kind, RUNTIME):
            value = _first(document, "enabled")
            if isinstance(value, int) and value in tuple(Enabled):
                return Enabled(value)
    return Enabled.DEFAULT


def _read_function(id: str, package: str, document: Mapping[str, Any], state: Enabled) -> Function:
    """Raises BadFunctions."""
    if _text(document, "packageName") not in ("", package):
        raise BadFunctions("names another package as its own")
    response = _first(document, "response")
    returns: DataType | None = None
    returns_what = ""
    if isinstance(response, dict):
        answer = cast("dict[str, Any]", response)
        returns = read_type(_first(answer, "valueType"))
        returns_what = _description(answer) or returns.description
    given = list(_objects(document, "parameters"))
    if len(given) > MOST_PARAMETERS:
        raise BadFunctions(f"has over {MOST_PARAMETERS} parameters")
    by_default = _first(document, "enabledByDefault") is not False
    deprecated = _first(document, "deprecation")
    return Function(
        id,
        package,
        _description(document),
        tuple(map(_read_parameter, given)),
        returns,
        returns_what,
        by_default if state is Enabled.DEFAULT else state is Enabled.ON,
        _text(cast("dict[str, Any]", deprecated), "message")[:LONGEST_DESCRIPTION]
        if isinstance(deprecated, dict)
        else "",
        _text(document, "scope") or GLOBAL,
        _text(document, "accessLevel"),
    )


def _read_parameter(document: Mapping[str, Any]) -> FunctionParameter:
    name = _text(document, "name")
    if not name:
        raise BadFunctions("has a parameter without a name")
    type = read_type(_first(document, "dataTypeMetadata"))
    described = _description(document) or type.description
    return FunctionParameter(name, type, _first(document, "isRequired") is True, described)


def _read_types(documents: Sequence[Mapping[str, Any]]) -> dict[str, DataType]:
    """Read the shared types. Unreadable ones are left out: references to them then lead nowhere."""
    found: dict[str, DataType] = {}
    for document in documents:
        for entry in _objects(document, "dataTypes"):
            name = _text(entry, "name")
            try:
                if name:
                    found.setdefault(name, read_type(_first(entry, "dataTypeMetadata")))
            except BadFunctions:
                continue
    return found


def read_type(value: Any, deep: int = 0) -> DataType:
    """Raises BadFunctions."""
    if deep > DEEPEST:
        raise BadFunctions(f"has types more than {DEEPEST} deep")
    if not isinstance(value, dict):
        raise BadFunctions("has a value without a type")
    document = cast("dict[str, Any]", value)
    number = _first(document, "type")
    if isinstance(number, bool) or number not in tuple(TypeKind):
        raise BadFunctions(f"has a value of the unknown type {str(number)[:20]!r}")
    kind = TypeKind(number)
    item = _first(document, "itemType")
    named = {
        name: read_type(_first(entry, "dataTypeMetadata"), deep + 1)
        for entry in _objects(document, "properties")
        if (name := _text(entry, "name"))
    }
    members = {TypeKind.ALL_OF: "allOf", TypeKind.ONE_OF: "oneOf"}.get(kind, "")
    parts = tuple(read_type(part, deep + 1) for part in _objects(document, members))
    if max(len(named), len(parts)) > MOST_PROPERTIES:
        raise BadFunctions(f"has a type of over {MOST_PROPERTIES} parts")
    return DataType(
        kind,
        nullable=_first(document, "isNullable") is True,
        description=_description(document),
        item=read_type(item, deep + 1) if kind is TypeKind.ARRAY else None,
        properties=named,
        required=frozenset(_texts(document, "required")),
        parts=parts,
        reference=_text(document, "dataTypeReference"),
        name=_text(document, "objectQualifiedName"),
        choices=tuple(_texts(document, "enumValues")),
        format=_text(document, "format"),
    )


def _values(document: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = document.get(name)
    if isinstance(value, list):
        return cast("list[Any]", value)
    return () if value is None else (value,)


def _first(document: Mapping[str, Any], name: str) -> Any:
    return next(iter(_values(document, name)), None)


def _text(document: Mapping[str, Any], name: str) -> str:
    value = _first(document, name)
    return value if isinstance(value, str) else ""


def _description(document: Mapping[str, Any]) -> str:
    return _text(document, "description")[:LONGEST_DESCRIPTION]


def _texts(document: Mapping[str, Any], name: str) -> Iterator[str]:
    return (str(one) for one in _values(document, name) if isinstance(one, str | int))


def _objects(document: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    return (cast("dict[str, Any]", one) for one in _values(document, name) if isinstance(one, dict))
