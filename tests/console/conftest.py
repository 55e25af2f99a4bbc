"""One server for all tests of a module."""

from collections.abc import AsyncGenerator

import pytest

from harness.manual_clock import ManualClock

from .rig import Person, Rig, open_rig


@pytest.fixture(scope="module")
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="module")
async def rig(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, clock: ManualClock
) -> AsyncGenerator[Rig]:
    async with open_rig(tmp_path_factory.mktemp("home"), clock=clock) as rig:
        yield rig


@pytest.fixture
async def person(rig: Rig) -> Person:
    return await rig.person()
