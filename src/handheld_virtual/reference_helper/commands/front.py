"""Waiting for an app to come to the front."""

from ...world import World


def is_in_front(world: World, package: str) -> bool:
    """Whether the app's task is in front, even if Android shows a dialog in it."""
    front = world.foreground
    return front is not None and package in (front[0], world.tasks.began)


async def wait_for_front(world: World, package: str, until: float) -> tuple[str, str] | None:
    """Wait for the app until the given time. Return the package and activity in front, or None."""
    while True:
        seq, left = world.automation.seq, until - world.clock.now()
        if is_in_front(world, package) or left <= 0:
            return world.foreground
        await world.automation.wait_changed(seq, left)
