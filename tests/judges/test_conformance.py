"""The official MCP conformance suite. A baseline lists what the server does not support: an
exception that starts to pass fails the run, and so does any other failure or warning."""

import subprocess
from pathlib import Path

import pytest
from judging import NODE_TOOLS, Served, environment

pytestmark = pytest.mark.needs_node

HERE = Path(__file__).parent


def judge(package: str, server: Served, home: Path, *options: str) -> None:
    script = NODE_TOOLS / "node_modules" / package / "dist" / "index.js"
    run = subprocess.run(
        ["node", script, "server", "--url", server.url, *options],
        env=environment(home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        check=False,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_server_conforms_except_for_unsupported_features(
    revision: str, node_tools: Path, fixture_served: Served, home: Path
) -> None:
    baseline = HERE / f"baseline-{revision}.yml"
    options = ["--requirements", revision, "--expected-failures", str(baseline)]
    judge("@modelcontextprotocol/conformance", fixture_served, home, *options, "--timeout", "60000")


def test_the_server_conforms_by_the_stable_suite(
    node_tools: Path, fixture_served: Served, home: Path
) -> None:
    baseline = HERE / "baseline-2025-11-25.yml"
    options = ["--suite", "all", "--expected-failures", str(baseline)]
    judge("conformance-stable", fixture_served, home, *options)
