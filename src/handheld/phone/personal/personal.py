"""The owner's contacts, calls, messages and media, from Android's content providers.

This computer compares names, ignoring case and accents, and numbers, by Android's rules for phone
numbers: the providers' own comparison does neither.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...driver.tables import Query, Row, RowChoice
from ...errors import InvalidParams
from ...screen.rows.words import fold
from .personal_tables import (
    ListedRows,
    TableSubject,
    describe_rows,
    number_cell,
    query_table,
    text_cell,
)
from .phone_numbers import dialled, number_pattern, same_number
from .phone_time import PhoneTime

if TYPE_CHECKING:
    from ..phone import Phone

SHORTEST_QUERY = 2
MOST_DATA = 20_000
"""The maximum of numbers and addresses of picked contacts."""

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

CONTACTS = TableSubject("contacts")
CALLS = TableSubject("call log", 31, "12", "Call logs")
MESSAGES = TableSubject("messages", 29, "10", "Messages")
MEDIA = TableSubject("media")


class Detail(NamedTuple):
    """A number or an address of a contact."""

    value: str
    kind: str | None


class Contact(NamedTuple):
    name: str
    phones: tuple[Detail, ...]
    emails: tuple[Detail, ...]


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


# Contacts.


async def find_contacts(phone: "Phone", words: str, limit: int) -> ListedRows[Contact]:
    """Find contacts by words of the name, a number, or a part of a mail address. Raises
    InvalidParams."""
    if len(fold(words)) < SHORTEST_QUERY:  # accents alone would match every name
        raise InvalidParams("query must have at least 2 characters.")
    matches = _Matches(words)
    rows, _ = await query_table(
        phone,
        CONTACTS,
        Query(
            "content://com.android.contacts/data",
            ("_id", "contact_id"),
            ("display_name", "data1", "mimetype", "data2", "data3"),
            where=f"mimetype IN ('{_PHONE}','{_EMAIL}')",
            limit=MOST_DATA,
            choice=RowChoice(("display_name", "data1"), matches.pick),
        ),
    )
    found: dict[int | None, list[Row]] = {}
    for row in rows.rows:
        found.setdefault(number_cell(row, "contact_id"), []).append(row)
    contacts = sorted(map(_contact, found.values()), key=lambda each: fold(each.name))
    return ListedRows(contacts[:limit], rows.more or len(contacts) > limit, describe_rows(rows))


class _Matches:
    def __init__(self, words: str) -> None:
        self._whole, self._number = fold(words), dialled(words)
        self._words = self._whole.split()

    def pick(self, rows: Sequence[Row]) -> list[Row]:
        """Return all rows of each contact that has a matching row."""
        found = {row["contact_id"] for row in rows if self._fits(row)}
        return [row for row in rows if row["contact_id"] in found]

    def _fits(self, row: Row) -> bool:
        name, value = fold(text_cell(row, "display_name") or ""), text_cell(row, "data1") or ""
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
        value, mime = text_cell(row, "data1"), text_cell(row, "mimetype")
        if value is None or mime not in details:
            continue
        kinds = _PHONE_KINDS if mime == _PHONE else _EMAIL_KINDS
        kind = kinds.get(text_cell(row, "data2") or "", text_cell(row, "data3"))
        if all(value != each.value for each in details[mime]):
            details[mime].append(Detail(value, kind))
    name = next((name for row in rows if (name := text_cell(row, "display_name"))), "")
    return Contact(name, tuple(details[_PHONE]), tuple(details[_EMAIL]))


# Calls and messages.


async def list_calls(phone: "Phone", limit: int) -> ListedRows[LoggedCall]:
    """List calls, the newest first."""
    rows, time = await query_table(
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
    return ListedRows(
        [_logged_call(row, time) for row in rows.rows], rows.more, describe_rows(rows, time.note)
    )


def _logged_call(row: Row, time: PhoneTime) -> LoggedCall:
    kind, shown = number_cell(row, "type"), number_cell(row, "presentation")
    hidden = _HIDDEN_NUMBERS.get(shown or 0)
    return LoggedCall(
        None if hidden else text_cell(row, "number"),
        hidden or text_cell(row, "name"),
        _CALL_KINDS.get(kind or 0, f"type {kind}"),
        time.of(number_cell(row, "date")),
        number_cell(row, "duration") or 0,
    )


async def list_messages(phone: "Phone", with_: str | None, limit: int) -> ListedRows[TextMessage]:
    """List messages, the newest first; with `with_`, only those from and to that number or
    sender."""
    query = Query(
        "content://sms",
        ("_id", "date", "type", "read", "sub_id"),
        ("address", "body"),
        sort="date DESC",
        limit=limit,
        choice=None if with_ is None else _messages_with(with_),
    )
    rows, time = await query_table(phone, MESSAGES, query)
    found = [
        TextMessage(
            text_cell(row, "address"),
            _BOXES.get(number_cell(row, "type") or 0, "other"),
            time.of(number_cell(row, "date")),
            bool(number_cell(row, "read")),
            text_cell(row, "body"),
            number_cell(row, "sub_id"),
        )
        for row in rows.rows
    ]
    nobody = ""
    if with_ is not None and not found and not dialled(with_):
        nobody = "find_contacts lists the numbers of a person."
    return ListedRows(found, rows.more, describe_rows(rows, time.note, nobody))


def _messages_with(wanted: str) -> RowChoice:
    number, name = dialled(wanted), wanted.strip().casefold()

    def pick(rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if fits(str(row["address"] or ""))]

    def fits(address: str) -> bool:
        return same_number(number, address) if number else address.strip().casefold() == name

    if number:
        return RowChoice(("address",), pick, ("address", number_pattern(wanted)))
    # LIKE ignores case only in ASCII.
    pattern = "".join(sign if sign.isalnum() else "_" for sign in wanted.strip())
    return RowChoice(("address",), pick, ("address", pattern) if pattern.isascii() else None)


# Media.


async def list_media(phone: "Phone", kind: MediaKind, limit: int) -> ListedRows[MediaFile]:
    """List files in the media index, the most recently changed first."""
    rows, time = await query_table(
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
    return ListedRows(
        [_media_file(row, time) for row in rows.rows], rows.more, describe_rows(rows, time.note)
    )


def _media_file(row: Row, time: PhoneTime) -> MediaFile:
    path, modified = text_cell(row, "_data"), number_cell(row, "date_modified")
    return MediaFile(
        None if path is None else path.rpartition("/")[2],
        path,
        text_cell(row, "mime_type"),
        number_cell(row, "_size"),
        time.of(None if modified is None else modified * 1000),
        number_cell(row, "width"),
        number_cell(row, "height"),
        number_cell(row, "duration"),
    )
