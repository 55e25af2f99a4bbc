"""A virtual phone's clock for tests in which other threads and programs use the phone."""

import asyncio

from handheld.tasks.phone_time import LONGEST_PAUSE_MS
from handheld_virtual.system.clock import ManualClock


class PassingClock(ManualClock):
    """Time passes when the phone waits, and only then: the clock moves on to what is due next. A
    limit, which is a longer wait, stays pending however slow the machine is."""

    def __init__(self) -> None:
        super().__init__()
        self._passing: asyncio.Task[None] | None = None

    async def sleep(self, ms: float) -> None:
        if self._passing is None or self._passing.done():
            self._passing = asyncio.create_task(self._pass())
        await super().sleep(ms)

    async def _pass(self) -> None:
        await asyncio.sleep(0)  # until the sleep has begun
        while (due := self.due) is not None and due - self.now() <= LONGEST_PAUSE_MS:
            await self.advance(due - self.now())
            await asyncio.sleep(0)
