"""The clipboard: one text, which Android 13 and later forget after an hour."""

from collections.abc import Callable
from dataclasses import dataclass

from .android import Android
from .timers import Timer, Timers

FORGET_MS = 60 * 60 * 1000
MOST_KEPT = 100
SENSITIVE = "android.content.extra.IS_SENSITIVE"
NO_OVERLAY = "com.android.systemui.SUPPRESS_CLIPBOARD_OVERLAY"
"""Extras of a clip's description that are true or not there."""
SHELL = "com.android.shell"


class Refused(Exception):
    """Android does not let programs at the clipboard."""


@dataclass(frozen=True, slots=True)
class Clip:
    text: str
    source: str = ""
    """The package that put it there."""
    extras: frozenset[str] = frozenset()


class Clipboard:
    """Apps `copy` and `paste`; the shell user does the same through `copy` and `paste`."""

    def __init__(
        self, timers: Timers, android: Android, copied: Callable[[Clip], object] = lambda clip: None
    ) -> None:
        """`copied` hears of every clip that a program puts there."""
        self._timers = timers
        self._copied = copied
        self._forgets = android.clipboard_cleared
        self._forgetting: Timer | None = None
        self._clip: Clip | None = None
        self.history: list[Clip] = []
        """What programs have put there lately, the newest last."""
        self.refusal: str | None = None
        """Set by a test: why nobody may use it, as a company's policy can say."""

    @property
    def clip(self) -> Clip | None:
        """What is there, with all that belongs to it."""
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
        """Let it be there, without a word of it."""
        self._clip = clip
        if self._forgetting is not None:
            self._forgetting.cancel()
        if self._forgets:
            self._forgetting = self._timers.after(FORGET_MS, self.clear)

    def paste(self) -> str | None:
        """None when it is empty."""
        clip = self.clip
        return None if clip is None else clip.text

    def put_back(self, clip: Clip | None) -> None:
        """By the shell, as it was; None empties it."""
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
