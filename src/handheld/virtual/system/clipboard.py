"""The clipboard: one text, which Android 13 and later forget after an hour."""

from .timers import Timer, Timers

FORGET_MS = 60 * 60 * 1000
FORGETS_SINCE = 33


class Refused(Exception):
    """Android does not let programs at the clipboard."""


class Clipboard:
    """Apps `copy` and `paste`; the shell user does the same through `copy` and `paste`."""

    def __init__(self, timers: Timers, api: int) -> None:
        self._timers = timers
        self._forgets = api >= FORGETS_SINCE
        self._forgetting: Timer | None = None
        self._text: str | None = None
        self.refusal: str | None = None
        """Set by a test: why nobody may use it, as a company's policy can say."""

    def copy(self, text: str) -> None:
        self._check()
        self._text = text
        if self._forgetting is not None:
            self._forgetting.cancel()
        if self._forgets:
            self._forgetting = self._timers.after(FORGET_MS, self.clear)

    def paste(self) -> str | None:
        """None when it is empty."""
        self._check()
        return self._text

    def clear(self) -> None:
        self._text = None

    def _check(self) -> None:
        self._timers.run_due()
        if self.refusal is not None:
            raise Refused(self.refusal)
