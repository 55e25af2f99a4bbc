"""The owner's contacts, events, calls, messages and media, from Android's content providers.

Names are compared without case and accents, numbers as Android compares them, both on this
computer: Android's own comparison knows neither.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

from ..driver.app_tools import AppFailed, AppProblem
from ..driver.tables import Choice, Query, Row, Rows
from ..errors import ActionFailed, InvalidParams, PermissionDenied
from ..ui.characters import plain
from ..ui.rows.words import fold
from ..ui.text import cut
from .phone_numbers import dialled, number_pattern, same_number
from .phone_time import FARTHEST, PhoneTime, widened

if TYPE_CHECKING:
    from .phone import Phone

Item = TypeVar("Item")

SHORTEST_QUERY = 2
BEFORE = "from must be before to."
LONGEST_SPAN = timedelta(days=366)
YEARS = 1971, 2199
MOST_INSTANCES = 1000
"""Events in a span that are looked at: more than are listed, because the span of the query is
wider."""
MOST_DATA = 20_000
"""Numbers and addresses of contacts that are picked at most."""
UNTOLD = (
    "The text of {count} of these could not be told from what surrounds it, and is null. On the"
    " phone's screen it can be read."
)

_PHONE, _EMAIL = "vnd.android.cursor.item/phone_v2", "vnd.android.cursor.item/email_v2"
_PHONE_KINDS = {
    "1": "home",
    "2": "mobile",
    "3": "work",
    "4": "work fax",
    "5": "home fax",
    "6": "pager",
    "7": "other",
    "12": "main",
    "17": "work mobile",
}
_EMAIL_KINDS = {"1": "home", "2": "work", "3": "other", "4": "mobile"}
_CALL_KINDS = {
    1: "incoming",
    2: "outgoing",
    3: "missed",
    4: "voicemail",
    5: "rejected",
    6: "blocked",
    7: "answered elsewhere",
}
_HIDDEN_NUMBERS = {2: "private", 3: "unknown", 4: "payphone"}
_BOXES = {1: "received", 2: "sent", 3: "draft", 4: "sending", 5: "failed", 6: "queued"}

MediaKind = Literal["image", "video", "audio"]
_MEDIA = {"image": "images", "video": "video", "audio": "audio"}
_MEASURES = {"image": ("width", "height"), "video": ("width", "height", "duration"),
             "audio": ("duration",)}  # fmt: skip


class Subject(NamedTuple):
    """What a table is about, in sentences."""

    name: str
    since: int = 0
    """The API level since which the shell may read it."""
    version: str = ""
    plural: str = ""


CONTACTS = Subject("contacts")
EVENTS = Subject("calendar")
CALLS = Subject("call log", 31, "12", "Call logs")
MESSAGES = Subject("messages", 29, "10", "Messages")
MEDIA = Subject("media")


class Detail(NamedTuple):
    """A number or an address of a contact."""

    value: str
    kind: str | None


class Contact(NamedTuple):
    name: str
    phones: tuple[Detail, ...]
    emails: tuple[Detail, ...]


class Event(NamedTuple):
    title: str | None
    begin: datetime | date | None
    """A day for one that lasts whole days."""
    end: datetime | date | None
    """For whole days the last of them."""
    all_day: bool
    location: str | None
    calendar: str | None
    description: str | None


class LoggedCall(NamedTuple):
    number: str | None
    name: str | None
    kind: str
    time: datetime | None
    seconds: int


class TextMessage(NamedTuple):
    address: str | None
    box: str
    time: datetime | None
    read: bool
    text: str | None
    sim: int | None


class MediaFile(NamedTuple):
    name: str | None
    path: str | None
    mime_type: str | None
    size: int | None
    modified: datetime | None
    width: int | None
    height: int | None
    duration_ms: int | None


class Listed(NamedTuple, Generic[Item]):
    items: Sequence[Item]
    more: bool
    """Whether there are more than these."""
    notes: tuple[str, ...] = ()


async def _query(phone: "Phone", subject: Subject, query: Query) -> tuple[Rows, PhoneTime]:
    try:
        rows = await phone.driver.query(query)
    except AppFailed as failure:
        raise await _explain(phone, subject, failure) from failure
    return rows, PhoneTime(rows.zone)


async def _explain(phone: "Phone", subject: Subject, failure: AppFailed) -> Exception:
    said = cut(plain(failure.message), 200).removesuffix(".")
    if failure.problem is AppProblem.GONE:
        return ActionFailed(f"This phone has no {subject.name}.")
    if failure.problem is not AppProblem.REFUSED:
        return ActionFailed(f"The phone's {subject.name} could not be read: {said}.")
    if subject.since:
        facts = await phone.driver.read_device(("api", "android"))
        api, version = facts["api"].strip(), plain(facts["android"].strip())
        if api.isdecimal() and int(api) < subject.since:
            return PermissionDenied(
                f"{subject.plural} can be read from Android {subject.version} on; this phone has"
                f" {version}."
            )
    return PermissionDenied(f"This phone does not let adb read its {subject.name}: {said}.")


def _text(row: Row, name: str) -> str | None:
    """Return a text; None for an empty one."""
    value = row.get(name)
    return str(value) if value not in (None, "") else None


def _number(row: Row, name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) else None


def _notes(rows: Rows, *further: str) -> tuple[str, ...]:
    untold = (UNTOLD.format(count=rows.untold),) if rows.untold else ()
    return (*untold, *(note for note in further if note))


# Contacts.


async def find_contacts(phone: "Phone", words: str, limit: int) -> Listed[Contact]:
    """By words of the name, by a number, or by a part of a mail address. Raises InvalidParams."""
    if len(words.strip()) < SHORTEST_QUERY:
        raise InvalidParams("query must have at least 2 characters.")
    matches = _Matches(words)
    rows, _ = await _query(
        phone,
        CONTACTS,
        Query(
            "content://com.android.contacts/data",
            ("_id", "contact_id"),
            ("display_name", "data1", "mimetype", "data2", "data3"),
            where=f"mimetype IN ('{_PHONE}','{_EMAIL}')",
            limit=MOST_DATA,
            choice=Choice(("display_name", "data1"), matches.pick),
        ),
    )
    found: dict[int | None, list[Row]] = {}
    for row in rows.rows:
        found.setdefault(_number(row, "contact_id"), []).append(row)
    contacts = sorted(map(_contact, found.values()), key=lambda each: fold(each.name))
    return Listed(contacts[:limit], rows.more or len(contacts) > limit, _notes(rows))


class _Matches:
    def __init__(self, words: str) -> None:
        self._whole, self._number = fold(words), dialled(words)
        self._words = self._whole.split()

    def pick(self, rows: Sequence[Row]) -> list[Row]:
        """All rows of each contact of which one fits."""
        found = {row["contact_id"] for row in rows if self._fits(row)}
        return [row for row in rows if row["contact_id"] in found]

    def _fits(self, row: Row) -> bool:
        name, value = fold(_text(row, "display_name") or ""), _text(row, "data1") or ""
        if all(word in name for word in self._words):
            return True
        if self._number and len(self._number) >= 3:
            digits = dialled(value)
            if same_number(self._number, value) or (digits and self._number in digits):
                return True
        return "@" in value and self._whole in fold(value)


def _contact(rows: Sequence[Row]) -> Contact:
    details: dict[str, list[Detail]] = {_PHONE: [], _EMAIL: []}
    for row in rows:
        value, mime = _text(row, "data1"), _text(row, "mimetype")
        if value is None or mime not in details:
            continue
        kinds = _PHONE_KINDS if mime == _PHONE else _EMAIL_KINDS
        kind = kinds.get(_text(row, "data2") or "", _text(row, "data3"))
        if all(value != each.value for each in details[mime]):
            details[mime].append(Detail(value, kind))
    name = next((name for row in rows if (name := _text(row, "display_name"))), "")
    return Contact(name, tuple(details[_PHONE]), tuple(details[_EMAIL]))


# Events.


async def list_events(phone: "Phone", begin: datetime, end: datetime, limit: int) -> Listed[Event]:
    """Of calendars that are shown, recurring ones each time, by their beginning. The end is not
    part of the span. Raises InvalidParams."""
    if fault := find_span_fault(begin, end):
        raise InvalidParams(fault)
    first, last = widened(begin, end)
    rows, time = await _query(
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
    return Listed(found[:limit], rows.more or len(found) > limit, _notes(rows, time.note))


def find_span_fault(begin: datetime, end: datetime) -> str:
    """Of two times of which one may have no zone, the phone knows which is the earlier."""
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
    """The day of an event that lasts whole days: Android keeps them as if it were in UTC."""
    try:
        return None if ms is None else datetime.fromtimestamp(ms // 1000, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


def _lies_in(row: Row, time: PhoneTime, begin: datetime, end: datetime) -> bool:
    first, last = _number(row, "begin"), _number(row, "end")
    if _number(row, "allDay"):
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
    all_day = bool(_number(row, "allDay"))
    first, last = _number(row, "begin"), _number(row, "end")
    begin, end = time.of(first), time.of(last)
    if all_day:
        begin, after = _day(first), _day(last)
        end = None if begin is None or after is None else max(begin, after - timedelta(days=1))
    return Event(
        _text(row, "title"),
        begin,
        end,
        all_day,
        _text(row, "eventLocation"),
        _text(row, "calendar_displayName"),
        _text(row, "description"),
    )


# Calls and messages.


async def list_calls(phone: "Phone", limit: int) -> Listed[LoggedCall]:
    """The newest first."""
    rows, time = await _query(
        phone,
        CALLS,
        Query(
            "content://call_log/calls",
            ("_id", "type", "date", "duration", "presentation"),
            ("number", "name"),
            sort="date DESC",
            limit=limit,
        ),
    )
    return Listed(
        [_logged_call(row, time) for row in rows.rows], rows.more, _notes(rows, time.note)
    )


def _logged_call(row: Row, time: PhoneTime) -> LoggedCall:
    kind, shown = _number(row, "type"), _number(row, "presentation")
    hidden = _HIDDEN_NUMBERS.get(shown or 0)
    return LoggedCall(
        None if hidden else _text(row, "number"),
        hidden or _text(row, "name"),
        _CALL_KINDS.get(kind or 0, f"type {kind}"),
        time.of(_number(row, "date")),
        _number(row, "duration") or 0,
    )


async def list_messages(phone: "Phone", with_: str | None, limit: int) -> Listed[TextMessage]:
    """The newest first; only those from and to one number or sender."""
    query = Query(
        "content://sms",
        ("_id", "date", "type", "read", "sub_id"),
        ("address", "body"),
        sort="date DESC",
        limit=limit,
        choice=None if with_ is None else _messages_with(with_),
    )
    rows, time = await _query(phone, MESSAGES, query)
    found = [
        TextMessage(
            _text(row, "address"),
            _BOXES.get(_number(row, "type") or 0, "other"),
            time.of(_number(row, "date")),
            bool(_number(row, "read")),
            _text(row, "body"),
            _number(row, "sub_id"),
        )
        for row in rows.rows
    ]
    nobody = ""
    if with_ is not None and not found and not dialled(with_):
        nobody = "find_contacts tells the numbers of a person."
    return Listed(found, rows.more, _notes(rows, time.note, nobody))


def _messages_with(wanted: str) -> Choice:
    number, name = dialled(wanted), wanted.strip().casefold()

    def pick(rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if fits(str(row["address"] or ""))]

    def fits(address: str) -> bool:
        return same_number(number, address) if number else address.strip().casefold() == name

    if number:
        return Choice(("address",), pick, ("address", number_pattern(wanted)))
    # LIKE knows the case of ASCII alone.
    pattern = "".join(sign if sign.isalnum() else "_" for sign in wanted.strip())
    return Choice(("address",), pick, ("address", pattern) if pattern.isascii() else None)


# Media.


async def list_media(phone: "Phone", kind: MediaKind, limit: int) -> Listed[MediaFile]:
    """What the media index has, changed last first."""
    rows, time = await _query(
        phone,
        MEDIA,
        Query(
            f"content://media/external/{_MEDIA[kind]}/media",
            ("_id", "_size", "date_modified", *_MEASURES[kind]),
            ("_data", "mime_type"),
            sort="date_modified DESC",
            limit=limit,
        ),
    )
    return Listed([_media_file(row, time) for row in rows.rows], rows.more, _notes(rows, time.note))


def _media_file(row: Row, time: PhoneTime) -> MediaFile:
    path, modified = _text(row, "_data"), _number(row, "date_modified")
    return MediaFile(
        None if path is None else path.rpartition("/")[2],
        path,
        _text(row, "mime_type"),
        _number(row, "_size"),
        time.of(None if modified is None else modified * 1000),
        _number(row, "width"),
        _number(row, "height"),
        _number(row, "duration"),
    )
