"""The clipboard overlay of Android 13 and later."""

from typing import TYPE_CHECKING

from ..system.clipboard import NO_OVERLAY, SENSITIVE, SHELL, Clip
from ..system.timers import Timer
from ..views.drawing import theme
from ..views.layout import Column
from ..views.view import MATCH
from ..views.widgets.basic import Text
from ..views.window import Window
from .bars import PACKAGE

if TYPE_CHECKING:
    from ..world import World

SHOWN_MS = 6000
TITLE = "ClipboardOverlay"
HIDDEN = "••••••"
"""The placeholder of a sensitive text."""
WIDE_DP, HIGH_DP = 220, 96


class ClipboardOverlay:
    """The preview of a copied clip, in a corner above all apps until it times out. It takes no
    focus. It is not shown for a clip that the shell set with `NO_OVERLAY`, nor while the phone is
    locked."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._closing: Timer | None = None
        self.window: Window | None = None

    def show(self, clip: Clip) -> None:
        if not self._world.android.clipboard_overlay or self._world.locked:
            return
        if clip.source == SHELL and NO_OVERLAY in clip.extras:
            return
        self.close()
        preview = Text(
            HIDDEN if SENSITIVE in clip.extras else clip.text,
            id=f"{PACKAGE}:id/text_preview",
            width=MATCH,
        )
        root = Column(preview, padding=16, background=theme.SURFACE_HIGH, radius=16)
        self.window = self._world.screen.new_window("SYSTEM", PACKAGE, TITLE, root)
        self._closing = self._world.timers.after(SHOWN_MS, self.close)
        self._world.screen.changes.windows_changed()

    def close(self) -> None:
        if self.window is None:
            return
        if self._closing is not None:
            self._closing.cancel()
        self._world.screen.close_window(self.window)
        self.window = None
        self._world.screen.changes.windows_changed()

    def place(self, left: int, bottom: int, dp: float) -> list[Window]:
        """Place the overlay in the lower left corner between the bars."""
        if self.window is None:
            return []
        top, right = bottom - round(HIGH_DP * dp), left + round(WIDE_DP * dp)
        self.window.place((left, top, right, bottom), dp)
        return [self.window]
