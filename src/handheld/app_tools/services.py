"""Presents Mobile MCP services as tools."""

import uuid
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from ..app_formats.mobile_mcp import (
    BadDescriptor,
    BadMessage,
    Capability,
    CapabilityRequest,
    read_descriptor,
    read_response,
)
from ..app_formats.mobile_mcp.descriptor import JSON_TYPES
from ..driver.app_tools import DeclaringService
from ..errors import ActionFailed
from ..tools.tool import json_text
from .calling import asking, check_size
from .discovered import (
    OUTPUT_LIMIT,
    PARAMETER_LIMIT,
    DiscoveredTool,
    Unfit,
    app_failed,
    check_tool,
    clean_name,
    end_sentence,
    introduce,
    make_parameter,
    name_app,
    words,
)

if TYPE_CHECKING:
    from ..phone.phone import Phone


def read_service(
    service: DeclaringService, held: Collection[str] | None = None
) -> tuple[list[DiscoveredTool], list[str]]:
    """The service's capabilities as tools, and its problems. `held` are the permissions of adb's
    shell; None if they are unknown."""
    where = f"{service.app.package}/{service.class_name}"
    if not service.exported:
        return [], [f"{where} is not exported, so nobody can call it."]
    if service.permission and held is not None and service.permission not in held:
        reason = f"requires the permission {service.permission}, which adb does not have"
        return [], [f"{where} {reason}, so it cannot be called."]
    if service.descriptor is None:
        return [], [f"{where}: {service.problem}"]
    try:
        descriptor = read_descriptor(service.descriptor, where)
    except BadDescriptor as problem:
        return [], [f"{problem}."]
    problems = [f"{problem}." for problem in descriptor.problems]
    problems += [
        f"{where} has no meta-data mobile.mcp.tool.{key}."
        for key, value in (("name", service.name), ("description", service.description))
        if not value
    ]
    tools: list[DiscoveredTool] = []
    for capability in descriptor.capabilities:
        try:
            tools.append(make_capability_tool(service, capability))
        except Unfit as problem:
            problems.append(f'{where}: capability "{capability.id}" {problem}.')
    return tools, problems


def declared_by(service: DeclaringService) -> Any:
    """The content of the service's pin."""
    descriptor = service.descriptor
    listed = None if descriptor is None else _as_lists(descriptor)
    return [service.name, service.description, listed]


def _as_lists(element: Element) -> Any:
    return [element.tag, dict(element.attrib), [_as_lists(child) for child in element]]


def make_capability_tool(service: DeclaringService, capability: Capability) -> DiscoveredTool:
    """Raises Unfit."""
    parameters = [
        make_parameter(one.name, one.json_type, _described(one.description, one.type), one.required)
        for one in capability.input
    ]

    async def perform(phone: "Phone", values: Mapping[str, Any], within_ms: int) -> list[str]:
        return await _call(phone, service, capability, values, within_ms)

    return check_tool(
        DiscoveredTool(
            "service",
            capability.id,
            capability.description,
            tuple(parameters),
            perform,
            clean_name(service.name or ""),
            " ".join(filter(None, (_output(capability), _group(service)))),
        )
    )


def _output(capability: Capability) -> str:
    """Describe its output in words: a schema would oblige the app to follow it."""
    if not capability.output:
        return ""
    listed = "; ".join(
        f"{one.name} ({one.type}): {one.description}" if one.description else one.name
        for one in capability.output
    )
    return end_sentence(words(f"Returns {listed}", OUTPUT_LIMIT))


def _group(service: DeclaringService) -> str:
    name, description = clean_name(service.name or ""), service.description or ""
    if not name or not description or description == service.name:
        return ""
    return end_sentence(words(f"Part of {name}: {description}", PARAMETER_LIMIT))


def _described(description: str, type: str) -> str:
    """The description, with the type if it is not a standard one."""
    return description if type.lower() in JSON_TYPES else f"{description} (type: {type})".strip()


async def _call(
    phone: "Phone",
    service: DeclaringService,
    capability: Capability,
    values: Mapping[str, Any],
    within_ms: int,
) -> list[str]:
    app = service.app
    given = {name: value for name, value in values.items() if value is not None}
    request = CapabilityRequest(str(uuid.uuid4()), capability.id, given)
    extras = request.extras()
    check_size(extras)
    async with asking(phone.driver, app, within_ms):
        answer = await phone.driver.call_service(
            app.package, service.class_name, request.id, extras, within_ms
        )
    try:
        response = read_response(answer.extras)
    except BadMessage as problem:
        raise ActionFailed(
            f"{name_app(app)} was called and answered, but its reply {problem}. It may have done"
            " what it was asked."
        ) from None
    if not response.success:
        raise app_failed(app, response.message)
    texts = [] if response.message is None else [response.message]
    texts += [] if response.output is None else [json_text(response.output)]
    return [introduce(app), *(texts or ["(The app reported success and nothing else.)"])]
