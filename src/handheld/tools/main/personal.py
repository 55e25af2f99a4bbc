"""The device's data about its owner and other people: contacts, events, calls, messages."""

import json
from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ...errors import InvalidParams
from ...phone.apps.logs import parse_moment
from ...phone.phone import Phone
from ...screen.text import brief
from ..listing import PERSONAL_TOOLSET
from ..parameter import Param
from ..recording import Secret
from ..tool import Toolset, json_text

if TYPE_CHECKING:
    from ...phone.personal.events import Event
    from ...phone.personal.personal import Contact, LoggedCall, MediaFile, TextMessage
    from ...phone.personal.personal_tables import Item, ListedRows


def read_moment(text: str) -> datetime | None:
    """Read an ISO 8601 day or time; None if invalid."""
    return parse_moment(f"{text}T00:00:00") or parse_moment(f"{text}:00") or parse_moment(text)


def _moment_reader(name: str) -> Callable[[Any], datetime]:
    def read(value: Any) -> datetime:
        text = value if isinstance(value, str) else json.dumps(value)
        moment = read_moment(text.strip())
        if moment is None:
            raise InvalidParams(
                f"{name} must be an ISO 8601 day or time (e.g., '2024-01-15' or"
                f" '2024-01-15T10:30:00'). Got: '{brief(text)}'"
            )
        return moment

    return read


ContactQuery = Annotated[
    str,
    Param(
        "Words of the name, a phone number, or part of a mail address (at least 2 characters)",
        secret=Secret.WHOLE,
    ),
]
EventsFrom = Annotated[
    datetime,
    Param(
        "ISO 8601 day or time on the device's clock (e.g., 2024-01-15)",
        read=_moment_reader("from"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
EventsTo = Annotated[
    datetime,
    Param(
        "The end, itself not included: for one day, the next day",
        read=_moment_reader("to"),
        schema={"type": "string"},
        secret=Secret.NO,
    ),
]
MessagesWith = Annotated[
    str | None,
    Param("Only messages with this phone number or sender", secret=Secret.WHOLE),
]
ListedMedia = Annotated[Literal["image", "video", "audio"], Param("Kind of media")]
PersonalLimit = Annotated[int, Param("Most entries to return (1-200)", 1, 200)]


personal = Toolset(PERSONAL_TOOLSET)

LONGEST_DESCRIPTION = 1000


def _reply(
    name: str, listed: "ListedRows[Item]", describe: "Callable[[Item], dict[str, Any]]"
) -> str:
    reply: dict[str, Any] = {name: [describe(each) for each in listed.items]}
    if listed.more:
        reply["more"] = True
    if listed.notes:
        reply["note"] = " ".join(listed.notes)
    return json_text(reply)


def _time(moment: date | None) -> str | None:
    return None if moment is None else moment.isoformat()


@personal.tool(
    title="Find contacts",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def find_contacts(phone: Phone, query: ContactQuery, limit: PersonalLimit = 20) -> str:
    """Finds people in the device's contacts, with their phone numbers and mail addresses."""
    from ...phone.personal.personal import find_contacts

    return _reply("contacts", await find_contacts(phone, query, limit), _describe_contact)


def _describe_contact(contact: "Contact") -> dict[str, Any]:
    return {
        "name": contact.name,
        "phones": [{"number": each.value, "kind": each.kind} for each in contact.phones],
        "emails": [{"address": each.value, "kind": each.kind} for each in contact.emails],
    }


@personal.tool(
    title="List events",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def list_events(
    phone: Phone, from_: EventsFrom, to_: EventsTo, limit: PersonalLimit = 50
) -> str:
    """Lists the events of the calendars that the device shows, recurring ones each time."""
    from ...phone.personal.events import list_events

    return _reply("events", await list_events(phone, from_, to_, limit), _describe_event)


def _describe_event(event: "Event") -> dict[str, Any]:
    description = event.description
    if description is not None and len(description) > LONGEST_DESCRIPTION:
        description = f"{description[:LONGEST_DESCRIPTION]}…"
    return {
        "title": event.title,
        "from": _time(event.begin),
        "to": _time(event.end),
        "all_day": event.all_day,
        "location": event.location,
        "calendar": event.calendar,
        "description": description,
    }


@personal.tool(
    title="List calls",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def list_calls(phone: Phone, limit: PersonalLimit = 50) -> str:
    """Lists the calls that were made, received and missed, newest first (Android 12 or newer)."""
    from ...phone.personal.personal import list_calls

    return _reply("calls", await list_calls(phone, limit), _describe_call)


def _describe_call(call: "LoggedCall") -> dict[str, Any]:
    return {
        "kind": call.kind,
        "number": call.number,
        "name": call.name,
        "time": _time(call.time),
        "seconds": call.seconds,
    }


@personal.tool(
    title="List messages",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def list_messages(phone: Phone, with_: MessagesWith = None, limit: PersonalLimit = 50) -> str:
    """Lists SMS messages, newest first (Android 10 or newer)."""
    from ...phone.personal.personal import list_messages

    wanted = (with_ or "").strip() or None
    return _reply("messages", await list_messages(phone, wanted, limit), _describe_message)


def _describe_message(message: "TextMessage") -> dict[str, Any]:
    return {
        "kind": message.box,
        "with": message.address,
        "time": _time(message.time),
        "read": message.read,
        "text": message.text,
        "subscription_id": message.sim,
    }


@personal.tool(
    title="List media",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def list_media(phone: Phone, kind: ListedMedia, limit: PersonalLimit = 50) -> str:
    """Lists pictures, videos or sound files that the device's gallery and players know, newest
    change first."""
    from ...phone.personal.personal import list_media

    return _reply("media", await list_media(phone, kind, limit), _describe_media)


def _describe_media(file: "MediaFile") -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": file.name,
        "path": file.path,
        "mime_type": file.mime_type,
        "size": file.size,
        "modified": _time(file.modified),
    }
    measured = {"width": file.width, "height": file.height, "duration_ms": file.duration_ms}
    return told | {name: value for name, value in measured.items() if value is not None}
