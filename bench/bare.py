"""The baseline: the official SDK with one echo tool, on uvicorn as it comes."""

import asyncio
import socket
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


async def _http() -> None:
    import uvicorn

    app = _server().streamable_http_app(json_response=True, stateless_http=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        await uvicorn.Server(config).serve([listener])


async def _stdio() -> None:
    from mcp.server.stdio import stdio_server

    server = _server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(_http() if sys.argv[1] == "http" else _stdio())
