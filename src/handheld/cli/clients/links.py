"""Links that install a server in an editor with one click."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from .catalog import BY_ID
from .entry import NAME

FROM_INDEX = ("uvx", "handheld", "stdio")
"""What starts Handheld on a computer that may not have it yet."""


def cursor_link(command: tuple[str, ...] = FROM_INDEX, *, web: bool = False) -> str:
    """`web`: as pages may have it that show only links to other pages."""
    entry = _compact(BY_ID["cursor"].local.entry(command))
    query = urlencode({"name": NAME, "config": base64.b64encode(entry.encode()).decode()})
    page = "https://cursor.com/en/install-mcp"
    return f"{page if web else 'cursor://anysphere.cursor-deeplink/mcp/install'}?{query}"


def vscode_link(
    command: tuple[str, ...] = FROM_INDEX, *, web: bool = False, insiders: bool = False
) -> str:
    entry = BY_ID["vscode"].local.entry(command)
    if not web:
        scheme = "vscode-insiders" if insiders else "vscode"
        return f"{scheme}:mcp/install?{quote(_compact({'name': NAME, **entry}), safe='')}"
    query = {
        "name": NAME,
        "config": _compact(entry),
        **({"quality": "insiders"} if insiders else {}),
    }
    return f"https://insiders.vscode.dev/redirect/mcp/install?{urlencode(query, quote_via=quote)}"


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
