"""Presents content providers as tools."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ..app_formats.tool_provider import (
    EXECUTE_TOOL,
    GET_TOOL_INFO,
    BadTool,
    ProviderTool,
    execute_extras,
    read_result,
    read_tools,
)
from ..driver import Driver
from ..driver.app_tools import AppFailed, Bundle, DeclaringProvider
from ..tools.parameter import Parameter
from .calling import asking, check_size
from .discovered import (
    DiscoveredTool,
    Unfit,
    app_failed,
    check_tool,
    choose_from,
    introduce,
    make_parameter,
)

if TYPE_CHECKING:
    from ..phone.phone import Phone

INFO_MS = 5_000
"""For a provider's description of itself, for which its app may have to start."""

_TYPES = ("string", "boolean", "integer", "number", "array", "object")


async def ask_provider(driver: Driver, provider: DeclaringProvider) -> Bundle | AppFailed | None:
    """Return the provider's declaration, or why it did not answer."""
    try:
        return await driver.call_provider(
            provider.authority, GET_TOOL_INFO, None, INFO_MS, act=False
        )
    except AppFailed as problem:
        return problem


def read_provider(
    provider: DeclaringProvider, info: Bundle | AppFailed | None
) -> tuple[list[DiscoveredTool], list[str]]:
    """The provider's tools, and its problems."""
    where = f"{provider.app.package}/{provider.class_name}"
    if not provider.exported:
        return [], [f"{where} is not exported, so nobody can call it."]
    if isinstance(info, AppFailed):
        return [], [f"{where} did not describe its tools: {info.message}"]
    try:
        tools = read_tools(info)
    except BadTool as problem:
        return [], [f"{where} {problem}."]
    discovered: list[DiscoveredTool] = []
    problems: list[str] = []
    for tool in tools:
        try:
            discovered.append(make_provider_tool(provider, tool))
        except Unfit as problem:
            problems.append(f'{where}: the tool "{tool.name}" {problem}.')
    return discovered, problems


def make_provider_tool(provider: DeclaringProvider, tool: ProviderTool) -> DiscoveredTool:
    """Raises Unfit."""
    parameters = [
        _parameter(name, schema, name in tool.required) for name, schema in tool.properties.items()
    ]

    async def perform(phone: "Phone", values: Mapping[str, Any], within_ms: int) -> list[str]:
        app = provider.app
        extras = execute_extras(tool.name, values)
        check_size(extras)
        async with asking(phone.driver, app, within_ms):
            bundle = await phone.driver.call_provider(
                provider.authority, EXECUTE_TOOL, extras, within_ms
            )
        result = read_result(bundle)
        if not result.success:
            raise app_failed(app, result.text)
        return [
            introduce(app),
            "(The app reported success and no text.)" if result.text is None else result.text,
        ]

    return check_tool(
        DiscoveredTool("provider", tool.name, tool.description, tuple(parameters), perform)
    )


def _parameter(name: str, schema: Mapping[str, Any], required: bool) -> Parameter:
    """Keep only the parts of the app's schema that restrict values: a schema can contain
    anything."""
    kind, description = schema.get("type"), schema.get("description", "")
    parameter = make_parameter(
        name,
        kind if isinstance(kind, str) and kind in _TYPES else "string",
        description if isinstance(description, str) else "",
        required,
    )
    choices: Any = schema.get("enum")
    if parameter.schema["type"] != "string" or not isinstance(choices, list):
        return parameter
    named = cast("list[Any]", choices)
    return (
        choose_from(parameter, named) if all(isinstance(one, str) for one in named) else parameter
    )
