"""The system's content providers: settings, messages, SIMs and media."""

import re
from typing import TYPE_CHECKING

from ...files.entry import ROOT
from ...files.media import Refused
from ...files.media_facts import mime_type, picture_size
from ...packages.provider import (
    Bundle,
    Cell,
    DocumentsProvider,
    Provider,
    ProviderProblem,
    Query,
    Row,
)
from ...packages.where import compile_where
from ...sms.message import Box
from ...system.preferences import TABLES
from .personal import CalendarProvider, CallLogProvider, ContactsProvider

if TYPE_CHECKING:
    from ...world import World

_MEDIA = {"file": "", "images/media": "image/", "video/media": "video/", "audio/media": "audio/"}
"""The tables of the media index, with the prefixes of their MIME types."""
_BOXES = {"inbox": Box.INBOX, "sent": Box.SENT, "outbox": Box.OUTBOX, "failed": Box.FAILED}


class SettingsProvider(Provider):
    """`content://settings/system` and the other two tables, optionally followed by a name."""

    def query(self, query: Query) -> list[Row]:
        table, name = self._place(query)
        values = self.world.preferences.all(table)
        return [
            {"_id": number, "name": key, "value": value, "is_preserved_in_restore": 0}
            for number, (key, value) in enumerate(values.items(), 1)
            if not name or key == name
        ]

    def insert(self, query: Query, values: Row) -> None:
        table, name = self._place(query)
        name = name or str(values.get("name") or "")
        if not name:
            raise ProviderProblem("java.lang.IllegalArgumentException: name is empty")
        value = values.get("value")
        self.world.preferences.put(table, name, "" if value is None else str(value))

    def update(self, query: Query, values: Row) -> int:
        table, _ = self._place(query)
        holds = compile_where(query.where)
        names = [str(row["name"]) for row in self.query(query) if holds(row)]
        for name in names:
            self.world.preferences.put(table, name, str(values.get("value", "")))
        return len(names)

    def delete(self, query: Query) -> int:
        table, _ = self._place(query)
        holds = compile_where(query.where)
        names = [str(row["name"]) for row in self.query(query) if holds(row)]
        return sum(self.world.preferences.delete(table, name) for name in names)

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        verb, _, table = method.partition("_")
        if verb not in ("GET", "PUT", "DELETE") or table not in TABLES or argument is None:
            raise ProviderProblem(
                f"java.lang.IllegalArgumentException: Invalid call method: {method}"
            )
        preferences = self.world.preferences
        if verb == "GET":
            return {"value": preferences.get(table, argument)}
        if verb == "PUT":
            preferences.put(table, argument, str(extras.get("value", "")))
            return None
        return {"result_rows_deleted": int(preferences.delete(table, argument))}

    def _place(self, query: Query) -> tuple[str, str]:
        table, _, name = query.path.partition("/")
        if table not in TABLES:
            raise ProviderProblem(
                f"java.lang.IllegalArgumentException: Invalid URI:content://settings/{query.path}"
            )
        return table, name


class SmsProvider(Provider):
    """`content://sms`, its boxes, and single messages by id."""

    def query(self, query: Query) -> list[Row]:
        self._demand("READ_SMS", "reading")
        place = query.path
        if place and place not in _BOXES and not re.fullmatch("[0-9]{1,18}", place):
            raise ProviderProblem(
                f"java.lang.IllegalStateException: Unknown URL content://sms/{place}"
            )
        rows: list[Row] = []
        for message in reversed(self.world.telephony.messages):
            if place in _BOXES and message.box is not _BOXES[place]:
                continue
            if place and place not in _BOXES and message.id != int(place):
                continue
            rows.append(
                {
                    "_id": message.id,
                    "thread_id": message.thread,
                    "address": message.address,
                    "person": None,
                    "date": message.date,
                    "date_sent": message.date if message.box is Box.INBOX else 0,
                    "protocol": 0 if message.box is Box.INBOX else None,
                    "read": int(message.read),
                    "status": 0 if message.delivered else -1,
                    "type": int(message.box),
                    "reply_path_present": 0 if message.box is Box.INBOX else None,
                    "subject": None,
                    "body": message.body,
                    "service_center": None,
                    "locked": 0,
                    "sub_id": message.sub,
                    "error_code": 0 if message.outcome in (None, -1) else int(message.outcome or 0),
                    "creator": message.creator or "com.android.messaging",
                    "seen": int(message.read),
                }
            )
        return rows

    def insert(self, query: Query, values: Row) -> None:
        # Only the default SMS app may write; Android ignores writes of others.
        self._demand("WRITE_SMS", "writing")

    def delete(self, query: Query) -> int:
        self._demand("WRITE_SMS", "writing")
        return 0

    def _demand(self, permission: str, operation: str) -> None:
        if not self.world.android.shell_reads_sms:
            raise ProviderProblem(
                f"java.lang.SecurityException: Permission Denial: {operation}"
                " com.android.providers.telephony.SmsProvider uri content://sms from pid=2000,"
                f" uid=2000 requires android.permission.{permission}, or grantUriPermission()"
            )


