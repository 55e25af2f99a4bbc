"""Closing the keyboard: the back button closes an open one; otherwise it would leave the app."""

from ...errors import ActionFailed
from ..phone import Phone

PATIENCE = 2.0
"""The seconds that a keyboard may take to close."""
LOOK = 0.2


async def dismiss(phone: Phone, resting: Phone | None = None) -> bool:
    """Close the keyboard; return False if none was open. `resting` is the phone for the action
    itself. Raises ActionFailed."""
    if not await phone.driver.keyboard_shown():
        return False
    try:
        await (resting or phone).driver.press("back")
    except ActionFailed as failure:
        raise ActionFailed(f"Dismiss keyboard failed: {failure.message}") from failure
    end = phone.clock.now() + PATIENCE
    while await phone.driver.keyboard_shown():
        if phone.clock.now() >= end:
            raise ActionFailed("Dismiss keyboard failed: the keyboard is still open.")
        await phone.clock.sleep(LOOK)
    return True
