"""Touch by coordinates, in pixels of the screen."""

from ..phone import Phone
from ..tool import Toolset
from .params import X, Y

touch = Toolset("touch")

BEYOND = 1_000_000.0
"""Further out than any screen, and still a number that can be sent to a phone, which then refuses
it with its screen's size."""


@touch.tool(title="Tap")
async def tap(phone: Phone, x: X, y: Y) -> str:
    """Performs a single tap at the specified coordinates."""
    await phone.hands.touch([[(min(x, BEYOND), min(y, BEYOND), 0)]])
    return f"Tap executed at ({int(x)}, {int(y)})"
