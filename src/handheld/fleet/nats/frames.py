"""Messages on the wire: a JSON head followed by raw bytes, so pictures need no base64."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ...compact_json import make_encoder

LARGEST_HEAD = 256 * 1024
LARGEST = 512 * 1024
"""The largest message. Servers accept 1 MB, but one large message delays all others."""
_LENGTH = 4
_encode, _encode_escaped = make_encoder(), make_encoder(escape=True)


class BadFrame(ValueError):
    """A message is malformed or too large."""


@dataclass(frozen=True)
class NatsFrame:
    head: Mapping[str, Any]
    raw: bytes = b""

    def encode(self) -> bytes:
        """Raises BadFrame if it is too large."""
        text = encode_json(self.head)
        if len(text) > LARGEST_HEAD or _LENGTH + len(text) + len(self.raw) > LARGEST:
            raise BadFrame("The message is too large.")
        return len(text).to_bytes(_LENGTH, "big") + text + self.raw

    @classmethod
    def decode(cls, data: bytes) -> "NatsFrame":
        """Raises BadFrame."""
        end = _LENGTH + int.from_bytes(data[:_LENGTH], "big")
        if len(data) < _LENGTH or end > min(len(data), _LENGTH + LARGEST_HEAD):
            raise BadFrame("The message has no head.")
        if len(data) > LARGEST:
            raise BadFrame("The message is too large.")
        return cls(decode_object(data[_LENGTH:end]), data[end:])


def encode_json(value: Any) -> bytes:
    # A screen's text may contain a lone surrogate, which UTF-8 cannot encode but a JSON escape can.
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        return _encode_escaped(value).encode()


def decode_object(data: bytes) -> dict[str, Any]:
    """Raises BadFrame."""
    try:
        value: Any = _DECODER.decode(data.decode())
    except (ValueError, RecursionError) as problem:
        raise BadFrame("The message is not JSON.") from problem
    if not isinstance(value, dict):
        raise BadFrame("The message is not an object.")
    return cast("dict[str, Any]", value)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
