"""The messages between gateways and hosts, as heads of frames. Everything read is checked."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ..access.request_scope import EVERYTHING, RequestScope
from ..errors import (
    KINDS,
    ToolError,
    UnknownPhone,
    UnknownTool,
    Unreachable,
)
from ..screen.text import brief
from ..tools.call import Caller
from ..tools.listing import Image, Item, Listing
from .nats.frames import BadFrame, decode_object, encode_json

_TEXT = "text"
IN_ADDRESS = "/"
"""The phone is the scope's, on surfaces whose tools have no parameter for it."""
_LONGEST = 1000
"""Characters of a name."""
_NUMBERS = ("changes", "width", "height")
"""The numbers that describe a picture."""
_ASKED = ("tool", "title", "phone", "app", "screen", "client", "door", "token", "rule")
"""The parts of a question other than the arguments."""
_MOST_SHOWN = 1000
_MOST = 10_000
"""Names in a scope, items in a reply, and tools in a list."""
_IN_HEAD = 100_000
"""Bytes of arguments; more go after the head."""
_FAILURES: Mapping[str, type[ToolError]] = {
    each.__name__: each for each in (ToolError, *KINDS, UnknownPhone, Unreachable)
}


class BadFleetMessage(ValueError):
    """A message is malformed."""


class HostCall(NamedTuple):
    """A call in the form that a host receives."""

    name: str
    arguments: Mapping[str, Any]
    caller: Caller
    scope: RequestScope
    leased: str = ""
    """The argument whose phone was found through the caller's lease, or `IN_ADDRESS`: without a
    lease it does not count."""
    made: float | None = None
    """When the caller's token was created, if it is one of the fleet's."""
    watched: bool = False
    """Whether the caller receives progress messages."""

    def pack(self) -> dict[str, Any]:
        head: dict[str, Any] = {
            "name": self.name,
            "arguments": dict(self.arguments),
            "caller": [self.caller.transport, self.caller.client, self.caller.token],
            "filter": pack_scope(self.scope),
        }
        if self.leased:
            head["leased"] = self.leased
        if self.made is not None:
            head["made"] = self.made
        if self.watched:
            head["watched"] = True
        return head

    def split(self) -> tuple[dict[str, Any], bytes]:
        """The head, and the arguments if they are too large for it."""
        head = self.pack()
        if _are_short(self.arguments):
            return head, b""
        raw = encode_json(self.arguments)
        if len(raw) <= _IN_HEAD:
            return head, b""
        del head["arguments"]
        return head, raw

    @classmethod
    def read(cls, head: Mapping[str, Any], raw: bytes = b"") -> "HostCall":
        """Raises BadMessage."""
        try:
            arguments = head["arguments"] if "arguments" in head else decode_object(raw)
        except BadFrame:
            raise BadFleetMessage("its arguments") from None
        if not isinstance(arguments, dict):
            raise BadFleetMessage("its arguments")
        # Never as a person: people use a phone at its host.
        transport, client, token = _texts(head.get("caller"), 3)
        made = head.get("made")
        if made is not None and type(made) not in (int, float):
            raise BadFleetMessage("its token")
        return cls(
            name=_text(head.get("name")),
            arguments=cast("dict[str, Any]", arguments),
            caller=Caller(transport, client, token),
            scope=read_scope(head.get("filter")),
            leased=_text(head.get("leased", "")),
            made=made,
            watched=head.get("watched") is True,
        )


def _are_short(arguments: Mapping[str, Any]) -> bool:
    """Whether they certainly fit into the head."""
    return len(arguments) <= 8 and all(
        len(name) <= 100
        and (
            value is None
            or (len(value) <= 1000 if type(value) is str else type(value) in (bool, int, float))
        )
        for name, value in arguments.items()
    )


@lru_cache(64)
def pack_scope(scope: RequestScope) -> Mapping[str, Any]:
    """Leave out defaults, and the token, which limits nothing."""
    packed: dict[str, Any] = {}
    for each in fields(RequestScope):
        if not each.compare:
            continue
        value = getattr(scope, each.name)
        if value != getattr(EVERYTHING, each.name):
            packed[each.name] = (
                sorted(cast("frozenset[str]", value)) if isinstance(value, frozenset) else value
            )
    return packed


def read_scope(packed: Any) -> RequestScope:
    """Raises BadMessage."""
    if not isinstance(packed, dict):
        raise BadFleetMessage("its filter")
    read: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", packed).items():
        if name in ("only", "off", "toolsets", "phones", "on"):
            read[name] = frozenset(_texts(value))
        elif name in ("phone", "surface", "prefix"):
            read[name] = _text(value)
        elif name in ("read_only", "strict") and isinstance(value, bool):
            read[name] = value
        else:
            # An unknown limit must not be dropped.
            raise BadFleetMessage("its filter")
    return RequestScope(**read)


