"""Tools as they are listed: with their prefix, a name that clients accept, and a parameter for the
phone where there are several."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from ..tools.parameter import Param, Parameter, declare
from ..tools.recording import Secret
from ..tools.tool import OTHER_DEVICE, Listing, Tool

_log = logging.getLogger(__name__)

NAME_LIMIT = 64
"""Of an app's tool, with the prefix: clients reject the whole list if one name is longer."""
_LONGEST_NAME = 50
"""Longer names, with the server's name in front, exceed what some clients allow."""

DEVICE = declare(
    "device",
    Annotated[str | None, Param("Which phone: its slug or serial", secret=Secret.NO)],
    default=None,
    required=False,
)
"""The parameter that every tool has where several phones are served together."""


class ToolList:
    """The lists of a fixed set of tools, each made once."""

    def __init__(self, tools: Sequence[Tool], device: Parameter = DEVICE) -> None:
        self._tools = tools
        self._device = device
        self._lists: dict[tuple[str, bool], list[tuple[Tool, Listing]]] = {}

    def under(self, prefix: str, with_device: bool) -> list[tuple[Tool, Listing]]:
        found = self._lists.get((prefix, with_device))
        if found is None:
            found = self._lists[prefix, with_device] = list_tools(
                self._tools, prefix, self._device if with_device else None
            )
            if long := [each.name for _, each in found if len(each.name) > _LONGEST_NAME]:
                _log.warning(
                    "Some clients hide tools with names over %s characters, such as %s: choose a "
                    "shorter slug.",
                    _LONGEST_NAME,
                    max(long, key=len),
                )
        return found


def list_tools(
    tools: Sequence[Tool], prefix: str, device: Parameter | None
) -> list[tuple[Tool, Listing]]:
    """`device` is the parameter that chooses the phone; None if it is not chosen by one."""
    listed = [(tool, tool.listed_under(prefix)) for tool in tools]
    listed = [
        (tool, replace(each, name=fit_name(prefix, tool.name)))
        if len(each.name) > NAME_LIMIT
        else (tool, each)
        for tool, each in listed
    ]
    if device is None:
        return listed
    return [(tool, each if tool.of_fleet else _add_device(each, device)) for tool, each in listed]


def fit_name(prefix: str, bare: str) -> str:
    """The name with its prefix, shortened if it is too long."""
    name = prefix + bare
    if len(name) <= NAME_LIMIT:
        return name
    return f"{name[: NAME_LIMIT - 9]}_{hashlib.sha256(bare.encode()).hexdigest()[:8]}"


def device_parameter(listing: Listing, device: Parameter) -> str:
    """The name of the parameter that chooses the phone of this tool."""
    return OTHER_DEVICE if device.name in listing.input_schema["properties"] else device.name


def _add_device(listing: Listing, device: Parameter) -> Listing:
    schema = listing.input_schema
    properties = {**schema["properties"], device_parameter(listing, device): dict(device.schema)}
    return replace(listing, input_schema={**schema, "properties": properties})
