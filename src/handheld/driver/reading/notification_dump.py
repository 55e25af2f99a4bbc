"""Parse `dumpsys notification`, as a protocol buffer and in text.

The text is not escaped: an app can write lines that look like another app's notification. The
protocol buffer cannot be forged, but contains no texts. So the keys are taken from the protocol
buffer, and a key's texts from the output after the only line with that key.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...adb.link import AdbError
from ..notifications import Notification, NotificationAction

EVERY_USER = -1
ONGOING, NO_CLEAR = 0x2, 0x20
MOST = 300
MOST_ACTIONS = 20
MOST_ALIKE = 200
"""The maximum of records with one package and number: Android keeps 50 per app, so more are
forged."""
LONGEST_KEY = 10_000
LONGEST = {"title": 1000, "text": 5000, "big_text": 10_000, "sub_text": 1000, "action": 200}
"""The maximum length of a text, similar to the helper's."""
_POSTED = 1
_RECORDS, _KEY, _STATE, _FLAGS, _GROUP = 1, 1, 2, 3, 9
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_NAME = re.compile(r"(-?\d{1,9})\|([A-Za-z][\w.]*)\|(-?\d{1,11})\|")
"""The beginning of a key: user, package and number. The tag and the uid follow."""
_BEGIN = re.compile(
    r"^    NotificationRecord\(0x[0-9a-f]{1,16}: pkg=(?P<package>[A-Za-z][\w.]*)"
    r" user=UserHandle\{(?P<user>-?\d{1,9})\} id=(?P<number>-?\d{1,11}) tag=",
    re.MULTILINE,
)
_NUMBER = re.compile(r"-?\d{1,9}")
_NESTS = re.compile(r"^( {6}| {12})extras=\{$", re.MULTILINE)
"""Since Android 12 the notification is indented twice as far as the record."""
_TIME = re.compile(r"^ {6}m(?:Creation|Update)TimeMs=(\d{1,16})$", re.MULTILINE)
_CATEGORY = re.compile(r" color=0x[0-9a-f]{8} category=(\S{1,100})")
_TYPED = re.compile(r"[A-Za-z]\w* \((.*)\)", re.DOTALL)
_TITLE_END = re.compile(r'" -> (?:PendingIntent\{.*|null)\Z', re.DOTALL)
_TEXTS = {
    "android.title": "title",
    "android.text": "text",
    "android.bigText": "big_text",
    "android.subText": "sub_text",
}


class BadNotificationDump(AdbError):
    """The output is not Android's list of notifications."""


class NotificationRecord(NamedTuple):
    """A posted notification, from the protocol buffer."""

    key: str
    flags: int
    group: str | None

    @property
    def user(self) -> int:
        found = _NAME.match(self.key)
        return int(found[1]) if found else 0


def read_records(data: bytes) -> list[NotificationRecord]:
    """Parse `dumpsys notification --proto`: the posted notifications of all users. Raises
    BadDump."""
    found: list[NotificationRecord] = []
    for number, value in _fields(data):
        if number == _RECORDS and isinstance(value, bytes):
            found += _read_message(value)
    return found


def _read_message(data: bytes) -> Iterator[NotificationRecord]:
    """Read one record, or, until Android 8.1, all of them: each begins with its key."""
    key, state, flags, group = "", 0, 0, None
    for number, value in _fields(data):
        if number == _KEY and isinstance(value, bytes):
            if key and state == _POSTED:
                yield NotificationRecord(key, flags, group)
            key, state, flags, group = value.decode(errors="replace"), 0, 0, None
        elif number == _GROUP and isinstance(value, bytes):
            group = value.decode(errors="replace")
        elif number == _STATE and isinstance(value, int):
            state = value
        elif number == _FLAGS and isinstance(value, int):
            flags = value
    if key and state == _POSTED:
        yield NotificationRecord(key, flags, group)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise _bad()
        if at + size > len(data):
            raise _bad()
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise _bad()


def _bad() -> BadNotificationDump:
    return BadNotificationDump(
        "The phone does not print its notifications in a form that can be read."
    )


# The text


def read_printed(
    text: str, records: Iterable[NotificationRecord], users: Collection[int]
) -> tuple[Notification, ...]:
    """Parse `dumpsys notification --noredact`: those of these records that belong to these users,
    newest first."""
    wanted = [
        record
        for record in records
        if (record.user in users or record.user == EVERY_USER)
        and len(record.key) <= LONGEST_KEY
        and _NAME.match(record.key)
    ]
    parts = _split(text, wanted)
    found = [_read(record, parts[record.key]) for record in wanted]
    found.sort(key=lambda notification: -notification.posted)
    return tuple(found[:MOST])


