"""The peers are other people's programs: they judge only for `make judges WHAT=peers`."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from peering import PeerPhone, rig, unlisted


@pytest.fixture(name="rig", params=[28, 30, 34], ids=lambda api: f"api{api}")
async def _rig(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[PeerPhone]:
    """Once a peer is done, all that it sent must be on the list of what peers send."""
    async with rig(tmp_path, request.param) as ready:
        yield ready
        assert unlisted(request.module.PEER, ready.api, ready.phone.opened) == []
