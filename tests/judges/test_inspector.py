"""The MCP inspector on the command line. Exit codes: 0 success, 3 no permission, 5 tool failure."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from judging import HANDHELD, TOKEN, TOOLS, Served, environment, nothing_left

from harness.polling import HANG

pytestmark = pytest.mark.needs_node

ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])
TAP = ["--method", "tools/call", "--tool-name", "android_tap", "--tool-args-json"]


def inspect(home: Path, era: str, target: Sequence[str], *options: str) -> tuple[int, Any]:
    """Return the exit code, and the result or error printed."""
    run = subprocess.run(
        ["inspector", "--cli", *target, "--protocol-era", era, "--format", "json", *options],
        env=environment(home, MCP_CATALOG_PATH=str(home / "catalog.json")),
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=HANG,
        check=False,
        encoding="utf-8",
    )
    output = run.stdout if run.stdout.strip() else run.stderr.strip().splitlines()[-1]
    return run.returncode, json.loads(output)


def over_http(server: Served, token: str = TOKEN) -> list[str]:
    header = f"Authorization: Bearer {token}"
    return [server.url, "--transport", "http", "--header", header, "--stored-auth-only"]


def over_stdio(home: Path) -> list[str]:
    variables = ["-e", f"HANDHELD_HOME={home / 'handheld'}", "-e", "HANDHELD_PHONE=virtual"]
    return [*HANDHELD, "stdio", "--surface", "main", *variables]


@pytest.fixture(params=["http", "stdio"])
def target(request: pytest.FixtureRequest, node_tools: Path, home: Path) -> list[str]:
    if request.param == "stdio":
        return over_stdio(home)
    return over_http(request.getfixturevalue("served"))


@ERAS
def test_every_schema_is_portable(era: str, target: list[str], home: Path) -> None:
    code, output = inspect(home, era, target, "--method", "tools/list", "--strict")
    names = [tool["name"] for tool in output["result"]["tools"]]
    assert (code, names) == (0, TOOLS)
    nothing_left(home)


@ERAS
def test_a_tap_returns_one_text(era: str, target: list[str], home: Path) -> None:
    code, output = inspect(home, era, target, *TAP, '{"x": 500, "y": 1000}')
    content = output["result"]["content"]
    assert (code, content) == (0, [{"type": "text", "text": "Tap executed at (500, 1000)"}])
    nothing_left(home)


@ERAS
def test_a_failed_call_has_its_own_exit_code(era: str, target: list[str], home: Path) -> None:
    code, output = inspect(home, era, target, *TAP, '{"x": 500}')
    text = "Missing required parameter: 'y'"
    assert (code, output["result"]["content"]) == (5, [{"type": "text", "text": text}])
    nothing_left(home)


@ERAS
def test_a_wrong_token_is_rejected(era: str, node_tools: Path, served: Served, home: Path) -> None:
    target = over_http(served, "not-the-token")
    code, output = inspect(home, era, target, "--method", "tools/list")
    assert (code, output["error"]["code"]) == (3, "auth_required")
