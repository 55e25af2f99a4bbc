"""The v1 surface, below /mcp/v1: three routes, JSON-RPC, its own error codes.

Errors are sent with HTTP 200, as `error` instead of `result`. This file and `tools/v1.py` are the
whole v1 surface; nothing else imports them.
"""

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast
from urllib.parse import parse_qs

from .. import __version__
from ..access.request_scope import EVERYTHING, RequestScope
from ..calls.local import Caller, LocalSurface, Surface, SurfaceOptions
from ..devices import Devices
from ..devices.by_url import V1_ADDRESS, SelectedByUrl
from ..errors import PermissionDenied, ToolError, UnknownTool, Unreachable
from ..screen.characters import replace_surrogates
from ..tools.tool import Item
from ..tools.v1 import V1_TOOLS
from .answers import render_item
from .envelope import (
    HALF_PAIR_SENTENCE,
    INTERNAL_ERROR,
    INTERNAL_SENTENCE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Id,
    Refused,
    TooDeep,
    error_answer,
    holds_half_pair,
    load,
    read_beside,
)
from .exchange import Exchange, HttpRefusal
from .text import cut, has_half_pair

PROTOCOL = "2024-11-05"
ROUTES = {"tools/list": "GET", "tools/call": "POST", "initialize": "POST"}

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)

_OPTIONS = SurfaceOptions()

log = logging.getLogger(__name__)


def v1_surface(phones: Devices, options: SurfaceOptions = _OPTIONS) -> LocalSurface:
    """The tools on these phones, without those that the options' policy switches off."""
    selected = SelectedByUrl(phones, V1_ADDRESS)
    return LocalSurface((V1_TOOLS,), selected, replace(options, bare=True))


class V1:
    """What is below /mcp/v1, behind the edge."""

    def __init__(self, surface: Surface, name: str) -> None:
        self._surface = surface
        self._name = name

    async def __call__(
        self, exchange: Exchange, route: Sequence[str], body: bytes, scope: RequestScope
    ) -> dict[str, Any]:
        """The answer to a request. Raises HttpRefusal."""
        wanted, method = ROUTES.get("/".join(route)), exchange.method
        if wanted is None:
            known = ", ".join(f"{verb} /mcp/v1/{path}" for path, verb in ROUTES.items())
            raise HttpRefusal(
                404, "not_found", f"There is nothing at this path; there are {known}."
            )
        if method != wanted:
            sentence = f"{cut(method)} is not served at this path; use {wanted}."
            raise HttpRefusal(405, "method_not_allowed", sentence, allow=wanted)
        if wanted == "GET":
            return await self._answer(_listing(exchange.query), scope, exchange.token or "")
        return await self.answer(body, scope, exchange.token or "")

    async def answer(
        self, body: bytes, scope: RequestScope = EVERYTHING, token: str = ""
    ) -> dict[str, Any]:
        try:
            message = await read_beside(_read, body)
        except Refused as refused:
            return refused.answer()
        return await self._answer(message, scope, token)

    async def _answer(
        self, message: dict[str, Any], scope: RequestScope, token: str = ""
    ) -> dict[str, Any]:
        """Answer a checked message. The route it was sent to makes no difference."""
        id: Id | None = message.get("id")
        try:
            result = await self._result(message, scope, token)
        except Refused as refused:
            return error_answer(id, refused.code, refused.sentence)
        except UnknownTool as unknown:
            return error_answer(id, METHOD_NOT_FOUND, f"Method not found: {_shown(unknown.name)}")
        except ToolError as failure:
            sentence = replace_surrogates(failure.message)
            if failure.code == INTERNAL_ERROR:
                sentence = f"Tool execution failed: {sentence}"
            # Where nothing on the phone could be asked, no action has failed: it was the code of
            # a service that is not there.
            unreached = isinstance(failure, Unreachable)
            return error_answer(id, PermissionDenied.code if unreached else failure.code, sentence)
        except Exception:
            log.exception("a request of the v1 surface failed")
            sentence = f"Tool execution failed: {INTERNAL_SENTENCE}"
            return error_answer(id, INTERNAL_ERROR, sentence)
        return {"jsonrpc": "2.0", "id": id, "result": result}

    async def _result(
        self, message: dict[str, Any], scope: RequestScope, token: str = ""
    ) -> dict[str, Any]:
        match message["method"]:
            case "initialize":
                return {
                    "protocolVersion": PROTOCOL,
                    "serverInfo": {"name": self._name, "version": __version__},
                    "capabilities": {"tools": {"listChanged": False}},
                }
            case "tools/list":
                return {"tools": await self._list(scope)}
            case "tools/call":
                name, arguments = _called(message)
                caller = Caller("v1", token=token)
                items = await self._surface.call(name, arguments, caller, scope)
                return {"content": [_render(item) for item in items]}
            case method:
                raise Refused(METHOD_NOT_FOUND, f"Method not found: {_shown(method)}")

    async def _list(self, scope: RequestScope) -> list[dict[str, Any]]:
        return [
            {
                "name": each.name,
                "description": each.description,
                "inputSchema": dict(each.input_schema),
            }
            for each in await self._surface.tools(scope)
        ]


