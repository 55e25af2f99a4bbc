"""Check DevTools' answers: they come from an app, and the page controls their content."""

import json
import re
from typing import Any, cast

from ..web import PageFailed, PageProblem, PageText, WebPage
from .sockets import DevToolsSocket
from .wire import BadAnswer

MOST_PAGES = 1000
"""The maximum number of pages of one app."""
MOST_TEXT = 2000
"""The maximum length of a title or an address."""
_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_.]{1,254}", re.ASCII)


def table(message: dict[str, Any], name: str) -> dict[str, Any]:
    """Raises BadAnswer."""
    value = message.get(name)
    if not isinstance(value, dict):
        raise BadAnswer
    return cast(dict[str, Any], value)


def number(value: object) -> int:
    if not isinstance(value, int):
        raise BadAnswer
    return value


def read_json(text: str) -> Any:
    """Raises BadAnswer."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadAnswer from None


def read_package(data: bytes) -> str:
    """Parse /json/version: the package name that an app reports, or "". Raises BadAnswer."""
    told = read_json(data.decode(errors="replace"))
    if not isinstance(told, dict):
        raise BadAnswer
    package = cast(dict[str, Any], told).get("Android-Package")
    return package if isinstance(package, str) and _PACKAGE.fullmatch(package) else ""


def read_pages(data: bytes, socket: DevToolsSocket) -> tuple[WebPage, ...]:
    """Parse /json/list: the pages, without workers and other targets. Raises BadAnswer."""
    listed = read_json(data.decode(errors="replace"))
    if not isinstance(listed, list):
        raise BadAnswer
    found: dict[str, WebPage] = {}
    for entry in cast(list[Any], listed):
        if not isinstance(entry, dict):
            continue
        told = cast(dict[str, Any], entry)
        id, url = told.get("id"), told.get("url")
        if told.get("type") not in ("page", "webview") or not isinstance(url, str):
            continue
        if isinstance(id, str) and _ID.fullmatch(id) and id not in found:
            visible = _read_visible(told.get("description"))
            title = str(told.get("title") or "")[:MOST_TEXT]
            found[id] = WebPage(
                socket.name, socket.inode, id, socket.packages, title, url[:MOST_TEXT], visible
            )
    return tuple(found.values())[:MOST_PAGES]


def _read_visible(description: object) -> bool | None:
    """Parse WebView's JSON description of a page: whether it is attached to a window and
    visible."""
    if not isinstance(description, str) or not description.startswith("{"):
        return None
    try:
        told = read_json(description[:MOST_TEXT])
    except BadAnswer:
        return None
    if not isinstance(told, dict):
        return None
    said = [cast(dict[str, Any], told).get(name) for name in ("attached", "visible")]
    return all(said) if all(isinstance(one, bool) for one in said) else None


def read_text(told: object, most: int) -> PageText:
    """Check the result of the script READ. Raises BadAnswer, PageFailed."""
    if not isinstance(told, dict):
        raise BadAnswer
    found = cast(dict[str, Any], told)
    url, title, parts = found.get("url"), found.get("title"), found.get("parts")
    if not (isinstance(url, str) and isinstance(title, str) and isinstance(parts, list)):
        raise BadAnswer
    if "problem" in found:
        raise PageFailed(PageProblem.BAD_SELECTOR, str(found["problem"])[:MOST_TEXT])
    matches, frames = number(found.get("matches")), number(found.get("frames"))
    if not matches:
        raise PageFailed(PageProblem.NO_MATCH)
    texts = [str(part) for part in cast(list[Any], parts)]
    text = "\n".join(texts)
    units = text.encode("utf-16-le", "surrogatepass")
    truncated = len(units) > most * 2 or len(texts) < matches
    if len(units) > most * 2:
        text = units[: most * 2].decode("utf-16-le", "ignore")
    return PageText(url[:MOST_TEXT], title[:MOST_TEXT], text, truncated, matches, frames)
