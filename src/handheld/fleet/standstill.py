"""Notices that this process stood still: a request that waited in a socket meanwhile may be of a
client that has gone long ago, and that has acted through another gateway since."""

from ..clock import Clock

LOOK_EVERY = 0.5
SETTLED_AFTER = 1.0
"""Seconds after which nothing that came meanwhile is still unread."""


class Standstill:
    def __init__(self, clock: Clock, longest: float) -> None:
        """`longest`: seconds that are not taken for one."""
        self._clock = clock
        self._longest = longest
        self._looked: float | None = None
        self._ended, self._stood = 0.0, 0.0

    async def run(self) -> None:
        """Look until it is cancelled."""
        while True:
            self._look()
            await self._clock.sleep(LOOK_EVERY)

    def _look(self) -> None:
        now = self._clock.now()
        if self._looked is not None and now - self._looked > self._longest:
            self._ended, self._stood = now, now - self._looked
        self._looked = now

    def just_ended(self) -> float:
        """How many seconds it stood still, if that has just ended; else 0."""
        if self._looked is not None:
            self._look()  # requests are read before `run` goes on
        return self._stood if self._clock.now() - self._ended <= SETTLED_AFTER else 0.0
