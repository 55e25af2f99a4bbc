"""The SDK's server on a connection of lines, for the messages that it is passed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.message import SessionMessage

from ..access.tool_filter import EVERYTHING
from .answers import Answers
from .envelope import tidy
from .mcp import build_server


async def run_session(
    answers: Answers,
    inbox: "asyncio.Queue[Any]",
    put: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    """Serve the messages in `inbox` until None; "changed" means that the tools changed."""
    bus = InMemorySubscriptionBus()
    server = build_server(answers, ListenHandler(bus) if answers.notifies else None, put)
    server.instructions = await answers.instructions(EVERYTHING) or None
    options = server.create_initialization_options(
        NotificationOptions(tools_changed=answers.notifies)
    )
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def feed() -> None:
        async with to_server:
            while (item := await inbox.get()) is not None:
                if item == "changed":
                    await bus.publish(ToolsListChanged())
                else:
                    await to_server.send(SessionMessage(_model(item)))

    async def write() -> None:
        async with from_server:
            async for item in from_server:
                await put(_wire_form(item.message))

    async with asyncio.TaskGroup() as tasks:
        feeding = tasks.create_task(feed())
        tasks.create_task(write())
        try:
            await server.run(from_client, to_client, options)
        finally:
            feeding.cancel()


def _model(body: dict[str, Any]) -> types.JSONRPCRequest | types.JSONRPCNotification:
    params = body.get("params")
    extra: dict[str, Any] = {} if params is None else {"params": dict(params)}
    if "id" not in body:
        return types.JSONRPCNotification(jsonrpc="2.0", method=body["method"], **extra)
    return types.JSONRPCRequest(jsonrpc="2.0", id=body["id"], method=body["method"], **extra)


def _wire_form(message: types.JSONRPCMessage) -> dict[str, Any]:
    form = message.model_dump(mode="python", by_alias=True, exclude_unset=True)
    if "error" in form:
        form["error"] = tidy(form["error"])
    return form