def pack_items(items: Sequence[Item]) -> tuple[dict[str, Any], bytes]:
    """The head and the bytes of a reply."""
    kinds: list[tuple[str | int, ...]] = []
    parts: list[bytes] = []
    for item in items:
        if isinstance(item, Image):
            data = item.data
            kinds.append((item.mime_type, len(data), *(item.pixels or ())))
        else:
            data = item.encode("utf-8", "replace")
            kinds.append((_TEXT, len(data)))
        parts.append(data)
    return {"items": kinds}, b"".join(parts)


def pack_failure(failure: ToolError | UnknownTool) -> tuple[dict[str, Any], bytes]:
    if isinstance(failure, UnknownTool):
        head, raw = pack_items([failure.name])
        return {**head, "error": UnknownTool.__name__}, raw
    head, raw = pack_items([failure.message, *failure.details])
    kind = next(kind.__name__ for kind in type(failure).__mro__ if kind.__name__ in _FAILURES)
    return {**head, "error": kind}, raw


def read_reply(head: Mapping[str, Any], raw: bytes) -> list[Item]:
    """Raises BadMessage, or the failure that the reply contains."""
    items = list(_read_items(head.get("items"), raw))
    kind = head.get("error")
    if kind is None:
        return items
    texts = [item for item in items if isinstance(item, str)]
    if not texts:
        raise BadFleetMessage("its error")
    if kind == UnknownTool.__name__:
        raise UnknownTool(texts[0])
    raise _FAILURES.get(str(kind), ToolError)(*texts)


def digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def pack_listings(listings: Sequence[Listing]) -> bytes:
    return encode_json({"tools": [each.as_json() for each in listings]})


def read_listings(raw: bytes) -> list[Listing]:
    """Raises BadMessage."""
    try:
        tools: Any = decode_object(raw).get("tools")
    except BadFrame:
        raise BadFleetMessage("its list") from None
    if not isinstance(tools, list) or len(cast("list[Any]", tools)) > _MOST:
        raise BadFleetMessage("its list")
    return [_read_listing(tool) for tool in cast("list[Any]", tools)]


def _read_listing(value: Any) -> Listing:
    tool = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    schema: Any = tool.get("inputSchema")
    if (
        not isinstance(schema, dict)
        or not isinstance(cast("dict[str, Any]", schema).get("properties"), dict)
        or not all(isinstance(tool.get(name), str) for name in ("name", "title", "description"))
        or not isinstance(tool.get("annotations"), dict)
    ):
        raise BadFleetMessage("a tool in it")
    return Listing.from_json(tool)


class OperatorAction(StrEnum):
    """What a person may order for a phone."""

    STOP = "stop"
    RESUME = "let_go"
    END_LEASE = "end_lease"


class OperatorCommand(NamedTuple):
    """A person's order at the console of a gateway."""

    do: OperatorAction
    phone: str
    """Its serial."""
    who: str
    """The person's session, for the host's log."""

    def pack(self) -> dict[str, Any]:
        return {"do": self.do, "phone": self.phone, "who": self.who}

    @classmethod
    def read(cls, head: Mapping[str, Any]) -> "OperatorCommand":
        """Raises BadMessage."""
        try:
            do = OperatorAction(_text(head.get("do")))
        except ValueError:
            raise BadFleetMessage("its order") from None
        # An empty name would mean every phone of the host.
        if not (phone := _text(head.get("phone"))):
            raise BadFleetMessage("its phone")
        return cls(do, phone, brief(_text(head.get("who"))))


