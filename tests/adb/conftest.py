"""A phone with a shell and files, through both kinds of link."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from adb_peer import FEATURES, Service, echo, reach, shell, sync

from handheld.adb.link import Link
from harness.polling import HANG


@pytest.fixture(params=["direct", "server"])
def way(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=["v1", "v2"])
async def link(
    request: pytest.FixtureRequest, way: str, tmp_path: Path
) -> AsyncGenerator[Link, None]:
    """A phone whose files are in `tmp_path / "phone"`."""
    root = tmp_path / "phone"
    root.mkdir()
    services: dict[str, Service] = {"shell,v2,raw:": shell, "echo:": echo, "sync:": sync(root)}
    features = FEATURES if request.param == "v2" else ("shell_v2",)
    async with asyncio.timeout(HANG), reach(way, services, features) as link:
        yield link
