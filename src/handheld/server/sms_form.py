"""The form in which the sms surface answers clients that said hello.

Clients of the first server of this kind may look at more than the JSON's meaning: the keys of every
reply are in its order, and a tool has a name, a description and a schema, no more.
"""

import json
from typing import Any, cast

from ..toolkit.tool import Listing
from .envelope import dump

_ORDER = (
    *("id", "result", "error"),
    *("protocolVersion", "capabilities", "serverInfo"),
    *("name", "version", "description", "inputSchema"),
    *("type", "required", "properties", "text"),
    *("content", "isError"),
    *("code", "message", "data"),
    "jsonrpc",
)
_RANK = {key: rank for rank, key in enumerate(_ORDER)}
_GIVEN = "properties"
"""What is below has names of its own, in the order in which they were declared."""


def order(value: Any) -> Any:
    """A JSON-RPC answer with its keys in that order; the SDK writes them by the alphabet."""
    if isinstance(value, list):
        return [order(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("dict[str, Any]", value).items()
    ranked = sorted(pairs, key=lambda pair: _RANK.get(pair[0], len(_ORDER)))
    return {key: item if key == _GIVEN else order(item) for key, item in ranked}


def reorder(body: bytes) -> bytes:
    """The same for one that is written already."""
    return dump(order(json.loads(body))) if body else body


def describe(listing: Listing) -> dict[str, Any]:
    """A tool in the list: neither title nor annotations."""
    return {
        "name": listing.name,
        "description": listing.description,
        "inputSchema": dict(listing.input_schema),
    }
