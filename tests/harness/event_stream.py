"""What a server says of a call before it answers."""

import json
from typing import Any

import httpx

BOTH = "application/json, text/event-stream"
"""What clients of MCP accept."""

Word = tuple[float, float | None, str]


def messages(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.headers["content-type"] == "text/event-stream"
    events = [event.split("\n") for event in answer.text.removesuffix("\n\n").split("\n\n")]
    assert all(first == "event: message" for first, _ in events)
    return [json.loads(data.removeprefix("data: ")) for _, data in events]


def told(message: dict[str, Any], token: int | str = "t") -> Word:
    params = message["params"]
    assert (message["method"], params["progressToken"]) == ("notifications/progress", token)
    assert "id" not in message
    return params["progress"], params.get("total"), params["message"]


async def course(
    http: httpx.AsyncClient, name: str, arguments: dict[str, Any]
) -> tuple[list[Word], dict[str, Any]]:
    """Call a tool, and return what was told of it, with its result."""
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": "t"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await http.post("/mcp", json=body, headers={"accept": BOTH})
    if answer.headers["content-type"] == "application/json":
        return [], answer.json()["result"]
    *notes, last = messages(answer)
    words = [told(note) for note in notes]
    done = [word[0] for word in words]
    assert done == sorted(set(done))
    return words, last["result"]
