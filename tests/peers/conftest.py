"""The peers are other people's programs: they judge when they are asked to, by `make peers`."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from peering import Rig, rig, unlisted


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("HANDHELD_PEERS") == "1":
        return
    skip = pytest.mark.skip(reason="Other people's programs are judges on request: make peers")
    for item in items:
        if item.get_closest_marker("needs_peers"):
            item.add_marker(skip)


@pytest.fixture(name="rig", params=[28, 30, 34], ids=lambda api: f"api{api}")
async def _rig(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[Rig]:
    """Once a peer is done, all that it sent must be on the list of what peers send."""
    async with rig(tmp_path, request.param) as ready:
        yield ready
        assert unlisted(request.module.PEER, ready.phone.opened) == []
