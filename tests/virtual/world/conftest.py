"""A phone whose clock the test controls, and a finger."""

import pytest

from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World

from .finger import Finger


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def world(clock: ManualClock) -> World:
    return World(clock=clock)


@pytest.fixture
def finger(world: World) -> Finger:
    return Finger(world)
