"""Copies of the record outside its host: links of the chain as messages, the entries that they
make, and the check that they are complete and unchanged."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard, cast

from ..compact_json import make_encoder
from ..screen.characters import replace_surrogates
from .chain import BEGUN, DROPPED, ENDED, FIRST, ChainHead, Value, encode, link_hash
from .entry import STATES, AuditEntry, Dropped
from .links import RecordLink
from .verification import Verification

LARGEST = 256 * 1024
"""Bytes of a message. A larger copy leaves its longest values at the host."""
MOST_IN_ONE = 100
"""Copies per message."""
_encode = make_encoder(escape=True)
_LONG = 1000
_NOT_COPIED = "(not copied: too large)"
_INSTEAD = {
    "arguments": json.dumps({"…": _NOT_COPIED}),
    "elements": "{}",
    "result": json.dumps([_NOT_COPIED]),
}
_COLUMNS: Mapping[str, Sequence[str]] = {
    "begin": BEGUN.split(", "),
    "end": ENDED.split(", "),
    "drop": DROPPED.split(", "),
}
_MOST_REPEATED = 1000
"""The most copies that a host sends again after it was killed."""
_MOST_TEXT = 1000
_MOST_GROUPS = 1000
_MOST_TIME = 2.0**37
"""The largest time that can be shown as a date, in seconds since 1970."""


class Copy(NamedTuple):
    host: str
    """The host's name for people."""
    after: int
    """The link that was copied before it; 0 for the first. Links in between were dropped before
    they could be copied."""
    link: RecordLink
    whole: bool = True
    """False if values were left out: its hash then proves nothing."""

    def pack(self) -> bytes:
        packed = _pack(self)
        if len(packed) <= LARGEST:
            return packed
        return _pack(self._replace(link=_shorten(self.link), whole=False))

    def value(self, column: str) -> Value:
        """The value of a column of a begin, an end or a drop. Raises ValueError."""
        columns, values = _COLUMNS[self.link.kind], self.link.values
        if values is None or len(values) != len(columns):
            raise ValueError(f"{self.link.kind} without its values")
        return values[columns.index(column)]


def _pack(copy: Copy) -> bytes:
    link = copy.link
    message: dict[str, Any] = {
        "host": copy.host,
        "after": copy.after,
        "seq": link.seq,
        "kind": link.kind,
        "of": link.of,
        "group": link.group,
        "size": link.size,
        "before": link.before.hex(),
        "hash": link.hash.hex(),
        "values": None if link.values is None else [_pack_value(each) for each in link.values],
    }
    if not copy.whole:
        message["whole"] = False
    return _encode(message).encode()


def _pack_value(value: Value) -> Any:
    return [value.hex()] if isinstance(value, bytes) else value


def _shorten(link: RecordLink) -> RecordLink:
    columns = _COLUMNS.get(link.kind, ())
    values = [
        _INSTEAD.get(column, _NOT_COPIED)
        if isinstance(value, str) and len(value) > _LONG
        else value
        for column, value in zip(columns, link.values or (), strict=False)
    ]
    return link._replace(values=tuple(values))


def pack_copies(copies: Iterable[Copy]) -> Iterator[tuple[bytes, RecordLink, RecordLink]]:
    """Pack copies into messages, one copy per line, each with its first and last link. A message
    costs its host and the engine as much as a call."""
    lines: list[bytes] = []
    links: list[RecordLink] = []
    size = 0
    for copy in copies:
        packed = copy.pack()
        if lines and (size + len(packed) > LARGEST or len(lines) == MOST_IN_ONE):
            yield b"\n".join(lines), links[0], links[-1]
            lines, links, size = [], [], 0
        lines.append(packed)
        links.append(copy.link)
        size += len(packed) + 1
    if lines:
        yield b"\n".join(lines), links[0], links[-1]


