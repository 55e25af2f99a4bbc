"""A call's `then`: after the action, wait until the screen is at rest, and read it."""

from typing import TYPE_CHECKING, Any

from handheld.helper.protocol import TICKER_MS, Then

from ...world import World

if TYPE_CHECKING:
    from ...views.view import View
    from ..helper import Helper
    from .job import Job


class Before:
    """The count of changes just before the action, without those of ticking texts."""

    def __init__(self, world: World) -> None:
        world.settle()
        changes = world.screen.changes
        self.tickers = changes.tickers(TICKER_MS)
        self.seq = changes.count_without(self.tickers)


async def rest(
    helper: "Helper", job: "Job", then: Then, before: Before, found: dict[str, Any]
) -> None:
    """Wait for the first change since `before`, then until nothing changes. Results go into `found`
    as soon as they are known, because the wait may be stopped at any moment."""
    world, clock, ticking = helper.world, helper.world.clock, before.tickers
    last = clock.now() + then.most_ms
    first_ms = min(then.first_ms, then.most_ms)
    seq = await _await_change(world, job, before.seq, first_ms, ticking)
    found["changed"] = seq > before.seq
    settled = seq <= before.seq
    while not settled and clock.now() < last:
        quiet = clock.now() + then.quiet_ms
        left = min(quiet, last) - clock.now()
        known, seq = seq, await _await_change(world, job, seq, left, ticking)
        settled = seq <= known and quiet <= last
    found["settled"] = settled


async def _await_change(
    world: World, job: "Job", after: int, within_ms: float, ticking: "set[View]"
) -> int:
    """Wait for a change other than those of ticking texts; return the count."""
    until, changes = world.clock.now() + within_ms, world.screen.changes
    while True:
        every = world.automation.seq
        seq, left = changes.count_without(ticking), until - world.clock.now()
        if seq > after or left <= 0:
            return seq
        await await_change(world, job, every, left)


async def await_change(world: World, job: "Job", after: int, within_ms: float) -> int:
    """Wait until the count of changes exceeds `after`, or for `within_ms`; return the count."""
    if world.automation.seq <= after:
        await job.wait(world.automation.wait_changed(after, within_ms))
    return world.automation.seq
