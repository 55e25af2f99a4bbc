"""Time on the phone of a task."""

from handheld.cli.cost import estimate
from handheld.tasks.book import TASKS
from handheld.tasks.phone_time import passing
from handheld.tasks.playing import by_policy, play_task
from handheld.tasks.policies import POLICIES
from handheld_virtual.system.clock import ManualClock, RealClock


async def test_a_manual_clock_moves_on_by_what_is_waited_for_and_no_more() -> None:
    clock = ManualClock()

    async def call() -> str:
        await clock.sleep(2500)
        await clock.sleep(10)
        return "done"

    assert await passing(clock, call()) == "done"
    assert clock.now() == 2510


async def test_a_faster_clock_runs_that_many_times_as_fast() -> None:
    clock = RealClock(speed=1_000_000)
    await clock.sleep(60_000)
    assert clock.now() >= 60_000


async def test_a_page_takes_its_time_on_the_phone_and_none_of_ours() -> None:
    play = by_policy(POLICIES["oracle"], "agent")
    played = await play_task(TASKS["news-to-note"], 1, play, estimate, speed=None)
    assert played.success
    assert played.phone_seconds > 6  # two pages that load for 3 s each
