"""The configuration file, compared with the settings of the running server."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, cast

from ...access.policy import make_gate, make_policy
from ...errors import ToolError
from ...settings import Option, Settings, SettingsError, options
from ...settings.editing import CommentsLost, ConfigFile, find_option
from ...tools.main import EVERY_TOOLSET
from ..context import ConsoleContext
from ..routes import Request, Route, bad_request, not_found

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
                _option_json(option, seen.values, self._settings, bool(seen.problem))
                for option in options()
            ],
            "slugs": dict(seen.slugs),
        }

    async def put(self, request: Request) -> dict[str, Any]:
        """Set an option; a null `value` removes it from the file."""
        option = find_option(request.params["key"])
        if option is None:
            raise not_found("There is no such option.")
        if source := self._settings.sources.get(option.key):
            raise ToolError(f"{option.key} is set by {source}, which overrides the file.")
        if "value" not in request.body:
            raise bad_request("value is missing.")
        return self._write(request, option.path, request.body["value"])

    async def put_slug(self, request: Request) -> dict[str, Any]:
        """Set a phone's slug, empty for none; null removes the phone from the file."""
        phone, slug = request.params["phone"], request.body.get("slug")
        if len(phone) > 256 or not phone.isprintable():
            raise bad_request("A phone is a serial, HOST:PORT or `virtual`.")
        if slug is None:
            return self._write(request, ("phones", phone), None)
        if not isinstance(slug, str):
            raise bad_request("slug must be a text.")
        return self._write(request, ("phones", phone, "slug"), slug)

    def _write(self, request: Request, path: tuple[str, ...], value: Any) -> dict[str, Any]:
        """Write a value, or report that comments would be lost: the page then asks first."""
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
    make_policy(settings, EVERY_TOOLSET)
    make_gate(settings, EVERY_TOOLSET)


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        parts = cast("list[object]", value)
        return len(parts) <= 1000 and all(
            type(part) in (str, int) and _plain(part) for part in parts
        )
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return value is None or isinstance(value, bool | int)


def _option_json(option: Option, file: Any, running: Settings, unread: bool) -> dict[str, Any]:
    """An option for the page. Of a secret, only whether it is set."""
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
        "default": "" if option.key == _SECRET else _json_value(option.default),
        "shown": option.shown,
        "in_file": own is not None,
        "file": _shown_value(option, own),
        "now": _shown_value(option, now),
        "source": source,
        "waits": not source and not unread and wanted != now,
    }


def _shown_value(option: Option, value: Any) -> Any:
    if option.key == _SECRET:
        return "(set)" if value else ""
    return _json_value(value)


def _json_value(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def routes(context: ConsoleContext) -> Sequence[Route]:
    page = SettingsPage(context)
    return (
        Route("GET", "settings", page.all),
        Route("POST", "settings/{key}", page.put),
        Route("POST", "slugs/{phone}", page.put_slug),
    )
