"""JSON texts that can be read in one way, and JSON without spaces, from an encoder that is made
once. `json.dumps` with options makes two at each call, one in Python and one in C, which takes as
long as to encode a small message."""

import json
from collections.abc import Callable
from json import encoder
from typing import Any

Encode = Callable[[Any], str]


def read_unambiguous(text: str) -> Any:
    """The value of a JSON text in which no object has a name twice: a person who reads the text
    would have to know which of the two counts. Raises ValueError, RecursionError."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def make_encoder(*, escape: bool = False, allow_nan: bool = True) -> Encode:
    """`escape`: what is not ASCII. Without `allow_nan` it raises ValueError for numbers that JSON
    does not have. What contains itself is not noticed: RecursionError."""
    usual = json.JSONEncoder(ensure_ascii=escape, allow_nan=allow_nan, separators=(",", ":"))
    make: Any = getattr(encoder, "c_make_encoder", None)
    if make is None:
        return usual.encode  # a Python without C
    quote = encoder.encode_basestring_ascii if escape else encoder.encode_basestring  # type: ignore[attr-defined]
    encode = make(None, usual.default, quote, None, ":", ",", False, False, allow_nan)
    return lambda value: "".join(encode(value, 0))
