"""Presents functions that apps declare to Android as tools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..app_formats.app_functions import (
    BadArgument,
    DeclaredFunctions,
    Function,
    FunctionParameter,
    Impossible,
    SchemaWriter,
    Types,
    encode,
    encode_arguments,
    is_void,
    read_result,
)
from ..app_formats.app_functions.words import ACTIVITY, SELF, TypeKind
from ..driver.app_tools import DeclaringApp
from ..errors import InvalidParams
from ..tools.parameter import Parameter
from ..tools.tool import json_text
from .calling import asking
from .discovered import (
    OUTPUT_LIMIT,
    PARAMETER_LIMIT,
    DiscoveredTool,
    Unfit,
    check_tool,
    end_sentence,
    introduce,
    is_plain,
    is_possible_name,
    make_parameter,
    words,
)
from .naming import FUNCTION

if TYPE_CHECKING:
    from ..phone.phone import Phone

NAME_LIMIT = 200
"""UTF-16 units of the name of a type or of a choice."""
_SCALARS = {
    TypeKind.BOOLEAN: "boolean",
    TypeKind.DOUBLE: "number",
    TypeKind.FLOAT: "number",
    TypeKind.LONG: "integer",
    TypeKind.INT: "integer",
    TypeKind.STRING: "string",
}


@dataclass(frozen=True, slots=True)
class ReadFunctions:
    """The functions of one app."""

    tools: tuple[DiscoveredTool, ...]
    problems: tuple[str, ...]
    off: frozenset[str]
    """Ids of the functions that are switched off."""


def read_functions_of(app: DeclaringApp, declared: DeclaredFunctions) -> ReadFunctions:
    """The app's functions as tools, and their problems."""
    if app.unread:
        return ReadFunctions((), (f"{app.package}: {app.unread}",), frozenset())
    tools: list[DiscoveredTool] = []
    problems = list(declared.problems)
    types = Types(declared.types)
    for function in declared.functions:
        try:
            tool = make_function_tool(app, function, types)
            if function.enabled:
                tools.append(tool)
        except Unfit as problem:
            called = words(function.id, NAME_LIMIT)
            problems.append(f'{app.package}: the function "{called}" {problem}.')
    off = frozenset(function.id for function in declared.functions if not function.enabled)
    return ReadFunctions(tuple(tools), tuple(problems), off)


def make_function_tool(app: DeclaringApp, function: Function, types: Types) -> DiscoveredTool:
    """Raises Unfit."""
    if not is_plain(function.id, NAME_LIMIT):
        raise Unfit("has an id that is too long or no plain text")
    if function.returns is None:
        raise Unfit(
            "is known only by its id: this Android, or the app, does not declare its parameters"
        )
    if function.scope == ACTIVITY:
        raise Unfit("belongs to an activity, so only apps can call it")
    if function.access == SELF:
        raise Unfit("may be called only by its own app")
    parameters = _parameters(function, types)
    sent = [one for one in function.parameters if one.name in {each.name for each in parameters}]

    async def perform(phone: "Phone", values: Mapping[str, Any], within_ms: int) -> list[str]:
        arguments = _encode(sent, types, values)
        async with asking(phone.driver, app, within_ms):
            reply = await phone.driver.call_function(app.package, function.id, arguments, within_ms)
        if reply.hidden and is_void(reply.document):
            return [introduce(app), _hidden(app, function)]
        if is_void(reply.document):
            return [introduce(app), "(The app reported success and returned nothing.)"]
        value = read_result(reply.document, function.returns, types)
        return [introduce(app), value if isinstance(value, str) else json_text(value)]

    return check_tool(
        DiscoveredTool(
            FUNCTION,
            function.id,
            function.description,
            tuple(parameters),
            perform,
            more=" ".join(filter(None, (_returns(function), _deprecated(function)))),
            short=function.short_name,
        )
    )


def _hidden(app: DeclaringApp, function: Function) -> str:
    """The sentence for a phone whose command prints only objects."""
    if function.returns is not None and function.returns.kind is TypeKind.UNIT:
        return "(The app reported success and returned nothing.)"
    return (
        "(The app reported success. Its result is unknown: the Android of this phone reports only"
        f" objects that {words(app.package, NAME_LIMIT)} returns.)"
    )


def _returns(function: Function) -> str:
    if not function.returns_what:
        return ""
    return end_sentence(words(f"Returns {function.returns_what}", OUTPUT_LIMIT))


def _deprecated(function: Function) -> str:
    if not function.deprecated:
        return ""
    return end_sentence(words(f"Deprecated: {function.deprecated}", PARAMETER_LIMIT))


def _parameters(function: Function, types: Types) -> list[Parameter]:
    """Optional parameters that cannot be sent are left out. Raises Unfit."""
    writer = SchemaWriter(
        types,
        lambda text: words(text, PARAMETER_LIMIT),
        is_possible_name,
        lambda word: is_plain(word, NAME_LIMIT),
    )
    found: list[Parameter] = []
    for declared in function.parameters:
        try:
            schema = writer.write(declared.type, declared.description)
            found.append(_parameter(declared, schema, types))
        except Impossible as problem:
            if declared.required:
                name = words(declared.name, NAME_LIMIT)
                raise Unfit(f"has a parameter {name!r} that {problem}") from None
    return found


def _parameter(declared: FunctionParameter, schema: Mapping[str, Any], types: Types) -> Parameter:
    """Raises Unfit, Impossible."""
    type = types.resolve(declared.type)
    json_type = _SCALARS.get(type.kind, "object")
    # For its name, and to read `"5"` as a number.
    plain = make_parameter(declared.name, json_type, "", declared.required)

    def read(value: Any) -> Any:
        if value is None and type.nullable:
            return None
        return plain.read(value) if type.kind in _SCALARS else value

    def check(value: Any) -> Any:
        if value is not None:
            _say(declared.name, lambda: encode(value, declared.type, types))
        return value

    listed = dict(schema)
    listed.setdefault("description", "")
    return Parameter(declared.name, listed, read, check, declared.required)


def _encode(sent: list[FunctionParameter], types: Types, values: Mapping[str, Any]) -> str:
    try:
        return encode_arguments(sent, types, values)
    except BadArgument as problem:
        raise InvalidParams(f"Parameter {problem}. Nothing was done.") from None


def _say(name: str, do: Callable[[], object]) -> None:
    try:
        do()
    except BadArgument as problem:
        raise InvalidParams(f"Parameter '{name}' {problem}.") from None
