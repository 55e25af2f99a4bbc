"""JSON-RPC messages, parsed and checked. What is malformed is refused with one clear sentence."""

import asyncio
import base64
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from ..access.request_scope import EVERYTHING, RequestScope
from ..compact_json import make_encoder
from ..screen.characters import replace_surrogates
from .limits import MAX_DEPTH, MAX_VALUES, PARSED_AT_ONCE
from .text import cut, has_half_pair
from .versions import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    HEADER_MISMATCH,
    MODERN,
    PROGRESS_TOKEN,
    PROTOCOL_VERSION,
    UNSUPPORTED_PROTOCOL_VERSION,
)

if TYPE_CHECKING:
    from .answers import ToolOutcome
    from .subscriptions import Notify

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CANCELLED = -32800

INTERNAL_SENTENCE = "Handheld had an internal fault; its log has the details."
NO_JSON_SENTENCE = "The message is not valid JSON; send one JSON-RPC object."
HALF_PAIR_SENTENCE = (
    "An argument holds half of a surrogate pair, which is no character; "
    "send it whole or leave it out."
)

_encode = make_encoder()
_IN_BASE64 = re.compile(r"=\?base64\?.*\?=")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

Id = int | str
Read = TypeVar("Read")


class Refused(Exception):
    """The message is answered with an error."""

    def __init__(self, code: int, sentence: str, id: Id | None = None, data: Any = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.id = id
        self.data = data

    def answer(self) -> dict[str, Any]:
        return error_answer(self.id, self.code, self.sentence, self.data)


class HalfPair(Refused):
    """The arguments of a tool call hold a lone surrogate. A tool's failure, not the protocol's."""

    def __init__(self, id: Id | None, *, modern: bool) -> None:
        super().__init__(INVALID_PARAMS, HALF_PAIR_SENTENCE, id)
        self._modern = modern

    def answer(self) -> dict[str, Any]:
        result: dict[str, Any] = {"content": [{"type": "text", "text": self.sentence}]}
        result["isError"] = True
        if self._modern:
            result["resultType"] = "complete"
        return {"jsonrpc": "2.0", "id": self.id, "result": result}


@dataclass(slots=True)
class Message:
    """A well-formed envelope: a request (with id), a notification (without), or a response. What it
    came by says who sends it, and what it may use."""

    body: dict[str, Any]
    method: str | None
    """None: a response."""
    id: Id | None
    modern: bool = False
    """It is answered as the 2026 protocol says."""
    stated: Callable[[str], str | None] | None = None
    """Returns the value of an HTTP header, where there are some."""
    scope: RequestScope = EVERYTHING
    token: str = ""
    """The name of the request's token; empty where none is required."""
    client: str = ""
    """What the client called itself when its session began."""
    outcome: "ToolOutcome | None" = None
    """Where a cancelled call reports how far it got."""
    notify: "Notify | None" = None
    """Sends the client a message before the answer; None where it takes none."""
    attended: bool = False
    """A person is at the client's terminal, and is asked there about a call."""

    @property
    def params(self) -> Mapping[str, Any]:
        return self.body.get("params") or {}

    @property
    def is_request(self) -> bool:
        return self.method is not None and self.id is not None

    @property
    def states_version(self) -> bool:
        """Only requests of the 2026 protocol do."""
        meta: object = self.params.get("_meta")
        return isinstance(meta, dict) and PROTOCOL_VERSION in meta


def no_method(method: str) -> Refused:
    return Refused(METHOD_NOT_FOUND, f"This server has no such method: {cut(method)}")


def no_tool(name: str, code: int = INVALID_PARAMS) -> Refused:
    return Refused(code, f"Unknown tool: {replace_surrogates(cut(name))}")


def too_large(limit: int) -> str:
    """What is said of a request of more bytes."""
    return (
        f"The request is larger than {limit} bytes; write large files in parts with append_file, "
        "or let the phone fetch them with download_from_url."
    )


def error_answer(id: Id | None, code: int, sentence: str, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": sentence} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id, "error": error}


def dump(value: Any) -> bytes:
    """Compact JSON in UTF-8."""
    return _encode(value).encode()


def load(raw: bytes) -> object:
    """Parse a JSON value. Raises Refused, also for one that is too large or too deep."""
    _check_count(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise Refused(
            PARSE_ERROR, "The message is not UTF-8; send one JSON-RPC object as UTF-8 text."
        ) from None
    try:
        value: object = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise Refused(PARSE_ERROR, NO_JSON_SENTENCE) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _deeper_than(value, MAX_DEPTH):
        raise Refused(PARSE_ERROR, f"The message is nested more than {MAX_DEPTH} levels deep.")
    return value


async def read_beside(read: Callable[[bytes], Read], raw: bytes) -> Read:
    """Read a body, in a thread if it is so large that others would wait for it."""
    return read(raw) if len(raw) <= PARSED_AT_ONCE else await asyncio.to_thread(read, raw)


def parse(raw: bytes, *, answers_all: bool = False) -> Message:
    """Parse one message. With `answers_all` each is a request, also without an id, or with the id
    null. Raises Refused."""
    value = load(raw)
    if isinstance(value, list):
        raise Refused(
            INVALID_REQUEST, "JSON-RPC batches are not accepted; send one request at a time."
        )
    if not isinstance(value, dict):
        raise Refused(INVALID_REQUEST, "The message is not a JSON-RPC object.")
    body = cast("dict[str, Any]", value)
    message = _check_envelope(body, answers_all=answers_all)
    # UTF-8 has no lone surrogates, so it takes an escape.
    if _ESCAPED_SURROGATE.search(raw) is not None and has_half_pair(body):
        _refuse_half_pair(message)
    if message.method is not None:
        _check_params(message, answered=answers_all or message.id is not None)
    return message


def _check_count(raw: bytes) -> None:
    """Count the values before any is created. Raises Refused."""
    if raw.count(b'"') <= 2 * MAX_VALUES and _separators(raw) <= MAX_VALUES:
        return
    # Without escapes, every other piece between quotes is outside of strings. What is put in their
    # place is as long as they are: bytes are then replaced where they are, in half of the time.
    bare = raw.replace(b"\\\\", b"  ").replace(b'\\"', b"  ")
    quotes = bare.count(b'"')
    if quotes % 2:
        raise Refused(PARSE_ERROR, NO_JSON_SENTENCE)  # a string without an end
    if quotes > 2 * MAX_VALUES or sum(map(_separators, bare.split(b'"')[::2])) > MAX_VALUES:
        raise Refused(PARSE_ERROR, f"The message holds more than {MAX_VALUES} values.")


def _separators(raw: bytes) -> int:
    """A lower bound of the number of values, in a text without strings."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("no JSON number")


def _read_float(text: str) -> float:
    """Reject numbers too large for a float, which would be written as `Infinity`."""
    number = float(text)
    if not math.isfinite(number):
        raise Refused(PARSE_ERROR, "The message holds a number that is too large for any use.")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_read_float)


def _deeper_than(value: object, levels: int) -> bool:
    level = [value]
    for _ in range(levels + 1):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(cast("dict[str, object]", item).values())
            elif isinstance(item, list):
                below.extend(cast("list[object]", item))
        if not below:
            return False
        level = below
    return True


def _check_envelope(body: dict[str, Any], *, answers_all: bool) -> Message:
    id: object = body.get("id")
    none = id is None and (answers_all or "id" not in body)
    if not none and (isinstance(id, bool) or not isinstance(id, int | str)):
        raise Refused(INVALID_REQUEST, "The id must be a string or a whole number.")
    known = cast("Id | None", id)
    if isinstance(known, str) and has_half_pair(known):
        raise Refused(INVALID_REQUEST, "The id holds half of a surrogate pair.")
    if body.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, 'The message must say "jsonrpc": "2.0".', known)
    if "method" not in body:
        if known is not None and not answers_all and ("result" in body or "error" in body):
            return Message(body, None, known)
        raise Refused(INVALID_REQUEST, "The message has no method.", known)
    method: object = body["method"]
    if not isinstance(method, str):
        raise Refused(INVALID_REQUEST, "The method must be a string.", known)
    return Message(body, method, known)


def _refuse_half_pair(message: Message) -> NoReturn:
    params: object = message.body.get("params")
    if message.method == "tools/call" and message.is_request and isinstance(params, dict):
        fields = cast("dict[str, Any]", params)
        rest = {**message.body, "params": {**fields, "arguments": None}}
        if not has_half_pair(rest):
            raise HalfPair(message.id, modern=message.states_version)
    raise Refused(
        INVALID_REQUEST,
        "The message holds half of a surrogate pair, which is no character.",
        message.id,
    )


def _check_params(message: Message, *, answered: bool) -> None:
    params: object = message.body.get("params")
    if params is not None and not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "The params must be an object.", message.id)
    if not answered:
        return
    fields = message.params

    def want(ok: bool, sentence: str) -> None:
        if not ok:
            raise Refused(INVALID_PARAMS, sentence, message.id)

    meta: Any = fields.get("_meta", {})
    want(isinstance(meta, dict), "The field params._meta must be an object.")
    token: object = meta.get(PROGRESS_TOKEN, "")
    want(
        isinstance(token, int | str) and not isinstance(token, bool),
        "The field params._meta.progressToken must be a string or a whole number.",
    )
    match message.method:
        case "tools/call":
            want(
                isinstance(fields.get("name"), str),
                "The call names no tool: params.name must be a string.",
            )
            want(
                isinstance(fields.get("arguments"), dict | None),
                "The arguments of a tool must be an object: params.arguments.",
            )
        case "tools/list":
            want(
                isinstance(fields.get("cursor"), str | None),
                "The field params.cursor must be a string.",
            )
        case _:
            pass


def check_hello(message: Message) -> None:
    """Check the params of `initialize`. Raises Refused."""
    fields = message.params
    if not isinstance(fields.get("protocolVersion"), str):
        sentence = "The field params.protocolVersion must be a string such as 2025-11-25."
    elif not isinstance(fields.get("capabilities"), dict):
        sentence = "The field params.capabilities must be an object; it may be empty."
    elif not _is_client(fields.get("clientInfo")):
        sentence = (
            "The field params.clientInfo must be an object with the strings name and version."
        )
    else:
        return
    raise Refused(INVALID_PARAMS, sentence)


def _is_client(value: object) -> bool:
    """Whether it is a client's name and version."""
    info = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return isinstance(info.get("name"), str) and isinstance(info.get("version"), str)


def check_version(message: Message) -> None:
    """Check which version a request of the 2026 protocol says that it is of, and that the HTTP
    headers say what its body says. Raises Refused."""
    stated = message.stated
    meta: Mapping[str, Any] = message.params.get("_meta", {})
    for key in (PROTOCOL_VERSION, CLIENT_CAPABILITIES):
        if key not in meta:
            raise Refused(INVALID_PARAMS, f"The field params._meta must hold {key}.")
    version: object = meta[PROTOCOL_VERSION]
    if stated is not None:
        same = [("mcp-protocol-version", version), ("mcp-method", message.method)]
        if message.method == "tools/call":
            same.append(("mcp-name", message.params["name"]))
        for header, value in same:
            if not _states(stated(header), value):
                sentence = f"The header {header} does not say what the body says."
                raise Refused(HEADER_MISMATCH, sentence)
    if not isinstance(version, str):
        raise Refused(INVALID_PARAMS, f"The field {PROTOCOL_VERSION} must be a string.")
    if version != MODERN:
        raise unsupported_version(version, (MODERN,))


def check_client(message: Message) -> None:
    """Check what a request of the 2026 protocol says of its client. Raises Refused."""
    meta: Mapping[str, Any] = message.params["_meta"]
    if not isinstance(meta[CLIENT_CAPABILITIES], dict):
        raise Refused(INVALID_PARAMS, f"The field {CLIENT_CAPABILITIES} must be an object.")
    if meta.get(CLIENT_INFO) is not None and not _is_client(meta[CLIENT_INFO]):
        sentence = f"The field {CLIENT_INFO} must be an object with the strings name and version."
        raise Refused(INVALID_PARAMS, sentence)


def unsupported_version(version: str, served: Sequence[str], id: Id | None = None) -> Refused:
    sentence = f"Version {cut(version)} of the protocol is not served here: {', '.join(served)}."
    data = {"supported": [*served], "requested": cut(version)}
    return Refused(UNSUPPORTED_PROTOCOL_VERSION, sentence, id, data)


def _states(header: str | None, value: object) -> bool:
    """Whether a header states a value. Base64 carries what a header cannot."""
    if header is None or not isinstance(value, str) or not _IN_BASE64.fullmatch(header):
        return header == value
    return header == f"=?base64?{base64.b64encode(value.encode()).decode('ascii')}?="
