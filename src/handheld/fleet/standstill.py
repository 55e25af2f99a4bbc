"""Notices that this process was suspended. A request that waited in a socket meanwhile may come
from a client that left long ago and has since acted through another gateway."""

from ..clock import Clock

LOOK_EVERY = 0.5
SETTLED_AFTER = 1.0
"""Seconds after which everything that arrived meanwhile has been read."""


class StallDetector:
    def __init__(self, clock: Clock, longest: float) -> None:
        """Pauses of up to `longest` seconds do not count."""
        self._clock = clock
        self._longest = longest
        self._looked: float | None = None
        self._ended, self._stood = 0.0, 0.0

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            self._look()
            await self._clock.sleep(LOOK_EVERY)

    def _look(self) -> None:
        now = self._clock.now()
        if self._looked is not None and now - self._looked > self._longest:
            self._ended, self._stood = now, now - self._looked
        self._looked = now

    def just_ended(self) -> float:
        """How many seconds it was suspended, if that has just ended; otherwise 0."""
        if self._looked is not None:
            self._look()  # requests are read before `run` continues
        return self._stood if self._clock.now() - self._ended <= SETTLED_AFTER else 0.0
