"""Changing a setting of the phone."""

from typing import Annotated, Literal

from ...phone.input.clipboard import check_clip
from ...phone.phone import Phone
from ..parameter import Param
from ..recording import Secret
from ..tool import Toolset
from .device_tools import SETTINGS, about_setting
from .elements.actions import set_actions

setting_tools = Toolset("utility")

What = Literal[
    "clipboard",
    "rotation",
    "wifi",
    "bluetooth",
    "mobile_data",
    "airplane_mode",
    "volume",
    "brightness",
    "dark_mode",
    "font_scale",
    "language",
    "location",
    "screen",
]
"""The clipboard, and what `device_tools.SETTINGS` has."""


@setting_tools.tool(
    name="phone_set",
    title="Set",
    idempotent=True,
    secret_reply=Secret.NO,
    actions=set_actions,
    about=about_setting,
)
async def set_value(
    phone: Phone,
    what: Annotated[What, Param("", schema={"description": None})],
    value: Annotated[str, Param("on, off, landscape, 40%, de, 48.1,11.6", secret=Secret.ALWAYS)],
) -> str:
    """Change a setting of the phone."""
    if what != "clipboard":
        setting, _ = SETTINGS[what]
        return "\n".join(await setting(phone, what, value))
    length = check_clip(value, "value")
    await phone.driver.set_clipboard(value)
    return f"Clipboard: {length} characters."
