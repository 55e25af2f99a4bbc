"""What the programs do not import when they start: libraries that only some requests need. `make
bench ONLY=imports` shows what each module costs."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from cli.program import Home, Program
from harness.polling import HANG

RARE = {"mcp", "mcp_types", "pydantic", "starlette", "httpx", "httpcore", "PIL", "nats"}
SERVER = ("stdio", "--phone", "virtual")
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


def start(
    home: Home, *arguments: str, errors: int | IO[bytes] = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "handheld", *arguments],
        env=home.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
    )


def imported(report: str) -> set[str]:
    """The packages that Python reported."""
    names = re.findall(r"^import time: +\d+ \| +\d+ \| +(\w+)", report, re.MULTILINE)
    assert "handheld" in names
    return set(names)


@pytest.mark.matrix
def test_a_stdio_server_answers_without_the_libraries_of_rare_requests(home: Home) -> None:
    with start(home, *SERVER) as process:
        out, report = process.communicate(json.dumps(HELLO).encode() + b"\n", HANG)
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


WORK = re.compile(
    r"^import time: +\d+ \| +\d+ \| +(handheld\.(?:phone|driver|calls)\.(?:"
    r"content_|crash|device_|devtools|install|intent_|intents_|issued_not|issued_pages|keyboard|knobs"
    r"|measure|movi|not\w+_dump|originals|package_|performance|phone_numbers|phone_time"
    r"|recorder|recording_|screenrecord|shell_|helper_|fallback|course|video_|web_)\w*"
    r"|handheld\.phone\.(?:cameras|device|frames|intents|notifications|personal\.(?!sms)\w+|recording)"
    r"|handheld\.app_functions[.\w]*)$",
    re.MULTILINE,
)
"""What does the work of tools that most sessions do not call."""
MOST_MODULES = 306
"""Of our own up to the first reply. One more for a new tool is fine; ten are not."""


@pytest.mark.matrix
def test_a_stdio_server_answers_without_what_few_tools_need(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "report"
    with file.open("wb") as errors, start(home, *SERVER, errors=errors) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]
        report = file.read_text(encoding="utf-8")
        process.communicate(timeout=HANG)
    assert WORK.findall(report) == []
    own = re.findall(r"^import time: +\d+ \| +\d+ \| +handheld[.\w]*$", report, re.MULTILINE)
    assert len(own) <= MOST_MODULES
