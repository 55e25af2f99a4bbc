"""The content providers of contacts, calendar and calls."""

import re
from typing import TYPE_CHECKING

from ...packages.provider import Provider, ProviderProblem, Query, Row

if TYPE_CHECKING:
    from ...system.personal import Contact

PHONE, EMAIL = "vnd.android.cursor.item/phone_v2", "vnd.android.cursor.item/email_v2"
_PHONE_TYPES = {"Home": "1", "Mobile": "2", "Work": "3"}
_INSTANCES = re.compile(r"instances/when/(\d{1,18})/(\d{1,18})")


class ContactsProvider(Provider):
    """`content://contacts/phones` and `content://com.android.contacts/…`: names, numbers and
    addresses."""

    def query(self, query: Query) -> list[Row]:
        from ..contacts.people import known_contacts

        if "com.android.contacts" not in self.world.apps:
            return []
        found = list(enumerate(known_contacts(self.world), 1))
        match query.path.rstrip("/"):
            case "phones" | "data/phones" | "phone_lookup":
                return [_phone(number, contact) for number, contact in found if contact.number]
            case "data/emails":
                return [_email(number, contact) for number, contact in found if contact.email]
            case "data":
                phones = [_phone(number, contact) for number, contact in found if contact.number]
                emails = [_email(number, contact) for number, contact in found if contact.email]
                return [*phones, *emails]
            case "contacts" | "people" | "raw_contacts":
                return [
                    {
                        "_id": number,
                        "display_name": contact.name,
                        "has_phone_number": int(bool(contact.number)),
                        "starred": 0,
                    }
                    for number, contact in found
                ]
            case path:
                raise ProviderProblem(
                    f"java.lang.IllegalArgumentException: Unknown URL content://contacts/{path}"
                )


def _phone(number: int, contact: "Contact") -> Row:
    type = _PHONE_TYPES.get(contact.kind, "0")
    return {
        "_id": 2 * number - 1,
        "contact_id": number,
        "display_name": contact.name,
        "number": contact.number,
        "mimetype": PHONE,
        "data1": contact.number,
        "data2": type,
        "data3": contact.kind if type == "0" else None,
    }


def _email(number: int, contact: "Contact") -> Row:
    return {
        "_id": 2 * number,
        "contact_id": number,
        "display_name": contact.name,
        "mimetype": EMAIL,
        "data1": contact.email,
        "data2": "1",
        "data3": None,
    }


class CalendarProvider(Provider):
    """`content://com.android.calendar/instances/when/BEGIN/END` has each occurrence of an event;
    `/events` has each event once."""

    def query(self, query: Query) -> list[Row]:
        if query.path == "events":
            return [row for row in self._rows() if row["begin"] == row["dtstart"]]
        span = _INSTANCES.fullmatch(query.path)
        if span is None:
            raise ProviderProblem(
                "java.lang.IllegalArgumentException: Unknown URL"
                f" content://com.android.calendar/{query.path}"
            )
        first, last = int(span[1]), int(span[2])
        return [
            row for row in self._rows() if int(row["begin"] or 0) <= last and _end(row) >= first
        ]

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        for number, event in enumerate(self.world.personal.events, 1):
            instances = list(event.instances())
            for begin, end in instances:
                rows.append(
                    {
                        "_id": len(rows) + 1,
                        "event_id": number,
                        "dtstart": instances[0][0],
                        "begin": begin,
                        "end": end,
                        "allDay": int(event.all_day),
                        "visible": int(event.shown),
                        "title": event.title,
                        "eventLocation": event.location,
                        "calendar_displayName": event.calendar,
                        "description": event.description,
                    }
                )
        return rows


def _end(row: Row) -> int:
    return int(row["end"] or 0)


class CallLogProvider(Provider):
    """`content://call_log/calls`."""

    def query(self, query: Query) -> list[Row]:
        world = self.world
        if not world.android.shell_reads_calls or "READ_CALL_LOG" in world.shell_revoked:
            raise ProviderProblem(
                "java.lang.SecurityException: Permission Denial: opening provider"
                " com.android.providers.contacts.CallLogProvider from (null) (pid=2000, uid=2000)"
                " requires android.permission.READ_CALL_LOG or android.permission.WRITE_CALL_LOG"
            )
        if query.path != "calls":
            raise ProviderProblem(
                f"java.lang.IllegalArgumentException: Unknown URL content://call_log/{query.path}"
            )
        return [
            {
                "_id": number,
                "number": call.number,
                "presentation": call.presentation,
                "type": call.kind,
                "date": call.date,
                "duration": call.seconds,
                "name": call.name,
                "new": int(call.kind == 3),
                "is_read": 1,
            }
            for number, call in enumerate(world.personal.calls, 1)
        ]
