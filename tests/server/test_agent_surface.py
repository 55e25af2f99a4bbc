"""The tools for models over HTTP: beside the documented ones, at a path of their own."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from handheld.cli.parts import Parts
from handheld.server.options import HttpOptions
from handheld.settings import Settings
from harness.serving import served

KEPT: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "tool_lists.json").read_text(encoding="utf-8")
)


@asynccontextmanager
async def serve(*, agent: bool = True) -> AsyncGenerator[httpx.AsyncClient]:
    surface = Parts(Settings()).surface
    async with served(surface, HttpOptions(port=0, token="", agent=agent)) as (http, _):
        yield http


async def ask(http: httpx.AsyncClient, path: str, method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return (await http.post(path, json=body)).json()


async def initialize(http: httpx.AsyncClient, path: str) -> Any:
    client = {"name": "test", "version": "1"}
    return await ask(
        http,
        path,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo=client,
    )


async def test_each_path_lists_its_own_tools() -> None:
    async with serve() as http:
        for path in ("/mcp", "/mcp/agent"):
            assert (await ask(http, path, "tools/list"))["result"]["tools"] == KEPT[path]


async def test_each_path_has_its_own_instructions() -> None:
    async with serve() as http:
        of_agent = (await initialize(http, "/mcp/agent"))["result"]["instructions"]
        main = (await initialize(http, "/mcp"))["result"]["instructions"]
    assert of_agent.startswith("You hold an Android phone.")
    assert "phone_look" not in main


@pytest.mark.slow
@pytest.mark.parametrize(("path", "tool"), [("/mcp", "phone_look"), ("/mcp/agent", "android_tap")])
async def test_a_tool_of_the_other_path_is_unknown(path: str, tool: str) -> None:
    async with serve() as http:
        answer = await ask(http, path, "tools/call", name=tool, arguments={})
    assert answer["error"] == {"code": -32602, "message": f"Unknown tool: {tool}"}


async def test_a_surface_without_tools_for_models_has_no_such_path() -> None:
    async with serve(agent=False) as http:
        assert (await http.post("/mcp/agent", json={})).status_code == 404
