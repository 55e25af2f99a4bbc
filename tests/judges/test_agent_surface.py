"""The tools for models, listed and called by clients of other people, in both eras."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from judging import HANDHELD, TOKEN, Served, environment, nothing_left
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from test_inspector import inspect
from test_typescript_clients import CLIENTS, run_plan

pytestmark = pytest.mark.needs_node

STDIO = [*HANDHELD, "stdio", "--phone", "virtual"]
STEPS: list[dict[str, Any]] = [
    {"tool": "open", "what": "Calculator"},
    {"tool": "tap", "at": "7"},
    {"tool": "tap", "at": "="},
]
CALLS: list[dict[str, Any]] = [
    {"name": "phone_look", "arguments": {}},
    {"name": "phone_do", "arguments": {"steps": STEPS}},
    {"name": "phone_do", "arguments": {"steps": json.dumps(STEPS)}},
    {"name": "phone_tap", "arguments": {"at": "Nothing like it"}},
    {"name": "phone_tap", "arguments": {}},
]
NAMES = {"phone_look", "phone_tap", "phone_type", "phone_press", "phone_open", "phone_do"}


def check(names: list[str], replies: list[tuple[str, bool]]) -> None:
    assert set(names) >= NAMES
    assert all(name.startswith(("phone_", "app_")) for name in names)
    (look, _), (steps, _), (as_text, _), (missing, _), (without, _) = replies
    assert [failed for _, failed in replies] == [False, False, False, True, True]
    assert re.fullmatch(r'[\w.]+ ".*" s\d+', look.partition("\n")[0])
    assert steps.startswith("3 of 3 done.\n")
    assert as_text.startswith("3 of 3 done.\n")
    assert missing.startswith('No "Nothing like it" is visible.')
    assert "at" in without


def agent_url(server: Served) -> str:
    return f"{server.url}/agent"


@CLIENTS
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_typescript_client_uses_the_tools_for_models(
    client: str,
    version: str,
    transport: str,
    node_tools: Path,
    home: Path,
    request: pytest.FixtureRequest,
) -> None:
    target: dict[str, object] = {"command": STDIO, "environment": environment(home)}
    if transport == "http":
        server: Served = request.getfixturevalue("served")
        target = {"url": agent_url(server), "token": TOKEN}
    seen = run_plan(home, client=client, calls=CALLS, **target)
    nothing_left(home)
    assert seen["version"] == version
    replies = [(reply["content"][0]["text"], reply["isError"]) for reply in seen["replies"]]
    check(seen["tools"], replies)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_the_python_client_uses_the_tools_for_models(
    mode: Any, transport: str, home: Path, request: pytest.FixtureRequest
) -> None:
    if transport == "http":
        server: Served = request.getfixturevalue("served")
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with create_mcp_http_client(headers=headers) as http:
            way = streamable_http_client(agent_url(server), http_client=http)
            await _use(Client(way, mode=mode))
        return
    server_process = StdioServerParameters(
        command=STDIO[0], args=STDIO[1:], env=environment(home), cwd=home
    )
    with (home / "server.log").open("w", encoding="utf-8") as errors:
        await _use(Client(stdio_client(server_process, errors), mode=mode))
    nothing_left(home)


async def _use(client: Client) -> None:
    async with client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        replies: list[tuple[str, bool]] = []
        for call in CALLS:
            reply = await client.call_tool(call["name"], call["arguments"])
            [first, *_] = reply.content
            replies.append((getattr(first, "text", ""), bool(reply.is_error)))
        check(names, replies)
        assert client.instructions is not None
        assert client.instructions.startswith("You hold an Android phone.")


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_uses_the_tools_for_models(
    era: str, transport: str, node_tools: Path, home: Path, request: pytest.FixtureRequest
) -> None:
    if transport == "http":
        server: Served = request.getfixturevalue("served")
        header = f"Authorization: Bearer {TOKEN}"
        target = [agent_url(server), "--transport", "http", "--header", header]
        target.append("--stored-auth-only")
    else:
        variables = ["-e", f"HANDHELD_HOME={home / 'handheld'}", "-e", "HANDHELD_PHONE=virtual"]
        target = [*HANDHELD, "stdio", *variables]
    code, output = inspect(home, era, target, "--method", "tools/list", "--strict")
    assert code == 0
    assert {tool["name"] for tool in output["result"]["tools"]} >= NAMES
    call = ["--method", "tools/call", "--tool-name", "phone_do", "--tool-args-json"]
    code, output = inspect(home, era, target, *call, json.dumps({"steps": STEPS}))
    assert code == 0
    assert output["result"]["content"][0]["text"].startswith("3 of 3 done.\n")
    nothing_left(home)
