"""Waiting for an app to come to the front."""

from ...world import World


def is_in_front(world: World, package: str) -> bool:
    """Its own task counts, also while Android shows a dialog in it."""
    front = world.foreground
    return front is not None and package in (front[0], world.tasks.began)


async def wait_for_front(world: World, package: str, until: float) -> tuple[str, str] | None:
    """Return the package and activity in front as soon as they are the app's, or when the time is
    up; None for nothing."""
    while True:
        seq, left = world.automation.seq, until - world.clock.now()
        if is_in_front(world, package) or left <= 0:
            return world.foreground
        await world.automation.wait_changed(seq, left)
