"""The official SDK's low-level server, for what `recognition` leaves to it.

Importing the SDK takes longer than all else at the start of the server, and a third of its memory;
this module is imported when a request needs it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import ListenHandler
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

from .answers import LIST_TTL_MS, SCOPE_ASKED, Answers, Asked, Notify
from .envelope import Refused
from .exchange import App
from .text import cut


def build_server(
    answers: Answers, listen: ListenHandler | None = None, notify: Notify | None = None
) -> Server[Any]:
    """Build the server. `listen` serves list changes to 2026 clients; `notify` sends a message to
    the client, where that is not said with each request."""

    async def list_tools(ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams):
        return await _complete(answers.list_tools(_asked(ctx)))

    async def call_tool(ctx: ServerRequestContext[Any], _: types.CallToolRequestParams):
        params, asked = ctx.params or {}, _asked(ctx)
        asked = asked._replace(notify=asked.notify or notify)
        if asked.arguments is not None:
            params = {**params, "arguments": asked.arguments}
        return await _complete(answers.call_tool(params, asked))

    server: Server[Any] = Server(
        answers.server["name"],
        version=answers.server["version"],
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        # Used only for `x-mcp-header` marks, which no tool of ours has. Without it, the SDK would
        # list all tools before every call.
        get_tool_input_schema=_no_header_marks,
        on_subscriptions_listen=listen,
    )
    # Not through the constructor, because its handlers may not return a plain dict.
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    return server


async def run_app(
    server: Server[Any], body_limit: int, ready: Callable[[App], None], stop: asyncio.Event
) -> None:
    """Run the server as an ASGI application, which `ready` gets, until `stop`."""
    # The SDK's own checks stay off: the edge checks on every bind address.
    app = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=body_limit + 1,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    async with server.session_manager.run():
        ready(app)
        await stop.wait()


async def _complete(result: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """The result as a plain dict: the SDK's model would add `isError: false`."""
    try:
        return {"resultType": "complete", **await result}
    except Refused as refused:
        raise MCPError(refused.code, refused.sentence, refused.data) from refused


def _no_header_marks(_: str) -> None:
    return None


def _asked(ctx: ServerRequestContext[Any]) -> Asked:
    """Over HTTP it comes with the request, over stdio the client has said hello."""
    asked: Asked = getattr(ctx.request, "scope", {}).get(SCOPE_ASKED, Asked())
    hello = ctx.session.client_params
    return asked if hello is None else asked._replace(client=cut(hello.client_info.name))
