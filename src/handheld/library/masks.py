"""Masks a call that another process records.

Only that process knows which field the call types into and what the screen shows. Here, all typed
text is masked, and replies are masked by their content.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..audit import Masks
from ..audit.masking import MASK
from ..calls.steps import read_step, read_steps
from ..errors import InvalidParams
from ..tools.call import Caller, ToolCall
from ..tools.listing import PHONE_PREFIX, STEPS_PREFIX, STEPS_TOOL, Listing
from ..tools.recording import Secret

_MASKS = Masks()
_CALLER = Caller("library")
_FRONT = re.compile(r'^(?:dialog )?([\w.-]+)(?: ".*")? s\d+', re.MULTILINE)
"""The first line of a screen, with the package."""
_UNKNOWN = Listing("", "", "", {})
"""An unknown tool: everything about it is masked."""


class Shown(NamedTuple):
    """A tool call in the form that may be shown."""

    tool: str
    arguments: Mapping[str, Any]
    reply: tuple[str, ...] = ()


def has_steps(tool: str) -> bool:
    """Whether the tool is called to call others."""
    return tool.startswith(STEPS_PREFIX) or tool in (STEPS_TOOL, STEPS_TOOL.removeprefix("phone_"))


def is_open(tool: str, given: Mapping[str, Any]) -> bool:
    """Whether nothing about a call is secret except text typed here or earlier."""
    recording = _described(tool, given).listing.recording
    return {*recording.params.values(), recording.reply} <= {Secret.NO, Secret.TYPED}


def steps_of(given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The readable steps in the arguments of `phone_do`."""
    try:
        return [read_step(step) for step in read_steps(given.get("steps"))]
    except InvalidParams:
        return []


def mask_call(
    tool: str, given: Mapping[str, Any], texts: Sequence[str], *, failed: bool
) -> list[Shown]:
    """Return the call, or the steps of one that has several."""
    if has_steps(tool):
        steps = steps_of(given)
        return [Shown(name, _MASKS.arguments(_described(name, each))) for name, each in steps]
    call = _described(tool, given)
    hidden = any(_MASKS.hides_app(package) for text in texts for package in _FRONT.findall(text))
    reply = [MASK for _ in texts] if hidden else _MASKS.result(call, texts, failed=failed)
    return [Shown(tool, _MASKS.arguments(call), tuple(reply))]


def _described(tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    from ..tools.agent.catalog import AGENT_CATALOG, OPTIONAL_AGENT_CATALOG
    from ..tools.main import EVERY_TOOLSET

    toolsets = (*AGENT_CATALOG, *OPTIONAL_AGENT_CATALOG, *EVERY_TOOLSET)
    tools = {each.name: each for toolset in toolsets for each in toolset.tools}
    names = (tool, PHONE_PREFIX + tool, tool.removeprefix("android_"))
    found = next((tools[name] for name in names if name in tools), None)
    listing = _UNKNOWN if found is None else found.chosen(arguments).listing
    return ToolCall(tool, listing, arguments, _CALLER)
