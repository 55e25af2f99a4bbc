"""The baseline: the official SDK with one echo tool, without Handheld."""

import asyncio
import sys
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
    "required": ["x", "y"],
}


async def _list(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None):
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema=SCHEMA)])


async def _call(_: ServerRequestContext[Any], params: types.CallToolRequestParams):
    text = f"Tap executed at {params.arguments}"
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def _server() -> Server[Any]:
    return Server("echo", on_list_tools=_list, on_call_tool=_call)


async def _http(token: str) -> None:
    from handheld.server.http import open_edge
    from handheld.server.options import HttpOptions

    async with open_edge(_server(), HttpOptions(host="127.0.0.1", port=0, token=token)) as address:
        sys.stdout.write(f"{address.port}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


async def _stdio() -> None:
    from mcp.server.stdio import stdio_server

    server = _server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(_http(sys.argv[2]) if sys.argv[1] == "http" else _stdio())
