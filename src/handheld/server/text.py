"""Text in protocol messages: repaired surrogate pairs, shortened echoes."""

import json
from typing import Any, cast

from ..screen.characters import replace_surrogates


def has_half_pair(value: Any) -> bool:
    """Whether a JSON value holds a lone surrogate anywhere, keys included."""
    try:
        (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()
    except UnicodeEncodeError:
        return True
    return False


def fix_json(value: Any) -> Any:
    """Repair every text in a JSON value: half a surrogate pair would break the SDK's stdio."""
    if not has_half_pair(value):
        return value
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {replace_surrogates(key): fix_json(item) for key, item in pairs}
    if isinstance(value, list):
        return [fix_json(item) for item in cast("list[Any]", value)]
    return value


def cut(text: str, length: int = 100) -> str:
    """Shorten a text of the client, to repeat it in a message."""
    return text if len(text) <= length else text[: length - 1] + "…"
