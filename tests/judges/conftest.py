"""Servers under test, and the external tools that test them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import HANDHELD, KILLED, NODE_TOOLS, TOKEN, Served, environment, need, serving

import conformance_tools


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A temporary home folder."""
    return tmp_path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`handheld serve` with a virtual phone and a token."""
    home = tmp_path_factory.mktemp("served")
    given = environment(home, HANDHELD_TOKEN=TOKEN)
    with serving([*HANDHELD, "serve", "--phone", "virtual"], home, given, TOKEN) as server:
        yield server


@pytest.fixture(scope="module")
def fixture_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The same server with the tools that the conformance suite requires, and no token."""
    home = tmp_path_factory.mktemp("fixture")
    command = [sys.executable, conformance_tools.__file__]
    with serving(command, home, environment(home), ends=KILLED) as server:
        yield server


@pytest.fixture(scope="session")
def node_tools() -> Path:
    """The folder with node and the commands of the npm packages."""
    tools = NODE_TOOLS / "node_modules" / ".bin"
    need(tools / "node", "Install it: make node-tools")
    return tools
