"""The v1 surface, below /mcp/v1: three routes, JSON-RPC, its own error codes.

Errors are sent with HTTP 200, as `error` instead of `result`. This file and `tools/v1.py` are the
whole v1 surface; nothing else imports them.
"""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
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
    INTERNAL_ERROR,
    INTERNAL_SENTENCE,
    METHOD_NOT_FOUND,
    Id,
    Message,
    Refused,
    error_answer,
    no_method,
    no_tool,
    parse,
    read_beside,
)
from .exchange import Exchange, HttpRefusal
from .headers import require_method

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
        require_method(method, wanted)
        if wanted == "GET":
            return await self._answer(_listing(exchange.query), scope, exchange.token or "")
        return await self.answer(body, scope, exchange.token or "")

    async def answer(
        self, body: bytes, scope: RequestScope = EVERYTHING, token: str = ""
    ) -> dict[str, Any]:
        try:
            message = await read_beside(partial(parse, answers_all=True), body)
        except Refused as refused:
            # A fault of a tool's arguments, too, is an error here.
            return error_answer(refused.id, refused.code, refused.sentence)
        return await self._answer(message, scope, token)

    async def _answer(
        self, message: Message, scope: RequestScope, token: str = ""
    ) -> dict[str, Any]:
        """Answer a checked message. The route it was sent to makes no difference."""
        id = message.id
        try:
            result = await self._result(message, scope, token)
        except Refused as refused:
            return error_answer(id, refused.code, refused.sentence)
        except UnknownTool as unknown:
            refused = no_tool(unknown.name, METHOD_NOT_FOUND)
            return error_answer(id, refused.code, refused.sentence)
        except ToolError as failure:
            sentence = replace_surrogates(failure.message)
            # Where nothing on the phone could be asked, no action has failed: it was the code of
            # a service that is not there.
            unreached = isinstance(failure, Unreachable)
            return error_answer(id, PermissionDenied.code if unreached else failure.code, sentence)
        except Exception:
            log.exception("a request of the v1 surface failed")
            return error_answer(id, INTERNAL_ERROR, INTERNAL_SENTENCE)
        return {"jsonrpc": "2.0", "id": id, "result": result}

    async def _result(
        self, message: Message, scope: RequestScope, token: str = ""
    ) -> dict[str, Any]:
        match message.method:
            case "initialize":
                return {
                    "protocolVersion": PROTOCOL,
                    "serverInfo": {"name": self._name, "version": __version__},
                    "capabilities": {"tools": {"listChanged": False}},
                }
            case "tools/list":
                return {"tools": await self._list(scope)}
            case "tools/call":
                params, caller = message.params, Caller("v1", token=token)
                arguments: Mapping[str, Any] = params.get("arguments") or {}
                items = await self._surface.call(params["name"], arguments, caller, scope)
                return {"content": [_render(item) for item in items]}
            case method:
                raise no_method(method or "")

    async def _list(self, scope: RequestScope) -> list[dict[str, Any]]:
        return [
            {
                "name": each.name,
                "description": each.description,
                "inputSchema": dict(each.input_schema),
            }
            for each in await self._surface.tools(scope)
        ]


def _listing(query: bytes) -> Message:
    """A GET of the list as the equivalent message."""
    given = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("id")
    id: Id | None = replace_surrogates(given[0]) if given else None
    if isinstance(id, str) and _INTEGER.fullmatch(id):
        id = int(id)
    return Message({}, "tools/list", id)


def _render(item: Item) -> dict[str, Any]:
    content = render_item(item)
    if not isinstance(item, str) and item.pixels is not None:
        content |= dict(zip(("width", "height"), item.pixels, strict=True))
    return content
