"""A gateway that stood still."""

import asyncio

import pytest

from handheld.fleet.standstill import LOOK_EVERY, SETTLED_AFTER, StallDetector
from harness.manual_clock import ManualClock


@pytest.mark.parametrize("awake_first", [True, False])
async def test_a_standstill_is_told_of_for_a_second_after_it(awake_first: bool) -> None:
    clock = ManualClock()
    standstill = StallDetector(clock, 5.0)
    assert standstill.just_ended() == 0  # it does not look yet
    looking = asyncio.create_task(standstill.run())
    await clock.until_waits(LOOK_EVERY)
    for _ in range(20):
        await clock.advance(LOOK_EVERY)
        assert standstill.just_ended() == 0
    clock._now += 42.0
    if awake_first:
        await clock.advance(0)
    # Else a request is read before the task that looks goes on.
    assert standstill.just_ended() == pytest.approx(42.0, abs=LOOK_EVERY)
    await clock.advance(SETTLED_AFTER)
    assert standstill.just_ended() > 0
    await clock.advance(LOOK_EVERY)
    assert standstill.just_ended() == 0
    looking.cancel()


async def test_short_pauses_are_no_standstill() -> None:
    clock = ManualClock()
    standstill = StallDetector(clock, 5.0)
    looking = asyncio.create_task(standstill.run())
    await clock.until_waits(LOOK_EVERY)
    for _ in range(10):
        clock._now += 4.9
        assert standstill.just_ended() == 0
    looking.cancel()
