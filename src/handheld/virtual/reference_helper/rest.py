"""A call's `then`: after the action, wait until the screen rests and read it."""

from typing import TYPE_CHECKING, Any

from ...helper.protocol import Then
from ..world import World

if TYPE_CHECKING:
    from .helper import Helper
    from .job import Job


async def rest(
    helper: "Helper", job: "Job", then: Then, before: int, found: dict[str, Any]
) -> None:
    """Wait for the first change after the count `before`, then until nothing changes. What is known
    so far is put into `found`: the wait may be stopped at any moment."""
    world, clock = helper.world, helper.world.clock
    last = clock.now() + then.most_ms
    seq = await await_change(world, job, before, min(then.first_ms, then.most_ms))
    found["changed"] = seq > before
    settled = seq <= before
    while not settled and clock.now() < last:
        quiet = clock.now() + then.quiet_ms
        known, seq = seq, await await_change(world, job, seq, min(quiet, last) - clock.now())
        settled = seq <= known and quiet <= last
    found["settled"] = settled


async def await_change(world: World, job: "Job", after: int, within_ms: float) -> int:
    """Wait until the count of changes exceeds `after`, or for that long; return the count."""
    if world.automation.seq <= after:
        await job.wait(world.automation.wait_changed(after, within_ms))
    return world.automation.seq
