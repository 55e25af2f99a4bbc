"""The clipboard: one text, which Android 13 and later clear after an hour."""

from collections.abc import Callable
from dataclasses import dataclass

from .android import Android
from .timers import Timer, Timers

FORGET_MS = 60 * 60 * 1000
MOST_KEPT = 100
SENSITIVE = "android.content.extra.IS_SENSITIVE"
NO_OVERLAY = "com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY"
"""An extra of a clip's description: SystemUI shows no preview."""
PASSING = "dev.handheld.passing"
"""The helper's extra: the clip is only there to be pasted, and will be replaced."""
SHELL = "com.android.shell"


class Refused(Exception):
    """Android does not let programs access the clipboard."""


@dataclass(frozen=True, slots=True)
class Clip:
    text: str
    source: str = ""
    """The package that copied it."""
    extras: frozenset[str] = frozenset()


class Clipboard:
    """Apps and the shell user both use `copy` and `paste`."""

    def __init__(
        self, timers: Timers, android: Android, copied: Callable[[Clip], object] = lambda clip: None
    ) -> None:
        """`copied` is called with every clip that a program copies."""
        self._timers = timers
        self._copied = copied
        self._forgets = android.clipboard_cleared
        self._forgetting: Timer | None = None
        self._clip: Clip | None = None
        self.history: list[Clip] = []
        """The clips that programs have copied, the newest last."""
        self.refusal: str | None = None
        """Set by a test: why access is refused, as by a device policy."""

    @property
    def clip(self) -> Clip | None:
        """The current clip with its source and extras."""
        self._check()
        return self._clip

    def copy(self, text: str, source: str = "", extras: frozenset[str] = frozenset()) -> None:
        self._check()
        clip = Clip(text, source, extras)
        self.hold(clip)
        self.history.append(clip)
        del self.history[:-MOST_KEPT]
        self._copied(clip)

    def hold(self, clip: Clip) -> None:
        """Set the clip without calling `copied`."""
        self._clip = clip
        if self._forgetting is not None:
            self._forgetting.cancel()
        if self._forgets:
            self._forgetting = self._timers.after(FORGET_MS, self.clear)

    def paste(self) -> str | None:
        """The clipboard's text; None if it is empty."""
        clip = self.clip
        return None if clip is None else clip.text

    def put_back(self, clip: Clip | None) -> None:
        """Restore a clip on behalf of the shell; None empties the clipboard."""
        if clip is None:
            self.clear()
        else:
            self.copy(clip.text, SHELL, clip.extras | {NO_OVERLAY})

    def clear(self) -> None:
        self._clip = None

    def _check(self) -> None:
        self._timers.run_due()
        if self.refusal is not None:
            raise Refused(self.refusal)
