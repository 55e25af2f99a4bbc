"""The tool lists that clients get, compared with the stored ones: a change to a tool must be
reviewed and stored with `make docs`."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from fleet.nats.lab import Lab
from harness.through_engine import without_leases

from .stage import Stage, open_stage, open_switch

KEPT: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "tool_lists.json").read_text(encoding="utf-8")
)


@pytest.fixture
async def stage(engine: Lab | None) -> AsyncGenerator[Stage]:
    async with open_switch(engine) as switch, open_stage(*switch) as opened:
        yield opened


def in_order(tools: list[dict[str, Any]]) -> list[str]:
    """The schemas with the keys in their order."""
    return [json.dumps(tool["inputSchema"], ensure_ascii=False) for tool in tools]


async def test_clients_get_the_stored_tool_lists(stage: Stage, engine: Lab | None) -> None:
    """Names and their order, descriptions, and the schema of every parameter, its keys in order."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    listed = without_leases(engine, (await stage.post("/mcp", asked))["result"]["tools"])
    first = (await stage.http.get("/mcp/v1/tools/list")).json()["result"]["tools"]
    for tools, kept, count in ((listed, KEPT["/mcp"], 41), (first, KEPT["/mcp/v1"], 29)):
        assert tools == kept
        assert in_order(tools) == in_order(kept)
        assert len(kept) == count
