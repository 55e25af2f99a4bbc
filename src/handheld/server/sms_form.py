"""The format of sms surface replies to clients with a handshake.

Clients of the first server of this kind may depend on more than the meaning of the JSON: the keys
of every reply are in its order, and a tool has only a name, a description and a schema.
"""

from typing import Any, cast

from ..tools.tool import Listing

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
"""The keys below this one are parameter names, which stay in order of declaration."""


def order(value: Any) -> Any:
    """A JSON-RPC answer with its keys in that order."""
    if isinstance(value, list):
        return [order(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("dict[str, Any]", value).items()
    ranked = sorted(pairs, key=lambda pair: _RANK.get(pair[0], len(_ORDER)))
    return {key: item if key == _GIVEN else order(item) for key, item in ranked}


def describe(listing: Listing) -> dict[str, Any]:
    """A tool in the list, without title and annotations."""
    return {
        "name": listing.name,
        "description": listing.description,
        "inputSchema": dict(listing.input_schema),
    }
