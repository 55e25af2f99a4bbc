"""Changing a setting of the phone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from ..phone import Phone
from ..phone.clipboard import check_clip
from ..toolkit.parameter import Param
from ..toolkit.recording import Secret
from ..toolkit.tool import Action, Listing, Toolset

setting_tools = Toolset("utility")

_STANDS_FOR: Mapping[str, tuple[str, ...]] = {"clipboard": ("set_clipboard",)}


def _set_actions(listing: Listing) -> Action:
    def choose(arguments: Mapping[str, Any]) -> str:
        return str(arguments.get("what", "")).strip().lower()

    return Action(
        {what: replace(listing, stands_for=tools) for what, tools in _STANDS_FOR.items()},
        choose,
        "what",
    )


@setting_tools.tool(
    name="phone_set",
    title="Set",
    idempotent=True,
    secret_reply=Secret.NO,
    actions=_set_actions,
)
async def set_value(
    phone: Phone,
    what: Annotated[Literal["clipboard"], Param("", schema={"description": None})],
    value: Annotated[str, Param("", secret=Secret.ALWAYS, schema={"description": None})],
) -> str:
    """Change a setting of the phone."""
    length = check_clip(value, "value")
    await phone.driver.set_clipboard(value)
    return f"Clipboard: {length} characters."
