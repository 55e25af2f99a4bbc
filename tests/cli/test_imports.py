"""What the programs do not import when they start: libraries that only some requests need. `make
bench ONLY=imports` shows what each module costs."""

import importlib.util
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


WORK = (
    *("app_functions", "calls.course"),
    *("driver.by_helper", "driver.devtools", "driver.fallback", "driver.reading"),
    *("driver.by_adb.install", "driver.by_adb.measurement", "driver.by_adb.screenrecord"),
    *("phone.apps.crashes", "phone.apps.installing", "phone.apps.performance"),
    *("phone.device.device", "phone.intents.intents", "phone.notifications.notifications"),
    *("phone.personal.personal", "phone.video", "phone.web.web_pages"),
)
"""Modules and packages that do the work of tools that most sessions do not call."""
MOST_MODULES = 307
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
    own = re.findall(r"^import time: +\d+ \| +\d+ \| +(handheld[.\w]*)$", report, re.MULTILINE)
    assert [
        name for name in own if name.startswith(tuple(f"handheld.{work}" for work in WORK))
    ] == []
    assert len(own) <= MOST_MODULES


@pytest.mark.parametrize("work", WORK)
def test_the_work_of_rare_tools_is_where_the_list_says(work: str) -> None:
    assert importlib.util.find_spec(f"handheld.{work}") is not None
