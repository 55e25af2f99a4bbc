"""Split screen: two apps above each other, with a divider."""

from typing import TYPE_CHECKING

from ..packages.app import Activity
from ..views.drawing import theme
from ..views.drawing.pen import Box
from ..views.view import MATCH, View
from ..views.window import Window
from .bars import PACKAGE

if TYPE_CHECKING:
    from ..world import World

DIVIDER_DP = 10


class Split:
    """A split screen. It is active while one half is in front and the user left neither for another
    screen."""

    def __init__(self, world: "World", upper: Activity, lower: Activity) -> None:
        self.halves = (upper, lower)
        handle = View(
            id="docked_divider_handle", width=MATCH, height=MATCH, background=theme.ON_SURFACE
        )
        self.divider = world.screen.new_window("SPLIT_SCREEN_DIVIDER", PACKAGE, "Divider", handle)

    def place(self, area: Box, above: int, below: int, dp: float, front: Activity) -> list[Window]:
        """Return the windows, top first; `above` and `below` are the insets of system bars and
        keyboard."""
        left, top, right, bottom = area
        half = round(DIVIDER_DP * dp) // 2
        middle = (top + bottom) // 2
        self.divider.place((left, middle - half, right, middle + half), dp)
        shown = [self.divider]
        upper, lower = self.halves
        halves = [
            (upper, (left, top, right, middle - half), above, 0),
            (lower, (left, middle + half, right, bottom), 0, below),
        ]
        for activity, box, inset_above, inset_below in sorted(halves, key=lambda h: h[0] != front):
            window = activity.window
            if window is None:
                continue
            window.pad((0.0, inset_above / dp, 0.0, inset_below / dp))
            window.place(box, dp)
            shown.append(window)
        return shown
