"""What the programs do not import when they start: libraries that only some requests need. `make
bench ONLY=imports` shows what each module costs."""

import json
import re
import subprocess
import sys

import pytest

from cli.program import SECONDS, Home, Program

RARE = {"mcp", "mcp_types", "pydantic", "starlette", "httpx", "httpcore", "PIL", "nats"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def start(home: Home, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "handheld", *arguments],
        env=home.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def imported(report: str) -> set[str]:
    """The packages that Python reported."""
    names = re.findall(r"^import time: +\d+ \| +\d+ \| +(\w+)", report, re.MULTILINE)
    assert "handheld" in names
    return set(names)


@pytest.mark.matrix
def test_a_stdio_server_answers_without_the_libraries_of_rare_requests(home: Home) -> None:
    with start(home, "stdio", "--phone", "virtual") as process:
        out, report = process.communicate(json.dumps(HELLO).encode() + b"\n", SECONDS)
    assert json.loads(out)["result"]["serverInfo"]
    assert imported(report.decode()) & {*RARE, "uvicorn", "h11", "httptools"} == set()


@pytest.mark.matrix
def test_a_server_is_ready_without_the_libraries_of_rare_requests(home: Home) -> None:
    with start(home, "serve", "--phone", "virtual", "--port", "0") as process:
        program = Program(process)
        program.until("Handheld serves MCP at ")
        process.terminate()
        report = program.ended()
    assert imported(report) & RARE == set()