def read_look(head: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The phone that a person looks at, and the request for its picture. Raises BadMessage."""
    asked = head.get("arguments")
    if not isinstance(asked, dict):
        raise BadFleetMessage("its arguments")
    return _text(head.get("phone")), cast("dict[str, Any]", asked)


class AskedQuestion(NamedTuple):
    """A question of a host, for the people at consoles of gateways."""

    run: str
    """The host's process that asks."""
    number: int
    left: float
    """Seconds until it ends."""
    shown: Mapping[str, Any]
    """What the person sees, with arguments as text."""
    seen: str
    """The digest of the whole question, which comes back with the answer."""

    @classmethod
    def read(cls, head: Mapping[str, Any]) -> "AskedQuestion":
        """Raises BadMessage."""
        asked, left = head.get("question"), head.get("left")
        if not isinstance(asked, dict) or not isinstance(left, int | float) or not 0 <= left < 1e6:
            raise BadFleetMessage("its question")
        question = cast("dict[str, Any]", asked)
        arguments: Any = question.get("arguments")
        if not isinstance(arguments, dict):
            raise BadFleetMessage("its arguments")
        shown: dict[str, Any] = {name: _shortened(question.get(name)) for name in _ASKED}
        # A host of an earlier version does not send it. Such a question is complete, so a yes
        # counts for it.
        subject = question.get("subject", "")
        if not isinstance(subject, str):
            raise BadFleetMessage("a text in it")
        shown["subject"] = subject
        try:
            shown["arguments"] = {
                name: value
                if isinstance(value, str)
                else json.dumps(value, indent=2, ensure_ascii=False)
                for name, value in cast("dict[str, Any]", arguments).items()
            }
            seen = digest_question(question)
        except RecursionError:
            raise BadFleetMessage("its arguments") from None
        return cls(_text(head.get("run")), _count(question.get("id")), left, shown, seen)


def digest_question(question: Mapping[str, Any]) -> str:
    """The digest by which a host recognises the question that a person approved."""
    return hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()


class EndedQuestion(NamedTuple):
    run: str
    number: int
    state: str
    who: str
    by: str
    """The gateway whose answer counted; empty if none did."""

    @classmethod
    def read(cls, head: Mapping[str, Any]) -> "EndedQuestion":
        """Raises BadMessage."""
        run, state, who, by = (_text(head.get(key)) for key in ("run", "state", "who", "by"))
        return cls(run, _count(head.get("ended")), state, who, by)


class Presence(NamedTuple):
    """Whether somebody is at the console of a gateway."""

    open: bool
    shown: AbstractSet[tuple[str, int]]
    """The host's questions that are shown there, as run and number."""

    def pack(self) -> dict[str, Any]:
        return {"open": self.open, "shown": sorted(self.shown)}

    @classmethod
    def read(cls, head: Mapping[str, Any]) -> "Presence":
        """Raises BadMessage."""
        open, shown = head.get("open"), head.get("shown")
        if not isinstance(open, bool) or not isinstance(shown, list):
            raise BadFleetMessage("its presence")
        pairs = cast("list[Any]", shown)
        if len(pairs) > _MOST_SHOWN:
            raise BadFleetMessage("its questions")
        try:
            return cls(open, frozenset((_text(run), _count(number)) for run, number in pairs))
        except (TypeError, ValueError):
            raise BadFleetMessage("its questions") from None


class GivenAnswer(NamedTuple):
    """A person's answer at the console of a gateway."""

    run: str
    question: int
    seen: str
    """The digest of the question that the person saw."""
    allow: bool
    who: str

    def pack(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def read(cls, head: Mapping[str, Any]) -> "GivenAnswer":
        """Raises BadMessage."""
        allow = head.get("allow")
        if not isinstance(allow, bool):
            raise BadFleetMessage("its answer")
        run, seen, who = (_text(head.get(key)) for key in ("run", "seen", "who"))
        return cls(run, _count(head.get("question")), seen, allow, brief(who))


class SentPicture(NamedTuple):
    """A phone's screen for a person, as its host describes it."""

    changes: int
    """The change count of the screen, for requesting the next picture."""
    width: int = 0
    height: int = 0
    secure: tuple[str, ...] = ()
    """The titles of windows that appear black in it."""
    jpeg: bytes = b""
    """Empty if the screen has not changed."""


def read_picture(items: Sequence[Item]) -> SentPicture:
    """Raises BadMessage."""
    try:
        told: Any = json.loads(cast("str", items[0]))
        changes, width, height = (_count(told.get(key, 0)) for key in _NUMBERS)
        secure = tuple(_texts(told.get("secure", [])))
    except (IndexError, TypeError, ValueError, AttributeError, RecursionError):
        raise BadFleetMessage("its picture") from None
    if len(items) == 1:
        return SentPicture(changes)
    image = items[1]
    if not isinstance(image, Image) or image.mime_type != "image/jpeg":
        raise BadFleetMessage("its picture")
    return SentPicture(changes, width, height, secure, image.data)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise BadFleetMessage("a number in it")
    return value


def _read_items(kinds: Any, raw: bytes) -> Iterable[Item]:
    if not isinstance(kinds, list) or len(cast("list[Any]", kinds)) > _MOST:
        raise BadFleetMessage("its items")
    at = 0
    for each in cast("list[Any]", kinds):
        if not isinstance(each, list) or len(cast("list[Any]", each)) not in (2, 4):
            raise BadFleetMessage("its items")
        kind, *sizes = cast("list[Any]", each)
        if not all(type(size) is int and size >= 0 for size in sizes):
            raise BadFleetMessage("its items")
        size, *pixels = cast("list[int]", sizes)
        if size > len(raw) - at:
            raise BadFleetMessage("its items")
        data = raw[at : at + size]
        at += size
        if kind == _TEXT:
            yield data.decode("utf-8", "replace")
        else:
            yield Image(data, _text(kind), (pixels[0], pixels[1]) if pixels else None)
    if at != len(raw):
        raise BadFleetMessage("its items")


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise BadFleetMessage("a name in it")
    return value


def _shortened(value: Any) -> str:
    if not isinstance(value, str):
        raise BadFleetMessage("a text in it")
    if (more := len(value) - _LONGEST) <= 0:
        return value
    return f"{value[:_LONGEST]}… ({more} more characters are not shown)"


def _texts(value: Any, count: int | None = None) -> list[str]:
    if not isinstance(value, list):
        raise BadFleetMessage("a list in it")
    found = cast("list[Any]", value)
    if len(found) > _MOST or (count is not None and len(found) != count):
        raise BadFleetMessage("a list in it")
    return [_text(each) for each in found]
