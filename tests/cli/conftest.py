"""Home folders for programs that a test starts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Home, Program


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """An empty home folder. Every process started there must have exited at the end."""
    home = Home(tmp_path)
    yield home
    assert home.left_behind() == []


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("home"))
    yield home
    assert home.left_behind() == []


@pytest.fixture(scope="module")
def served(shared_home: Home) -> Iterator[Program]:
    """`handheld serve --phone virtual`, for all tests of a module."""
    with shared_home.start("serve", "--phone", "virtual", "--port", "0") as program:
        program.until("Handheld serves MCP at ")
        yield program
    assert "Traceback" not in program.errors
