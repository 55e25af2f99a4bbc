"""The configuration file, and what of it the running server has taken."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, cast

from ..access.policy import make_gate, make_policy
from ..errors import ToolError
from ..settings import Option, Settings, SettingsError, options
from ..settings.editing import CommentsLost, ConfigFile, find_option
from ..tools import CATALOG
from .context import ConsoleContext
from .routes import Request, Route, bad_request, not_found

_SECRET = "token"  # noqa: S105
_LONGEST = 20_000


class SettingsPage:
    def __init__(self, context: ConsoleContext) -> None:
        self._settings = context.settings
        self._file = ConfigFile(context.settings)

    async def all(self, request: Request) -> dict[str, Any]:
        try:
            seen = self._file.read()
        except SettingsError as problem:
            raise ToolError(str(problem)) from problem
        return {
            "file": str(self._file.path),
            "version": seen.version,
            "problem": seen.problem,
            "options": [
                _told(option, seen.values, self._settings, bool(seen.problem))
                for option in options()
            ],
            "slugs": dict(seen.slugs),
        }

    async def put(self, request: Request) -> dict[str, Any]:
        """`value` null takes the option out of the file."""
        option = find_option(request.params["key"])
        if option is None:
            raise not_found("There is no such option.")
        if source := self._settings.sources.get(option.key):
            raise ToolError(f"{option.key} is set by {source}, which wins over the file.")
        if "value" not in request.body:
            raise bad_request("value is missing.")
        return self._write(request, option.path, request.body["value"])

    async def put_slug(self, request: Request) -> dict[str, Any]:
        """A phone's slug: a text, empty for none; null takes the phone out of the file."""
        phone, slug = request.params["phone"], request.body.get("slug")
        if len(phone) > 256 or not phone.isprintable():
            raise bad_request("A phone is a serial, HOST:PORT or `virtual`.")
        if slug is None:
            return self._write(request, ("phones", phone), None)
        if not isinstance(slug, str):
            raise bad_request("slug must be a text.")
        return self._write(request, ("phones", phone, "slug"), slug)

    def _write(self, request: Request, path: tuple[str, ...], value: Any) -> dict[str, Any]:
        """Says whether it asks for another try, with the loss of comments."""
        if not _plain(value):
            raise bad_request("A value is true or false, a whole number, a text or a list.")
        try:
            self._file.put(
                path,
                value,
                request.text("version"),
                _check_names,
                lose_comments=request.flag("lose_comments", False),
            )
        except CommentsLost as problem:
            return {"written": False, "comments_lost": str(problem)}
        except SettingsError as problem:
            raise ToolError(str(problem)) from problem
        return {"written": True}


def _check_names(settings: Settings) -> None:
    make_policy(settings, CATALOG)
    make_gate(settings, CATALOG)


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        parts = cast("list[object]", value)
        return len(parts) <= 1000 and all(type(one) in (str, int) and _plain(one) for one in parts)
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return value is None or isinstance(value, bool | int)


def _told(option: Option, file: Any, running: Settings, unread: bool) -> dict[str, Any]:
    """Values of a secret are not told, only that there is one."""
    now: Any = reduce(getattr, option.path, running)
    own = file.get(option.key)
    source = running.sources.get(option.key, "")
    wanted = option.default if own is None else own
    kind = "list" if option.repeats else "flag" if option.type is bool else "text"
    return {
        "key": option.key,
        "help": option.help,
        "kind": "number" if option.type is int else kind,
        "numbers": option.repeats and option.item is int,
        "choices": option.choices,
        "bounds": option.bounds,
        "secret": option.key == _SECRET,
        "default": "" if option.key == _SECRET else _said(option.default),
        "shown": option.shown,
        "in_file": own is not None,
        "file": _hidden(option, own),
        "now": _hidden(option, now),
        "source": source,
        "waits": not source and not unread and wanted != now,
    }


def _hidden(option: Option, value: Any) -> Any:
    if option.key == _SECRET:
        return "(set)" if value else ""
    return _said(value)


def _said(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def routes(context: ConsoleContext) -> Sequence[Route]:
    page = SettingsPage(context)
    return (
        Route("GET", "settings", page.all),
        Route("POST", "settings/{key}", page.put),
        Route("POST", "slugs/{phone}", page.put_slug),
    )
