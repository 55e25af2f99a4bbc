"""Changing a setting of the phone."""

from typing import Annotated, Literal

from ..phone import Phone
from ..phone.clipboard import check_clip
from ..toolkit.parameter import Param
from ..toolkit.recording import Secret
from ..toolkit.tool import Toolset
from .actions import set_actions

setting_tools = Toolset("utility")


@setting_tools.tool(
    name="phone_set",
    title="Set",
    idempotent=True,
    secret_reply=Secret.NO,
    actions=set_actions,
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