def _listing(query: bytes) -> dict[str, Any]:
    """A GET of the list as the equivalent message."""
    given = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("id")
    id: Id | None = replace_surrogates(given[0]) if given else None
    if isinstance(id, str) and _INTEGER.fullmatch(id):
        id = int(id)
    return {"method": "tools/list", "id": id}


def _read(body: bytes) -> dict[str, Any]:
    """Parse a message with a method and a valid id. Raises Refused."""
    try:
        value = load(body)
    except TooDeep as refused:
        raise Refused(PARSE_ERROR, f"Parse error: {refused.sentence}") from None
    except Refused:
        raise Refused(PARSE_ERROR, "Parse error: invalid JSON") from None
    if isinstance(value, list):
        raise Refused(INVALID_REQUEST, "Batches are not accepted; send one request at a time.")
    if not isinstance(value, dict):
        raise Refused(INVALID_REQUEST, "The message is not a JSON-RPC object.")
    message = cast("dict[str, Any]", value)
    id: object = message.get("id")
    if isinstance(id, bool) or not isinstance(id, int | str | None) or has_half_pair(id):
        raise Refused(INVALID_REQUEST, "The id must be a string or a whole number.")
    version: object = message.get("jsonrpc")
    if version != "2.0":
        shown = _shown(version if isinstance(version, str) else json.dumps(version))
        raise Refused(INVALID_REQUEST, f"Unsupported JSON-RPC version: {shown}", id)
    if not isinstance(message.get("method"), str):
        raise Refused(INVALID_REQUEST, "The method must be a string.", id)
    if holds_half_pair(body, message):
        raise Refused(INVALID_PARAMS, HALF_PAIR_SENTENCE, id)
    return message


def _called(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool and its arguments. Raises Refused."""
    params: object = message.get("params")
    if params is None:
        raise Refused(INVALID_PARAMS, "Missing params for tools/call")
    if not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "The params must be an object.")
    fields = cast("dict[str, Any]", params)
    name: object = fields.get("name")
    if name is None:
        raise Refused(INVALID_PARAMS, "Missing 'name' in params")
    if not isinstance(name, str):
        raise Refused(INVALID_PARAMS, "The name of a tool must be a string: params.name")
    arguments: object = fields.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise Refused(INVALID_PARAMS, "The arguments of a tool must be an object.")
    return name, cast("dict[str, Any]", arguments or {})


def _render(item: Item) -> dict[str, Any]:
    content = render_item(item)
    if not isinstance(item, str) and item.pixels is not None:
        content |= dict(zip(("width", "height"), item.pixels, strict=True))
    return content


def _shown(text: str) -> str:
    return cut(replace_surrogates(text))
