"""The phone's date and time: a fixed start, the world's clock, and a time zone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

SWITCHED_ON = datetime(2026, 2, 11, 9, 41, tzinfo=UTC)
"""The boot time of every virtual phone, which is fixed to make runs comparable."""


class Wall:
    def __init__(
        self, now_ms: Callable[[], float], changed: Callable[[], object] = lambda: None
    ) -> None:
        """`changed` is called when the displayed time has to change immediately."""
        self._now_ms = now_ms
        self._changed = changed
        self._start = SWITCHED_ON
        self.zone = timezone(timedelta(0), "GMT")

    def now(self) -> datetime:
        """The time in the phone's zone."""
        return (self._start + timedelta(milliseconds=self._now_ms())).astimezone(self.zone)

    def jump(self, by: timedelta) -> None:
        """Move the phone's clock by an interval."""
        self._start += by
        self._changed()

    def set_zone(self, name: str, offset: timedelta) -> None:
        self.zone = timezone(offset, name)
        self._changed()
