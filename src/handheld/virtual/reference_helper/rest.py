"""A call's `then`: after the action, wait until the screen rests and read it."""

from typing import TYPE_CHECKING, Any

from ...helper.protocol import Then

if TYPE_CHECKING:
    from .helper import Helper
    from .job import Job


async def rest(
    helper: "Helper", job: "Job", then: Then, before: int, found: dict[str, Any]
) -> None:
    """Wait for the first change after the count `before`, then until nothing changes. What is known
    so far is put into `found`: the wait may be stopped at any moment."""
    clock = helper.world.clock
    last = clock.now() + then.most_ms
    seq = await _await_change(helper, job, before, min(clock.now() + then.first_ms, last))
    found["changed"] = seq > before
    settled = seq <= before
    while not settled and clock.now() < last:
        quiet = clock.now() + then.quiet_ms
        known, seq = seq, await _await_change(helper, job, seq, min(quiet, last))
        settled = seq <= known and quiet <= last
    found["settled"] = settled


async def _await_change(helper: "Helper", job: "Job", after: int, until: float) -> int:
    automation, clock = helper.world.automation, helper.world.clock
    if automation.seq <= after:
        await job.wait(automation.wait_changed(after, until - clock.now()))
    return automation.seq
