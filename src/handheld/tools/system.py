"""The phone's own buttons."""

from ..phone import Phone
from ..tool import Toolset

system = Toolset("system")


@system.tool(title="Press back")
async def press_back(phone: Phone) -> str:
    """Presses the back button (global accessibility action)."""
    await phone.hands.press("back")
    return "Back button press executed successfully"


@system.tool(title="Press home", idempotent=True)
async def press_home(phone: Phone) -> str:
    """Navigates to the home screen."""
    await phone.hands.press("home")
    return "Home button press executed successfully"
