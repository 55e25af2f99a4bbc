"""JSON-RPC messages, parsed and checked before the SDK sees them.

The SDK answers malformed input with its validator's messages, or not at all. Messages that pass
here are accepted by the SDK; all others are refused with one clear sentence.
"""

import asyncio
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, cast

from ..compact_json import make_encoder
from .limits import MAX_DEPTH, MAX_VALUES, PARSED_AT_ONCE
from .text import cut, has_half_pair
from .versions import PROTOCOL_VERSION

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CANCELLED = -32800

INTERNAL_SENTENCE = "Something inside Handheld broke; its log has the details."
NO_JSON_SENTENCE = "The message is not valid JSON; send one JSON-RPC object."
HALF_PAIR_SENTENCE = (
    "An argument holds half of a surrogate pair, which is no character; "
    "send it whole or leave it out."
)

_encode = make_encoder()
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

Id = int | str
Read = TypeVar("Read")


class Refused(Exception):
    """The message is answered with an error and not passed on."""

    def __init__(self, code: int, sentence: str, id: Id | None = None, data: Any = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.id = id
        self.data = data

    def answer(self) -> dict[str, Any]:
        return error_answer(self.id, self.code, self.sentence, self.data)


class TooDeep(Refused):
    """The message may be JSON, but is nested deeper than any valid request."""


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


@dataclass(frozen=True, slots=True)
class Message:
    """A well-formed envelope: a request (with id), a notification (without), or a response."""

    body: dict[str, Any]
    method: str | None
    """None: a response."""
    id: Id | None

    @property
    def params(self) -> Mapping[str, Any]:
        return self.body.get("params") or {}

    @property
    def is_request(self) -> bool:
        return self.method is not None and self.id is not None

    @property
    def is_modern(self) -> bool:
        """Only requests of the 2026 protocol carry their version with them."""
        meta: object = self.params.get("_meta")
        return isinstance(meta, dict) and PROTOCOL_VERSION in meta


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
        raise TooDeep(PARSE_ERROR, f"The message is nested more than {MAX_DEPTH} levels deep.")
    return value


async def read_beside(read: Callable[[bytes], Read], raw: bytes) -> Read:
    """Read a body, in a thread if it is so large that others would wait for it."""
    return read(raw) if len(raw) <= PARSED_AT_ONCE else await asyncio.to_thread(read, raw)


def holds_half_pair(raw: bytes, value: object) -> bool:
    """Whether the value that was read from this holds a lone surrogate anywhere. UTF-8 has none, so
    that it takes an escape."""
    return _ESCAPED_SURROGATE.search(raw) is not None and has_half_pair(value)


def parse(raw: bytes) -> Message:
    """Parse one message. Raises Refused."""
    value = load(raw)
    if isinstance(value, list):
        raise Refused(
            INVALID_REQUEST, "JSON-RPC batches are not accepted; send one request at a time."
        )
    if not isinstance(value, dict):
        raise Refused(INVALID_REQUEST, "The message is not a JSON-RPC object.")
    body = cast("dict[str, Any]", value)
    message = _check_envelope(body)
    if holds_half_pair(raw, body):
        _refuse_half_pair(message)
    _check_params(message)
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


def _check_envelope(body: dict[str, Any]) -> Message:
    id: object = body.get("id")
    if "id" in body and (isinstance(id, bool) or not isinstance(id, int | str)):
        raise Refused(INVALID_REQUEST, "The id must be a string or a whole number.")
    known = cast("Id | None", id)
    if isinstance(known, str) and has_half_pair(known):
        raise Refused(INVALID_REQUEST, "The id holds half of a surrogate pair.")
    if body.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, 'The message must say "jsonrpc": "2.0".', known)
    if "method" not in body:
        if known is not None and ("result" in body or "error" in body):
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
            raise HalfPair(message.id, modern=message.is_modern)
    raise Refused(
        INVALID_REQUEST,
        "The message holds half of a surrogate pair, which is no character.",
        message.id,
    )


def _check_params(message: Message) -> None:
    params: object = message.body.get("params")
    if message.method is None:
        return
    if params is not None and not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "The params must be an object.", message.id)
    if message.id is None:
        return
    fields = message.params

    def want(ok: bool, sentence: str) -> None:
        if not ok:
            raise Refused(INVALID_PARAMS, sentence, message.id)

    want(isinstance(fields.get("_meta", {}), dict), "The field params._meta must be an object.")
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
        case "initialize" if not message.is_modern:
            want(
                isinstance(fields.get("protocolVersion"), str),
                "The field params.protocolVersion must be a string such as 2025-11-25.",
            )
            want(
                isinstance(fields.get("capabilities"), dict),
                "The field params.capabilities must be an object; it may be empty.",
            )
            info: Any = fields.get("clientInfo")
            want(
                isinstance(info, dict)
                and isinstance(cast("dict[str, Any]", info).get("name"), str)
                and isinstance(cast("dict[str, Any]", info).get("version"), str),
                "The field params.clientInfo must be an object with the strings name and version.",
            )
        case _:
            pass


def tidy(error: Mapping[str, Any]) -> dict[str, Any]:
    """Reword an error of the SDK whose message is a code or an exception's text."""
    code: object = error.get("code")
    message = str(error.get("message", ""))
    if not isinstance(code, int) or code == 0:
        return {"code": INTERNAL_ERROR, "message": INTERNAL_SENTENCE}
    if code == INTERNAL_ERROR and message in ("", "Internal server error"):
        return {"code": code, "message": INTERNAL_SENTENCE}
    if code == METHOD_NOT_FOUND:
        method = error.get("data")
        named = f": {cut(method)}" if isinstance(method, str) and method else ""
        return {"code": code, "message": f"This server has no such method{named}"}
    if message == "Invalid request parameters":
        return {
            "code": code,
            "message": "The params do not fit the method, or the connection is not initialized.",
        }
    if message.startswith(("Parse error:", "Validation error:")):
        return {"code": code, "message": "The message is not a JSON-RPC request this server reads."}
    return dict(error)
