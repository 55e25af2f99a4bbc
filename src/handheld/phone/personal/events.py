"""The events of the owner's calendars."""

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from ...driver.tables import Query, Row
from ...errors import InvalidParams
from .personal_tables import (
    ListedRows,
    TableSubject,
    describe_rows,
    number_cell,
    query_table,
    text_cell,
)
from .phone_time import FARTHEST, PhoneTime, widened

if TYPE_CHECKING:
    from ..phone import Phone

BEFORE = "from must be before to."
LONGEST_SPAN = timedelta(days=366)
YEARS = 1971, 2199
MOST_INSTANCES = 1000
"""The maximum of events that are read: more than are listed, because the query's span is wider."""
EVENTS = TableSubject("calendar")


class Event(NamedTuple):
    title: str | None
    begin: datetime | date | None
    """A date for an all-day event."""
    end: datetime | date | None
    """The last day of an all-day event."""
    all_day: bool
    location: str | None
    calendar: str | None
    description: str | None


async def list_events(
    phone: "Phone", begin: datetime, end: datetime, limit: int
) -> ListedRows[Event]:
    """List events of visible calendars by start time, each instance of recurring ones. `end` is
    exclusive. Raises InvalidParams."""
    if fault := find_span_fault(begin, end):
        raise InvalidParams(fault)
    first, last = widened(begin, end)
    rows, time = await query_table(
        phone,
        EVENTS,
        Query(
            f"content://com.android.calendar/instances/when/{first}/{last}",
            ("event_id", "begin", "end", "allDay"),
            ("title", "eventLocation", "calendar_displayName", "description"),
            where="visible=1",
            sort="begin ASC",
            limit=MOST_INSTANCES,
            key=("event_id", "begin"),
        ),
    )
    span = time.local(begin), time.local(end)
    if span[0] >= span[1]:
        raise InvalidParams(BEFORE)
    found = [_event(row, time) for row in rows.rows if _lies_in(row, time, *span)]
    return ListedRows(
        found[:limit], rows.more or len(found) > limit, describe_rows(rows, time.note)
    )


def find_span_fault(begin: datetime, end: datetime) -> str:
    """Return what is wrong with a span; "" if it is valid. Only the phone can compare a time
    without a zone to one with a zone."""
    for name, moment in (("from", begin), ("to", end)):
        if not YEARS[0] <= moment.year <= YEARS[1]:
            return f"{name} must be in the years {YEARS[0]} to {YEARS[1]}."
    first, last = widened(begin, end)
    slack = 2 * FARTHEST if (begin.tzinfo is None) == (end.tzinfo is None) else timedelta()
    span = timedelta(milliseconds=last - first) - slack
    if span <= timedelta():
        return BEFORE
    return f"At most {LONGEST_SPAN.days} days can be listed at once." if span > LONGEST_SPAN else ""


def _day(ms: int | None) -> date | None:
    """Return the day of an all-day event, which Android stores as UTC."""
    try:
        return None if ms is None else datetime.fromtimestamp(ms // 1000, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


def _lies_in(row: Row, time: PhoneTime, begin: datetime, end: datetime) -> bool:
    first, last = number_cell(row, "begin"), number_cell(row, "end")
    if number_cell(row, "allDay"):
        day, after = _day(first), _day(last)
        if day is None or after is None or day == date.max:
            return False
        midnight = datetime.min.time()
        starts = datetime.combine(day, midnight)
        ends = datetime.combine(max(after, day + timedelta(days=1)), midnight)
        return starts < end.replace(tzinfo=None) and ends > begin.replace(tzinfo=None)
    starts, ends = time.of(first), time.of(last)
    if starts is None or ends is None:
        return False
    return starts < end and (ends > begin or starts >= begin)


def _event(row: Row, time: PhoneTime) -> Event:
    all_day = bool(number_cell(row, "allDay"))
    first, last = number_cell(row, "begin"), number_cell(row, "end")
    begin, end = time.of(first), time.of(last)
    if all_day:
        begin, after = _day(first), _day(last)
        end = None if begin is None or after is None else max(begin, after - timedelta(days=1))
    return Event(
        text_cell(row, "title"),
        begin,
        end,
        all_day,
        text_cell(row, "eventLocation"),
        text_cell(row, "calendar_displayName"),
        text_cell(row, "description"),
    )
