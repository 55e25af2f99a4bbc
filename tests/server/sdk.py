"""The official SDK's low-level server, with the lists and calls of our own answers: the judge of
how we read requests and word replies."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from handheld.access.request_scope import EVERYTHING
from handheld.server.answers import LIST_TTL_MS, Answers
from handheld.server.envelope import Message, Refused
from handheld.server.text import cut

Lines = asyncio.Queue[dict[str, Any] | None]
Put = Callable[[dict[str, Any]], Awaitable[None]]


async def build_server(answers: Answers, listen: ListenHandler | None = None) -> Server[Any]:
    async def list_tools(ctx: ServerRequestContext[Any], _: types.PaginatedRequestParams):
        return await _complete(answers.list_tools(_message(ctx)))

    async def call_tool(ctx: ServerRequestContext[Any], _: types.CallToolRequestParams):
        return await _complete(answers.call_tool(_message(ctx)))

    server: Server[Any] = Server(
        answers.server["name"],
        version=answers.server["version"],
        instructions=await answers.instructions(EVERYTHING) or None,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        get_tool_input_schema=lambda _: None,
        on_subscriptions_listen=listen,
    )
    # Not through the constructor, because its handlers may not return a plain dict.
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    return server


@asynccontextmanager
async def open_app(answers: Answers) -> AsyncGenerator[Any]:
    """The SDK as an ASGI application."""
    server = await build_server(answers)
    app = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    async with server.session_manager.run():
        yield app


async def run_session(answers: Answers, lines: Lines, put: Put) -> None:
    """Serve the messages in `lines` until None, as over stdio."""
    listen = ListenHandler(InMemorySubscriptionBus()) if answers.subscriptions else None
    server = await build_server(answers, listen)
    changes = NotificationOptions(tools_changed=listen is not None)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def feed() -> None:
        async with to_server:
            while (body := await lines.get()) is not None:
                kind = types.JSONRPCRequest if "id" in body else types.JSONRPCNotification
                await to_server.send(SessionMessage(kind.model_validate(body)))

    async def write() -> None:
        async with from_server:
            async for item in from_server:
                await put(item.message.model_dump(mode="json", by_alias=True, exclude_unset=True))

    async with asyncio.TaskGroup() as tasks:
        feeding = tasks.create_task(feed())
        tasks.create_task(write())
        try:
            await server.run(from_client, to_client, server.create_initialization_options(changes))
        finally:
            feeding.cancel()


async def _complete(result: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """The result as a plain dict: the SDK's model would add `isError: false`."""
    try:
        return {"resultType": "complete", **await result}
    except Refused as refused:
        raise MCPError(refused.code, refused.sentence, refused.data) from refused


def _message(ctx: ServerRequestContext[Any]) -> Message:
    """Over stdio the client has said hello."""
    hello = ctx.session.client_params
    client = "" if hello is None else cut(hello.client_info.name)
    return Message({"params": ctx.params or {}}, ctx.method, ctx.request_id, client=client)