def read_copies(data: bytes) -> list[Copy | None]:
    """The copies in a message; None for each one that cannot be read."""
    found: list[Copy | None] = []
    for line in data.split(b"\n", MOST_IN_ONE):
        try:
            found.append(read_copy(line))
        except ValueError:
            found.append(None)
    return found


def read_copy(data: bytes) -> Copy:
    """Raises ValueError."""
    told: dict[str, Any] = _decode(data, dict)
    values: Any = told.get("values")
    if values is not None and not isinstance(values, list):
        raise ValueError("values")
    link = RecordLink(
        _whole(told, "seq"),
        _text(told, "kind"),
        _whole(told, "of"),
        _whole(told, "group"),
        _whole(told, "size"),
        _hash(told, "before"),
        _hash(told, "hash"),
        None if values is None else tuple(_value(each) for each in cast("list[Any]", values)),
    )
    whole = told.get("whole", True)
    return Copy(replace_surrogates(_text(told, "host")), _whole(told, "after"), link, whole is True)


def _whole(told: Mapping[str, Any], name: str) -> int:
    value = told.get(name)
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(name)
    return value


def _text(told: Mapping[str, Any], name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise ValueError(name)
    return value


def _hash(told: Mapping[str, Any], name: str) -> bytes:
    found = bytes.fromhex(_text(told, name))
    if len(found) != len(FIRST):
        raise ValueError(name)
    return found


def _value(value: Any) -> Value:
    if isinstance(value, list):
        [text] = cast("list[Any]", value)
        return bytes.fromhex(text)
    if value is not None and not isinstance(value, str | int | float):
        raise ValueError("values")
    return value


def read_entry(begin: Copy, end: Copy | None) -> AuditEntry:
    """The call that these copies record. Raises ValueError."""
    state, result, milliseconds, note = "running", "[]", None, ""
    if end is not None:
        state, result, milliseconds, note = (end.value(name) for name in _COLUMNS["end"])
    at, texts = begin.value("at"), _decode_text(result, list)
    if state not in STATES or not all(isinstance(each, str) for each in texts):
        raise ValueError("state")
    if not _is_number(at) or not (milliseconds is None or _is_number(milliseconds)):
        raise ValueError("time")
    if not isinstance(note, str):
        raise ValueError("note")
    names = ("phone", "door", "client", "token", "tool")
    phone, transport, client, token, tool = (
        replace_surrogates(str(begin.value(name))) for name in names
    )
    elements = _decode_text(begin.value("elements"), dict)
    return AuditEntry(
        id=begin.link.of,
        at=at,
        phone=phone,
        transport=transport,
        client=client,
        token=token,
        person=begin.value("person") == 1,
        tool=tool,
        arguments=_decode_text(begin.value("arguments"), dict),
        state=state,
        result=tuple(cast("list[str]", texts)),
        milliseconds=milliseconds,
        note=replace_surrogates(note),
        elements={name: each for name, each in elements.items() if isinstance(each, dict)},
    )


def _is_number(value: Value) -> TypeGuard[float]:
    return isinstance(value, float) and 0 <= value < _MOST_TIME


def _decode_text(text: Value, kind: type) -> Any:
    """Decode a column's JSON. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("not JSON")
    read = _decode(text, kind)
    # Another host's text may contain lone surrogates.
    return json.loads(replace_surrogates(json.dumps(read, ensure_ascii=False)))


def _decode(text: str | bytes, kind: type) -> Any:
    try:
        read: Any = json.loads(text)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(read, kind):
        raise ValueError("another form")
    return read


@dataclass
class CopyVerification(Verification):
    """The result for the copies of one host. `dropped` are calls that the host has dropped; copies
    of them may still exist."""

    host: str = ""
    first: int = 0
    """The first link that is present: older copies have expired."""
    uncopied: int = 0
    """Links that the host had dropped before they were copied."""
    shortened: int = 0
    """Copies without all their values."""


class CopyChain:
    """Checks the copies of one host, in the order in which they were stored."""

    def __init__(self) -> None:
        self.found = CopyVerification()
        self._last: ChainHead | None = None
        self._former: ChainHead | None = None
        """The end of the copies before the host started over."""
        self._unended: set[int] = set()
        self._drops: dict[int, Dropped] = {}
        """The last drop of each group."""
        self._repeated: OrderedDict[bytes, None] = OrderedDict()

    def add_unreadable(self) -> None:
        self.found.add("Some copies cannot be read.")

    def add(self, copy: Copy) -> None:
        link, found = copy.link, self.found
        if copy.after and link.hash in self._repeated:
            return
        self._repeated[link.hash] = None
        if len(self._repeated) > _MOST_REPEATED:
            self._repeated.popitem(last=False)
        found.host = copy.host
        self._follow(copy)
        self._check(copy)
        self._last = ChainHead(link.seq, link.hash)
        match link.kind:
            case "begin":
                found.calls += 1
                self._unended.add(link.of)
            case "end":
                self._unended.discard(link.of)
            case "drop":
                self._note_drop(copy)
            case "lost":
                found.add(
                    f"When the host opened its record at link {link.seq}, rows had been removed"
                    " from its end, the record had been replaced, or the machine had crashed."
                )
            case _:
                pass

    def end(self) -> CopyVerification:
        found = self.found
        if self._former is not None:
            found.add(
                f"After link {self._former.seq} the host started over, and its copies since then"
                " do not lead to that link: its record was replaced, or rows were removed from"
                " its end."
            )
        found.head, found.unfinished = self._last, len(self._unended)
        found.dropped = sorted(self._drops.values(), key=lambda each: each.last)
        return found

    def _note_drop(self, copy: Copy) -> None:
        group = copy.link.group
        told = _dropped(copy)
        if told is not None and (len(self._drops) < _MOST_GROUPS or group in self._drops):
            self._drops[group] = told

    def _follow(self, copy: Copy) -> None:
        """Report a copy that does not follow from the one before."""
        link, last, found = copy.link, self._last, self.found
        if last is None:
            found.first = link.seq
        elif copy.after == 0:
            # It has lost its record, or its note of what it copied.
            self._former = self._former or last
            self._unended.clear()
            self._drops.clear()
            self._repeated.clear()
            found.calls = found.uncopied = 0
            found.first = link.seq
        elif copy.after != last.seq:
            found.add(f"Copies between the links {last.seq} and {link.seq} are missing.")
        elif link.seq <= last.seq:
            found.add(f"Link {link.seq} was copied after link {last.seq}.")
        elif link.seq == last.seq + 1 and link.before != last.hash:
            found.add(f"Link {link.seq} does not follow from link {last.seq}.")
        else:
            found.uncopied += link.seq - last.seq - 1
        former = self._former
        if former is not None and link.seq in (former.seq, former.seq + 1):
            hash = link.hash if link.seq == former.seq else link.before
            if hash == former.hash:
                self._former = None

    def _check(self, copy: Copy) -> None:
        """Report a copy that does not match its hash."""
        link = copy.link
        if not copy.whole:
            self.found.shortened += 1
        elif link.values is None:
            self.found.add(f"The contents of link {link.seq} were missing when it was copied.")
        elif not _is_covered(link, link.values):
            self.found.add(f"Link {link.seq} was changed, at the host or later.")


def _is_covered(link: RecordLink, values: tuple[Value, ...]) -> bool:
    told = link.before, link.seq, link.kind, link.of, link.group, link.size
    try:
        return link_hash(*told, encode(values)) == link.hash
    except UnicodeEncodeError:  # no record has such text
        return False


def _dropped(copy: Copy) -> Dropped | None:
    try:
        token, act, calls, _, first, last, hash = (copy.value(name) for name in _COLUMNS["drop"])
    except ValueError:
        return None
    if not (isinstance(calls, int) and isinstance(first, float) and isinstance(last, float)):
        return None
    act = None if act is None else bool(act)
    name = str(token)[:_MOST_TEXT]
    return Dropped(name, act, calls, first, last, hash if isinstance(hash, bytes) else b"")