def _split(text: str, records: Sequence[NotificationRecord]) -> dict[str, list[str]]:
    """Return the printed texts of each key: several if an app forges another's notification."""
    keys: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for record in records:
        keys[_name(record.key)].append(record.key)
    parts: dict[str, list[str]] = {record.key: [] for record in records}
    begins = list(_BEGIN.finditer(text))
    names = [(begin["user"], begin["package"], begin["number"]) for begin in begins]
    often = {name for name, count in Counter(names).items() if count > MOST_ALIKE}
    for place, (begin, name) in enumerate(zip(begins, names, strict=True)):
        for key in () if name in often else keys.get(name, ()):
            named = _find_key(text, begin.end(), key, "|".join(name))
            if named:
                end = begins[place + 1].start() if place + 1 < len(begins) else len(text)
                parts[key].append(text[begin.start() : max(end, named)])
    return parts


def _find_key(text: str, start: int, key: str, name: str) -> int:
    """Return the end of the key if it follows the tag at `start`, else 0."""
    at = text.find(f" key={key}", start, start + 2 * len(key) + 40)
    if at < 0:
        return 0
    tag, found, number = text[start:at].rpartition(" importance=")
    if not found or not _NUMBER.fullmatch(number) or not key.startswith(f"{name}|{tag}|"):
        return 0
    return at + len(" key=") + len(key)


def _name(key: str) -> tuple[str, str, str]:
    """Return user, package and number."""
    found = _NAME.match(key)
    assert found is not None
    user, package, number = found.groups()
    return user, package, number


def _read(record: NotificationRecord, parts: Sequence[str]) -> Notification:
    package = _name(record.key)[1]
    part = parts[0] if len(parts) == 1 else ""
    times = _TIME.findall(part)
    texts: dict[str, str | None] = {}
    actions: tuple[NotificationAction, ...] = ()
    nests = _NESTS.search(part)
    if nests is not None and times:
        texts = _read_extras(part[nests.end() + 1 :], nests[1])
        actions = _read_actions(part[: nests.start()], nests[1])
    category = _CATEGORY.search(part[: nests.start()] if nests else part)
    return Notification(
        record.key,
        package,
        package,
        int(times[-1]) if times else 0,
        texts.get("title"),
        texts.get("text"),
        texts.get("big_text"),
        texts.get("sub_text"),
        ongoing=bool(record.flags & ONGOING),
        clearable=not record.flags & (ONGOING | NO_CLEAR),
        category=category[1] if category is not None else None,
        group=record.group if record.group != record.key else None,
        actions=actions,
        printed=True,
        unreadable=not times,
    )


def _read_extras(text: str, indent: str) -> dict[str, str | None]:
    """`text` begins after the opening line."""
    end = re.search(rf"^{indent}\}}$", text, re.MULTILINE)
    text = text[: end.start()] if end is not None else text
    begins = list(re.finditer(rf"^{indent}    ([A-Za-z][\w.]*)=", text, re.MULTILINE))
    texts: dict[str, str | None] = {}
    for place, begin in enumerate(begins):
        name = begin[1]
        if name not in _TEXTS and name != "android.textLines":
            continue
        last = begins[place + 1].start() if place + 1 < len(begins) else len(text)
        value = text[begin.end() : last].removesuffix("\n")
        if name == "android.textLines":
            lines = re.split(rf"^{indent}      \[\d{{1,4}}\] ", value, flags=re.MULTILINE)[1:]
            joined = "".join(lines).rstrip("\n")
            texts.setdefault("big_text", joined[: LONGEST["big_text"]] or None)
        elif (typed := _TYPED.fullmatch(value)) is not None:
            texts[_TEXTS[name]] = typed[1][: LONGEST[_TEXTS[name]]] or None
    return texts


def _read_actions(text: str, indent: str) -> tuple[NotificationAction, ...]:
    begin = re.search(rf"^{indent}actions=\{{\n", text, re.MULTILINE)
    if begin is None:
        return ()
    end = re.search(rf"^{indent}  \}}$", text[begin.end() :], re.MULTILINE)
    listed = text[begin.end() :][: end.start() if end is not None else None]
    actions: list[NotificationAction] = []
    rows = list(re.finditer(rf'^{indent}    \[(\d{{1,3}})\] "', listed, re.MULTILINE))
    for place, row in enumerate(rows[:MOST_ACTIONS]):
        last = rows[place + 1].start() if place + 1 < len(rows) else len(listed)
        title = _TITLE_END.sub("", listed[row.end() : last].removesuffix("\n"))
        if int(row[1]) == len(actions):
            actions.append(NotificationAction(title[: LONGEST["action"]], None))
    return tuple(actions)
