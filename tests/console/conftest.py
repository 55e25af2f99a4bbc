"""One server for a module's tests."""

from collections.abc import AsyncGenerator

import pytest

from .rig import Person, Rig, open_rig


@pytest.fixture(scope="module")
async def rig(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig]:
    async with open_rig(tmp_path_factory.mktemp("home")) as rig:
        yield rig


@pytest.fixture
async def person(rig: Rig) -> Person:
    return await rig.person()
