"""Calls to record, of the tools as they are."""

from collections.abc import Mapping
from typing import Any

from handheld.tools.call import Caller, ToolCall
from handheld.tools.main import EVERY_TOOLSET
from handheld.tools.tool import Listing
from handheld.tools.v1 import V1_TOOLS

LISTINGS = {
    tool.name: tool.listing for toolset in (V1_TOOLS, *EVERY_TOOLSET) for tool in toolset.tools
}
CALLER = Caller("http", "an agent", "owner")


def make_call(
    tool: str = "tap",
    arguments: Mapping[str, Any] | None = None,
    *,
    caller: Caller = CALLER,
    plain_field: bool = False,
    phone: str = "pixel",
) -> ToolCall:
    listing = LISTINGS.get(tool) or Listing(tool, "", "", {"type": "object", "properties": {}})
    given = {"x": 540, "y": 1200} if arguments is None else arguments
    return ToolCall(tool, listing, given, caller, phone, plain_field=plain_field)
