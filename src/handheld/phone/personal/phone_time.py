"""Times on the phone's clock, in its time zone."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

from ...driver.tables import Zone

FARTHEST = timedelta(hours=15)
"""More than any time zone's offset from UTC."""


class PhoneTime:
    def __init__(self, zone: Zone) -> None:
        self._fixed = timezone(timedelta(seconds=zone.offset_s))
        self._zone: tzinfo = self._fixed
        self.note = ""
        """A note about the times if this computer does not know the zone."""
        from zoneinfo import ZoneInfo  # few sessions need it

        try:
            self._zone = ZoneInfo(zone.name)
        except (KeyError, ValueError, OSError):
            self.note = (
                "This computer does not know the phone's time zone: all times have the phone's "
                "current"
                " offset."
            )

    def of(self, ms: int | None) -> datetime | None:
        """Convert milliseconds since 1970 into a time; None for an invalid time."""
        if ms is None:
            return None
        try:
            return datetime.fromtimestamp(ms // 1000, UTC).astimezone(self._zone)
        except (ValueError, OverflowError, OSError):
            return None

    def local(self, moment: datetime) -> datetime:
        """Convert to the phone's zone; a time without a zone is already local."""
        if moment.tzinfo is None:
            return moment.replace(tzinfo=self._zone)
        return moment.astimezone(self._zone)


def to_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def widened(begin: datetime, end: datetime) -> tuple[int, int]:
    """Return a span in milliseconds since 1970 that includes the wanted one in any time zone."""
    first = begin if begin.tzinfo is not None else begin.replace(tzinfo=UTC)
    last = end if end.tzinfo is not None else end.replace(tzinfo=UTC)
    return max(0, to_ms(first - FARTHEST)), to_ms(last + FARTHEST)
