"""Stable numbers for windows: Android numbers them differently in each dump."""

from collections import Counter
from collections.abc import Sequence

from .uiautomator import DumpedWindow

_Name = tuple[int, str, str | None, str | None, int]


class WindowNumbers:
    """A window keeps its number while it exists; numbers are not reused."""

    def __init__(self) -> None:
        self._known: dict[_Name, int] = {}
        self._last = 0

    def number(self, windows: Sequence[DumpedWindow]) -> list[int]:
        """Return a number for each window, identified by display, type, package, title and its rank
        among equals."""
        alike: Counter[tuple[int, str, str | None, str | None]] = Counter()
        names: list[_Name] = []
        # Ranks count from below: a new dialog is on top of the others.
        for window in reversed(windows):
            kind = (window.display, window.type, window.package, window.title)
            names.append((*kind, alike[kind]))
            alike[kind] += 1
        found: dict[_Name, int] = {}
        for name in names:
            number = self._known.get(name)
            if number is None:
                self._last += 1
                number = self._last
            found[name] = number
        self._known = found
        return [found[name] for name in reversed(names)]
