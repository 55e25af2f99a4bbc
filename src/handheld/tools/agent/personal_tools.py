"""Contacts, events, calls, messages and media for `phone_read`, one line each."""

from datetime import date, datetime, timedelta
from typing import Any

from ...errors import InvalidParams
from ...phone.personal.events import Event, list_events
from ...phone.personal.personal import (
    Contact,
    LoggedCall,
    MediaFile,
    MediaKind,
    find_contacts,
    list_calls,
    list_media,
    list_messages,
)
from ...phone.personal.personal import TextMessage as Message
from ...phone.personal.personal_tables import ListedRows
from ...phone.phone import Phone
from ...screen.rows.words import clean, cut

LONGEST_NAME = 100
LONGEST_TEXT = 2000
_SPAN = (
    "phone_read events needs of: a day as 2024-01-15, or the first and the last as"
    " 2024-01-15/2024-01-17."
)
_KINDS: dict[str, MediaKind] = {
    "": "image",
    "image": "image",
    "images": "image",
    "photos": "image",
    "pictures": "image",
    "video": "video",
    "videos": "video",
    "audio": "audio",
    "music": "audio",
}


def _quoted(text: str | None, most: int = LONGEST_NAME) -> str:
    return f'"{cut(clean(text or ""), most)}"'


def _listed(lines: list[str], listed: ListedRows[Any], what: str) -> str:
    notes = [note.replace("find_contacts", "phone_read contacts") for note in listed.notes]
    if not lines:
        part = " among those that were looked at; there are more" if listed.more else ""
        return " ".join([f"No {what}{part}.", *notes])
    more = [f"There are more {what}: raise limit."] if listed.more else []
    return "\n".join([*lines, *more, *notes])


def _when(moment: date | None) -> str:
    if moment is None:
        return "at an unknown time"
    return f"{moment:%Y-%m-%d %H:%M}" if isinstance(moment, datetime) else moment.isoformat()


async def read_contacts(phone: Phone, of: str, limit: int) -> str:
    if not of:
        raise InvalidParams("phone_read contacts needs of: words of a name, or a number.")
    found = await find_contacts(phone, of, limit)
    return _listed([_contact(each) for each in found.items], found, "contacts")


def _contact(contact: Contact) -> str:
    details = [
        f"{clean(each.kind)} {_quoted(each.value)}" if each.kind else _quoted(each.value)
        for each in (*contact.phones, *contact.emails)
    ]
    return " ".join([_quoted(contact.name), ", ".join(details)])


async def read_events(phone: Phone, of: str, limit: int) -> str:
    first, _, last = of.partition("/")
    try:
        begin = datetime.strptime(first.strip(), "%Y-%m-%d")  # noqa: DTZ007, on the phone's clock
        end = datetime.strptime(last.strip(), "%Y-%m-%d") if last else begin  # noqa: DTZ007
    except ValueError:
        raise InvalidParams(_SPAN) from None
    if end < begin:
        raise InvalidParams(_SPAN)
    found = await list_events(phone, begin, end + timedelta(days=1), limit)
    return _listed([_event(each) for each in found.items], found, "events")


def _event(event: Event) -> str:
    begin, end = event.begin, event.end
    span = _when(begin)
    if event.all_day and begin != end:
        span += f" to {_when(end)}"
    elif isinstance(begin, datetime) and isinstance(end, datetime):
        span += f"-{end:%H:%M}" if begin.date() == end.date() else f" to {_when(end)}"
    words = [span, _quoted(event.title)]
    words += [f"at {_quoted(event.location)}"] if event.location else []
    words += [f"calendar {_quoted(event.calendar)}"] if event.calendar else []
    words += [f"note {_quoted(event.description, 200)}"] if event.description else []
    return " ".join(words)


async def read_calls(phone: Phone, of: str, limit: int) -> str:
    found = await list_calls(phone, limit)
    return _listed([_call(each) for each in found.items], found, "calls")


def _call(call: LoggedCall) -> str:
    words = [_when(call.time), call.kind]
    words += [_quoted(call.number)] if call.number else []
    words += [_quoted(call.name)] if call.name else []
    words += [f"{call.seconds} s"] if call.seconds else []
    return " ".join(words)


async def read_messages(phone: Phone, of: str, limit: int) -> str:
    found = await list_messages(phone, of or None, limit)
    return _listed([_message(each) for each in found.items], found, "messages")


def _message(message: Message) -> str:
    unread = " unread" if message.box == "received" and not message.read else ""
    head = f"{_when(message.time)} {message.box}{unread} {_quoted(message.address)}"
    return f"{head}: {_quoted(message.text, LONGEST_TEXT)}"


async def read_media(phone: Phone, of: str, limit: int) -> str:
    kind = _KINDS.get(of.casefold())
    if kind is None:
        raise InvalidParams("phone_read media takes of: image, video or audio.")
    found = await list_media(phone, kind, limit)
    return _listed([_media(each) for each in found.items], found, f"{kind} files")


def _media(file: MediaFile) -> str:
    words = [_quoted(file.path, 400)]
    words += [f"{file.width}x{file.height}"] if file.width and file.height else []
    words += [f"{file.duration_ms / 1000:.0f} s"] if file.duration_ms else []
    words += [f"{file.size} bytes"] if file.size is not None else []
    return " ".join([*words, _when(file.modified)])


PERSONAL_READERS = {
    "contacts": read_contacts,
    "events": read_events,
    "calls": read_calls,
    "messages": read_messages,
    "media": read_media,
}
