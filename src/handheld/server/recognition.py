"""Which requests are answered without the SDK: those that every client sends, in their usual form.

Only what the SDK's own validator is known to accept is recognised. All else goes to the SDK, which
serves it or says what is wrong with it, so that there is one judge of unusual messages.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from .envelope import Message
from .versions import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    LOG_LEVEL,
    MODERN,
    PROGRESS_TOKEN,
    PROTOCOL_VERSION,
)

Recognise = Callable[[Message, bool], bool]

_ENVELOPE = {"jsonrpc", "id", "method", "params"}
_HELLO = {"protocolVersion", "capabilities", "clientInfo", "_meta"}
_PARAMS: Mapping[bool, Mapping[str | None, set[str]]] = {
    False: {
        "initialize": _HELLO,
        "ping": {"_meta"},
        "tools/list": {"cursor", "_meta"},
        "tools/call": {"name", "arguments", "_meta"},
    },
    True: {
        "server/discover": {"_meta"},
        "tools/list": {"cursor", "_meta"},
        "tools/call": {"name", "arguments", "_meta"},
    },
}
"""The methods of each era, the 2026 one under True, and the usual fields of their params."""

_CAPABILITIES: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "experimental": {},
    "extensions": {},
    "roots": {},
    "sampling": {"context": {}, "tools": {}},
    "tasks": {
        "cancel": {},
        "list": {},
        "requests": {"elicitation": {"create": {}}, "sampling": {"createMessage": {}}},
    },
}
"""What must be an object among the capabilities of a client; the rest of them is free."""


def is_common(message: Message, modern: bool) -> bool:
    """Whether a request, or a notification, is answered without the SDK."""
    if not message.body.keys() <= _ENVELOPE or message.method is None:
        return False
    if message.id is None:
        return True
    params = message.params
    usual = _PARAMS[modern].get(message.method)
    if usual is None or not params.keys() <= usual:
        return False
    meta: Mapping[str, Any] = params.get("_meta", {})
    if not _is_token(meta.get(PROGRESS_TOKEN, 0)):
        return False
    if modern:
        return (
            meta.get(PROTOCOL_VERSION) == MODERN
            and _are_capabilities(meta.get(CLIENT_CAPABILITIES))
            and (CLIENT_INFO not in meta or _is_client(meta[CLIENT_INFO]))
            and LOG_LEVEL not in meta
        )
    if message.method == "initialize":
        return (
            not message.is_modern
            and _are_capabilities(params["capabilities"])
            and _is_client(params["clientInfo"])
        )
    return True


def _is_token(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _is_client(value: object) -> bool:
    """Whether it is a client's name and version; icons are left to the SDK."""
    if not isinstance(value, dict) or "icons" in value:
        return False
    info = cast("dict[str, object]", value)
    stated = [info[key] for key in ("title", "description", "websiteUrl") if key in info]
    return all(isinstance(text, str) for text in (info.get("name"), info.get("version"), *stated))


def _are_capabilities(value: object) -> bool:
    if not _fits(value, _CAPABILITIES):
        return False
    stated = cast("dict[str, dict[str, object]]", value)
    named = [
        item for key in ("experimental", "extensions") for item in stated.get(key, {}).values()
    ]
    changes = stated.get("roots", {}).get("listChanged", False)
    return isinstance(changes, bool) and all(isinstance(item, dict) for item in named)


def _fits(value: object, shape: Mapping[str, Any]) -> bool:
    if not isinstance(value, dict):
        return False
    given = cast("dict[str, object]", value)
    return all(_fits(given[key], below) for key, below in shape.items() if key in given)
