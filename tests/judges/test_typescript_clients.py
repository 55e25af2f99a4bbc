"""The two TypeScript client libraries, the newer one in both eras, over HTTP and stdio."""

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from judging import (
    HANDHELD,
    KILLED,
    NODE_TOOLS,
    TOKEN,
    TOOLS,
    Served,
    environment,
    nothing_left,
    serving,
)

from harness.polling import HANG

pytestmark = pytest.mark.needs_node

CLIENTS = pytest.mark.parametrize(
    ("client", "version"),
    [("sdk", "2025-11-25"), ("client", "2025-11-25"), ("client-auto", "2026-07-28")],
)
CALLS: list[dict[str, Any]] = [
    {"name": "android_press_home", "arguments": {}},
    {"name": "android_tap", "arguments": {"x": 500, "y": 1000}},
    {"name": "android_tap", "arguments": {"x": 500}},
    {"name": "android_open_app", "arguments": {"package_id": "com.android.calculator2"}},
    {"name": "android_get_screen_state", "arguments": {"include_screenshot": True}},
    {"name": "android_fly", "arguments": {}},
]


def run_plan(home: Path, **plan: object) -> Any:
    """Return the output of the client."""
    run = subprocess.run(
        ["node", NODE_TOOLS / "client.mjs", json.dumps(plan)],
        env=environment(home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=HANG,
        check=False,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout)


@pytest.fixture(params=["http", "stdio"])
def target(request: pytest.FixtureRequest, node_tools: Path, home: Path) -> dict[str, object]:
    if request.param == "http":
        server: Served = request.getfixturevalue("served")
        return {"url": server.url, "token": TOKEN}
    command = [*HANDHELD, "stdio", "--surface", "main", "--phone", "virtual"]
    return {"command": command, "environment": environment(home)}


@CLIENTS
def test_a_typescript_client_lists_and_calls(
    client: str, version: str, target: dict[str, object], home: Path
) -> None:
    seen = run_plan(home, client=client, calls=CALLS, **target)
    nothing_left(home)
    unknown = seen["replies"].pop()["error"]
    screen = seen["replies"].pop()
    assert seen == {
        "version": version,
        "server": "handheld",
        "tools": TOOLS,
        "replies": [
            reply_of("Home button press executed successfully"),
            reply_of("Tap executed at (500, 1000)"),
            reply_of("Missing required parameter: 'y'", failed=True),
            reply_of("App opened successfully: com.android.calculator2"),
        ],
    }
    assert unknown["code"] == -32602
    assert unknown["message"].removeprefix("MCP error -32602: ") == "Unknown tool: android_fly"
    text, picture = screen["content"]
    assert (text["type"], picture["type"], screen["isError"]) == ("text", "image", False)
    assert "pkg:com.android.calculator2 " in text["text"]
    assert picture["mimeType"] == "image/jpeg"
    assert base64.b64decode(picture["data"]).startswith(b"\xff\xd8\xff")


@CLIENTS
def test_a_typescript_client_with_a_wrong_token_is_rejected(
    client: str, version: str, node_tools: Path, served: Served, home: Path
) -> None:
    seen = run_plan(home, client=client, calls=[], url=served.url, token="not-the-token")
    assert list(seen) == ["refused"]
    assert seen["refused"]["status"] == 401


@CLIENTS
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_call_aborted_by_a_typescript_client_is_cancelled(
    client: str, version: str, transport: str, node_tools: Path, home: Path
) -> None:
    calls = [
        {"name": "go_on", "arguments": {}, "abort_when": str(home / "begun")},
        {"name": "is_over", "arguments": {}},
    ]
    patient = Path(__file__).with_name("patient.py")
    command = [sys.executable, str(patient), str(home)]
    given = environment(home, PYTHONPATH=str(patient.parent.parent))  # where the tests' modules are
    if transport == "http":
        with serving(command, home, given, ends=KILLED) as server:
            seen = run_plan(home, client=client, calls=calls, url=server.url)
    else:
        seen = run_plan(home, client=client, calls=calls, command=command, environment=given)
        nothing_left(home)
    assert (seen["version"], seen["replies"]) == (
        version,
        [{"aborted": True}, reply_of("cancelled")],
    )


def reply_of(text: str, *, failed: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": failed}
