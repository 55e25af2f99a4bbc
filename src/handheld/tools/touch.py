"""Touch by coordinates, in pixels of the screen."""

from ..phone import Phone
from ..tool import Toolset
from .params import X, Y

touch = Toolset("touch")


@touch.tool(title="Tap")
async def tap(phone: Phone, x: X, y: Y) -> str:
    """Performs a single tap at the specified coordinates."""
    await phone.hands.touch([[(x, y, 0)]])
    return f"Tap executed at ({int(x)}, {int(y)})"