class TelephonyProvider(Provider):
    """`content://telephony/siminfo`: a row for every SIM that the phone has had."""

    def query(self, query: Query) -> list[Row]:
        if query.path.partition("/")[0] != "siminfo":
            raise ProviderProblem(
                f"java.lang.IllegalStateException: Unknown URL content://telephony/{query.path}"
            )
        return [
            {
                "_id": sim.id,
                "icc_id": sim.icc_id,
                "sim_id": sim.slot if sim.active else -1,
                "display_name": sim.display_name,
                "carrier_name": sim.carrier,
                "name_source": 0,
                "color": -16746133,
                "number": sim.number,
                "display_number_format": 1,
                "data_roaming": 0,
                "mcc": int(sim.mcc),
                "mnc": int(sim.mnc),
                "mcc_string": sim.mcc,
                "mnc_string": sim.mnc,
                "iso_country_code": sim.country,
                "is_embedded": 0,
                "card_id": sim.icc_id,
            }
            for sim in self.world.telephony.sims
        ]


class MediaProvider(Provider):
    """`content://media`: the media index, and requests to scan files."""

    def query(self, query: Query) -> list[Row]:
        volume, _, table = query.path.partition("/")
        kind = _MEDIA.get(table)
        if volume not in ("external", "external_primary") or kind is None:
            raise ProviderProblem(
                f"java.lang.IllegalStateException: Unknown URL: content://media/{query.path}"
            )
        return [
            self._row(path, number)
            for path, number in self.world.media.rows.items()
            if mime_type(path).startswith(kind)
        ]

    def _row(self, path: str, number: int) -> Row:
        row: dict[str, Cell] = {
            "_id": number,
            "_data": path,
            "_display_name": path.rpartition("/")[2],
            "mime_type": mime_type(path),
        }
        try:
            found = self.world.files.stat(path, user=ROOT)
            size = picture_size(self.world.files.read(path, ROOT))
        except OSError:  # the file was deleted since the last scan
            return row | {"_size": None, "date_modified": None, "width": None, "height": None,
                          "duration": None}  # fmt: skip
        width, height = size or (None, None)
        return row | {
            "_size": found.size,
            "date_modified": found.mtime,
            "width": width,
            "height": height,
            "duration": None,
        }

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        if method != "scan_file" or not self.world.android.media_scan_call:
            raise ProviderProblem(
                f"java.lang.UnsupportedOperationException: Unsupported call: {method}"
            )
        if argument is None or not self.world.android.media_scan_path:
            # Android 10 requires the file's URI as an extra.
            raise ProviderProblem("java.lang.NullPointerException")
        try:
            number = self.world.media.scan(argument)
        except Refused as refusal:
            raise ProviderProblem(str(refusal)) from refusal
        address = None if number is None else f"content://media/external_primary/file/{number}"
        return {"android.intent.extra.STREAM": address}


SYSTEM_PROVIDERS: dict[str, type[Provider]] = {
    "settings": SettingsProvider,
    "sms": SmsProvider,
    "telephony": TelephonyProvider,
    "contacts": ContactsProvider,
    "com.android.contacts": ContactsProvider,
    "com.android.calendar": CalendarProvider,
    "call_log": CallLogProvider,
    "media": MediaProvider,
    "com.android.externalstorage.documents": DocumentsProvider,
    "com.android.providers.downloads.documents": DocumentsProvider,
    "com.android.providers.media.documents": DocumentsProvider,
}


def find_provider(world: "World", authority: str) -> Provider | None:
    """Return the provider of the system or of an enabled app."""
    own = SYSTEM_PROVIDERS.get(authority)
    if own is not None:
        return own(world)
    for name, app in world.apps.items():
        if authority in app.providers and name not in world.disabled_packages:
            world.running.ensure(app, f"content provider {authority}")
            return app.providers[authority](world)
    return None


def authorities(world: "World") -> list[str]:
    found = set(SYSTEM_PROVIDERS)
    for app in world.apps.values():
        found |= set(app.providers)
    return sorted(found)
