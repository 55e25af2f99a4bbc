"""The phone's own buttons."""

from ..errors import ActionFailed
from ..phone import Phone
from ..tool import Toolset

system = Toolset("system")


@system.tool(title="Press back")
async def press_back(phone: Phone) -> str:
    """Presses the back button (global accessibility action)."""
    return await _press(phone, "back", "Back button press")


@system.tool(title="Press home", idempotent=True)
async def press_home(phone: Phone) -> str:
    """Navigates to the home screen."""
    return await _press(phone, "home", "Home button press")


@system.tool(title="Press recents")
async def press_recents(phone: Phone) -> str:
    """Opens the recent apps screen."""
    return await _press(phone, "recents", "Recents button press")


@system.tool(title="Open notifications", idempotent=True)
async def open_notifications(phone: Phone) -> str:
    """Pulls down the notification shade."""
    return await _press(phone, "notifications", "Open notifications")


@system.tool(title="Open quick settings", idempotent=True)
async def open_quick_settings(phone: Phone) -> str:
    """Opens the quick settings panel."""
    return await _press(phone, "quick_settings", "Open quick settings")


async def _press(phone: Phone, button: str, name: str) -> str:
    try:
        await phone.hands.press(button)
    except ActionFailed as failure:
        raise ActionFailed(f"{name} failed: {failure.message}") from failure
    return f"{name} executed successfully"
