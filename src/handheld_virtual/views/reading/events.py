"""The accessibility events that views and windows send, and how long Android delays them."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntFlag
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...system.timers import Timer, Timers
    from ..view import View

MOST_KEPT = 256
MOST_NOTICES = 8
MOST_TICKERS = 64
HELD_MS = 100
"""ViewConfiguration.getSendRecurringAccessibilityEventsInterval()."""
HEARD = {
    "WINDOW_STATE_CHANGED",
    "WINDOWS_CHANGED",
    "WINDOW_CONTENT_CHANGED",
    "VIEW_SCROLLED",
    "VIEW_TEXT_CHANGED",
    "VIEW_FOCUSED",
    "VIEW_CLICKED",
    "VIEW_SELECTED",
}
"""The event types that the helper requests: only these count as a change of the screen."""


class Changed(IntFlag):
    """AccessibilityEvent's content change types."""

    UNDEFINED = 0
    SUBTREE = 1
    TEXT = 2
    DESCRIPTION = 4
    STATE = 64
    ENABLED = 4096


@dataclass(frozen=True, slots=True)
class Notice:
    """A toast or a new notification, as a TYPE_NOTIFICATION_STATE_CHANGED event describes it."""

    at: float
    kind: str
    """`toast` or `notification`."""
    package: str
    title: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class AccessibilityEvent:
    kind: str
    """The event type without TYPE_."""
    at: float
    source: "View | None" = None
    changes: int = 0
    details: dict[str, Any] = field(default_factory=dict[str, Any])


class AccessibilityEvents:
    """Sends and counts events. Changes of a window's content are sent at most once per 100 ms;
    changes in between become one event of the view that contains them all."""

    def __init__(self, timers: "Timers") -> None:
        self._timers = timers
        self._last: dict[int, float] = {}
        self._pending: dict[int, tuple[View, int]] = {}
        self._posted: dict[tuple[View, str], Timer] = {}
        self.sent: deque[AccessibilityEvent] = deque(maxlen=MOST_KEPT)
        self.seq = 0
        """How many events of the types in `HEARD` a service has received."""
        self.notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        self._tickers: dict[View, tuple[float, int]] = {}
        """Views of which only the text changed, with the time of the last change and the number of
        changes."""

    def send(
        self, kind: str, source: "View | None" = None, changes: int = 0, **details: Any
    ) -> None:
        self.sent.append(AccessibilityEvent(kind, self._timers.now(), source, changes, details))
        if kind in HEARD:
            self.seq += 1
            if source is not None and kind == "WINDOW_CONTENT_CHANGED" and _is_text(changes):
                _, count = self._tickers.pop(source, (0.0, 0))
                self._tickers[source] = (self._timers.now(), count + 1)
                if len(self._tickers) > MOST_TICKERS:
                    del self._tickers[next(iter(self._tickers))]
            self._timers.stir()

    def notify(self, kind: str, package: str, title: str | None, text: str | None) -> None:
        """Send the event of a toast or a new notification."""
        now = self._timers.now()
        at = max(now, self.notices[-1].at + 1) if self.notices else now
        new = Notice(at, kind, package, title, text)
        same = [each for each in self.notices if replace(each, at=new.at) == new]
        for each in same:
            self.notices.remove(each)
        self.notices.append(new)
        self.send("NOTIFICATION_STATE_CHANGED", package=package)

    def tickers(self, within_ms: float) -> "set[View]":
        """The views of which only the text changed within that time."""
        since = self._timers.now() - within_ms
        return {view for view, (at, _) in self._tickers.items() if at >= since}

    def count_without(self, tickers: "Iterable[View]") -> int:
        """The count of changes without those of the given texts."""
        return self.seq - sum(self._tickers.get(view, (0.0, 0))[1] for view in tickers)

    def windows_changed(self) -> None:
        """Send the event of a window that was opened, closed or focused."""
        self.send("WINDOWS_CHANGED")

    def content_changed(self, window: int, source: "View", changes: int) -> None:
        if (held := self._pending.get(window)) is not None:
            self._pending[window] = (_around(held[0], source), held[1] | changes)
            return
        wait = self._last.get(window, -HELD_MS) + HELD_MS - self._timers.now()
        self._pending[window] = (source, changes)
        if wait <= 0:
            self._deliver(window)
        else:
            self._timers.after(wait, lambda: self._deliver(window))

    def send_later(self, kind: str, source: "View", ms: float, send: Callable[[], None]) -> None:
        """Send one event after `ms`, for all changes of the view until then."""
        if (source, kind) not in self._posted:
            self._posted[source, kind] = self._timers.after(
                ms, lambda: (self._posted.pop((source, kind)), send())
            )

    def postpone(self, kind: str, source: "View", ms: float, send: Callable[[], None]) -> None:
        """Send one event once the view has not changed for `ms`."""
        if (posted := self._posted.pop((source, kind), None)) is not None:
            posted.cancel()
        self.send_later(kind, source, ms, send)

    def forget(self, window: int) -> None:
        """Forget a closed window; its pending events are counted when they are due."""
        self._last.pop(window, None)

    def _deliver(self, window: int) -> None:
        source, changes = self._pending.pop(window)
        self._last[window] = self._timers.now()
        if source.root_host() is not None and all(view.shown for view in source.ancestors()):
            self.send("WINDOW_CONTENT_CHANGED", source, changes)

    async def wait(self, after: int, within_ms: float) -> int:
        """Wait until the count exceeds `after`, or for the given time; return the count."""
        deadline = self._timers.clock.now() + within_ms
        while True:
            self._timers.run_due()
            if self.seq > after or self._timers.clock.now() >= deadline:
                return self.seq
            await self._timers.wait(deadline)


def _is_text(changes: int) -> bool:
    return changes != 0 and not changes & ~(Changed.TEXT | Changed.DESCRIPTION)


def _around(one: "View", other: "View") -> "View":
    """The lowest view that contains both; `one` if there is none."""
    above = set(one.ancestors())
    return next((view for view in other.ancestors() if view in above), one)
