"""An agent over MCP, and queries on the virtual phone's state."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from console.rig import TOKEN, Rig
from harness.polling import HANG


async def call(rig: Rig, tool: str, **arguments: Any) -> str:
    """Call a tool and return the texts of the reply."""
    params = {"name": f"android_{tool}", "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    async with httpx.AsyncClient(base_url=rig.url, trust_env=False, timeout=HANG) as http:
        answer = await http.post("/mcp", json=body, headers={"authorization": f"Bearer {TOKEN}"})
    content = answer.json()["result"]["content"]
    return "\n".join(item.get("text", "(image)") for item in content)


@asynccontextmanager
async def asking(rig: Rig, tool: str, **arguments: Any) -> AsyncGenerator["asyncio.Task[str]"]:
    """A call that waits while a person decides."""
    task = asyncio.create_task(call(rig, tool, **arguments))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def find(rig: Rig, resource_id: str) -> Any:
    """Return the node on the virtual phone with this end of its resource id."""
    [node] = [
        node
        for window in rig.phone.world.automation.read_windows()
        for node in window.nodes
        if (node.resource_id or "").endswith(resource_id)
    ]
    return node
