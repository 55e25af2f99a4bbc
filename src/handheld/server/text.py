"""Text on its way through the protocol: whole characters, bounded echoes."""

import json
from typing import Any, cast


def has_half_pair(value: Any) -> bool:
    """Whether a JSON value holds a lone surrogate anywhere, keys included."""
    try:
        (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()
    except UnicodeEncodeError:
        return True
    return False


def whole(text: str) -> str:
    """The text with surrogate pairs joined and halves replaced: one half ends the SDK's stdio."""
    if text.isascii() or not has_half_pair(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_json(value: Any) -> Any:
    """A JSON value with every text in it whole."""
    if not has_half_pair(value):
        return value
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {whole(key): whole_json(item) for key, item in pairs}
    if isinstance(value, list):
        return [whole_json(item) for item in cast("list[Any]", value)]
    return value


def cut(text: str, length: int = 100) -> str:
    """What a client sent, short enough to say back."""
    return text if len(text) <= length else text[: length - 1] + "…"
