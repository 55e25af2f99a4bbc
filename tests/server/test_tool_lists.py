"""The tool lists that clients get, compared with the stored ones: a change to a tool must be
reviewed and stored with `make docs`."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from engine.lab import Lab
from through_engine import without_leases

from .stage import Stage, open_stage, open_switch

KEPT: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "tool_lists.json").read_text(encoding="utf-8")
)


@pytest.fixture
async def stage(engine: Lab | None) -> AsyncGenerator[Stage]:
    async with open_switch(engine) as switch, open_stage(*switch) as opened:
        yield opened


def order(tools: list[dict[str, Any]]) -> list[list[str]]:
    return [list(tool["inputSchema"]["properties"]) for tool in tools]


async def test_clients_get_the_stored_tool_lists(stage: Stage, engine: Lab | None) -> None:
    """Names and their order, descriptions, and the type, default and choices of every parameter."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    listed = without_leases(engine, (await stage.post("/mcp", asked))["result"]["tools"])
    first = (await stage.http.get("/mcp/v1/tools/list")).json()["result"]["tools"]
    for tools, kept, count in ((listed, KEPT["/mcp"], 41), (first, KEPT["/mcp/v1"], 29)):
        assert tools == kept
        assert order(tools) == order(kept)
        assert len(kept) == count
