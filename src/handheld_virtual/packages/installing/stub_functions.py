"""App functions of an APK that answer with examples."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from handheld.app_formats.app_functions import AppFunctions, FunctionFailed
from handheld.app_formats.app_functions.declaring import Declared
from handheld.app_formats.app_functions.file import FiledFunction
from handheld.app_formats.app_functions.words import TypeKind

MARK = "(An example: the app's code does not run on a virtual phone.)"
MESSAGE = "message"
"""The property of a result that describes the action."""
_PLAIN: Mapping[TypeKind, type] = {
    TypeKind.BOOLEAN: bool,
    TypeKind.LONG: int,
    TypeKind.INT: int,
    TypeKind.STRING: str,
}


def offer(
    filed: Sequence[FiledFunction], examples: Mapping[str, Mapping[str, Any]], file: str
) -> list[AppFunctions]:
    """The functions of each class. Raises ValueError for an example that does not match its
    declaration."""
    parts: dict[str, AppFunctions] = {}
    if unknown := examples.keys() - {one.id for one in filed}:
        raise ValueError(f"the app declares no function {min(unknown)!r}")
    for one in filed:
        _add(parts, one, examples.get(one.id), file)
    return list(parts.values())


def _add(
    parts: dict[str, AppFunctions], one: FiledFunction, example: Mapping[str, Any] | None, file: str
) -> None:
    class_name, _, name = one.id.rpartition("#")
    result: Any = None
    failure = f"{file} has none for {one.id}." if example is None else example.get("failure")
    if example is not None and failure is None:
        try:
            result = _marked(_fitted(example.get("result"), one.returns, "the result"))
        except ValueError as problem:
            raise ValueError(f"{one.id}: {problem}") from None

    def answer(_: Mapping[str, Any]) -> Any:
        if failure is not None:
            raise FunctionFailed(f"{MARK} {failure}")
        return result

    parts.setdefault(class_name, AppFunctions(class_name)).function(
        name,
        one.description,
        one.parameters,
        optional=one.optional,
        returns=one.returns,
        enabled=one.enabled,
    )(answer)


def _fitted(value: Any, declared: Declared, path: str) -> Any:
    """The value, with numbers converted to the declared type. Raises ValueError."""
    kind = TypeKind(declared["type"][0])
    if value is None and (kind is TypeKind.UNIT or declared["isNullable"] == [True]):
        return None
    if kind in (TypeKind.DOUBLE, TypeKind.FLOAT) and type(value) in (int, float):
        return float(cast("float", value))
    if kind is TypeKind.ARRAY and isinstance(value, list):
        item = declared["itemType"][0]
        return [_fitted(one, item, f"an item of {path}") for one in cast("list[Any]", value)]
    if kind is TypeKind.OBJECT and isinstance(value, dict):
        return _fitted_object(cast("dict[str, Any]", value), declared, path)
    if kind in _PLAIN and type(value) is _PLAIN[kind]:
        return value
    raise ValueError(f"{path} is not of the type {kind.name.lower()}")


def _fitted_object(value: Mapping[str, Any], declared: Declared, path: str) -> dict[str, Any]:
    properties = {one["name"][0]: one["dataTypeMetadata"][0] for one in declared["properties"]}
    if unknown := value.keys() - properties.keys():
        raise ValueError(f"{path} has {min(unknown)}, which is not declared")
    if missing := set(declared.get("required", ())) - value.keys():
        raise ValueError(f"{path} has no {min(missing)}")
    return {name: _fitted(one, properties[name], name) for name, one in value.items()}


def _marked(value: Any) -> Any:
    """Mark a result as an example, if it has a place for text."""
    if isinstance(value, str):
        return f"{MARK} {value}"
    held = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if isinstance(held.get(MESSAGE), str):
        return {**held, MESSAGE: f"{MARK} {held[MESSAGE]}"}
    return cast("Any", value)
