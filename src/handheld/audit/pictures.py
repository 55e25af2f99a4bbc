"""Small pictures of the screen before and after actions. They never delay a reply.

The picture before an action is the newest one available: the screen is watched for a while after an
action, so the next action finds a picture of the settled screen.
"""

import asyncio
import logging
from typing import TYPE_CHECKING

from ..clock import Clock
from ..errors import ToolError
from .entry import AuditError, Which
from .log import AuditLog

if TYPE_CHECKING:
    from ..phone.phone import Phone

SIZE = 240
"""Pixels of the longer side."""
_QUALITY = 60
_REST_SECONDS = 0.25
"""Movement that an action causes has mostly ended after this time."""
_PAUSE_SECONDS = 0.5
"""Minimum time between two pictures."""
_WATCH_SECONDS = 60.0
_LOOK_MS = 5000

_log = logging.getLogger(__name__)


class Pictures:
    def __init__(self, log: AuditLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._newest: dict[str, bytes] = {}
        """The newest picture of each phone, by serial, as in the other tables."""
        self._wanted: dict[str, int] = {}
        """The last action on each phone; 0 if no picture is wanted."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unended: set[asyncio.Task[None]] = set()
        """These tasks, and cancelled ones that have not ended yet."""

    def before(self, phone: "Phone", id: int) -> None:
        """An action begins: from now on the screen no longer shows only the result of earlier
        actions. `id` is 0 if no picture is wanted."""
        task = self._tasks.pop(phone.serial, None)
        if task is not None:
            task.cancel()
        newest = self._newest.pop(phone.serial, None)
        self._wanted[phone.serial] = id
        if newest is not None and id:
            self._keep(id, "before", newest)

    def after(self, phone: "Phone", id: int) -> None:
        """The action ended. This waits for nothing."""
        if id and self._wanted.get(phone.serial) == id:
            task = asyncio.create_task(self._watch(phone, id))
            self._tasks[phone.serial] = task
            self._unended.add(task)
            task.add_done_callback(self._unended.discard)

    async def aclose(self) -> None:
        tasks = list(self._unended)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, phone: "Phone", id: int) -> None:
        try:
            async with self._clock.timeout(_WATCH_SECONDS):
                await self._clock.sleep(_REST_SECONDS)
                seen = await phone.driver.changed(0, 0)
                await self._look(phone)
                if phone.serial in self._newest:
                    self._keep(id, "after", self._newest[phone.serial])
                while True:
                    now = await phone.driver.changed(seen, _LOOK_MS)
                    # Some drivers return immediately.
                    await self._clock.sleep(_PAUSE_SECONDS)
                    if now != seen:
                        seen = now
                        await self._look(phone)
        except TimeoutError:
            self._newest.pop(phone.serial, None)  # the screen may have changed by now
        except ToolError as problem:
            self._newest.pop(phone.serial, None)
            _log.debug("No picture of %s: %s", phone.serial, problem.message)

    async def _look(self, phone: "Phone") -> None:
        self._newest.pop(phone.serial, None)
        # Checked before and after the picture: an app whose screen is masked may appear or
        # disappear meanwhile.
        before = await phone.driver.read_screen()
        picture = await phone.driver.capture(SIZE, "jpeg", _QUALITY)
        after = await phone.driver.read_screen()
        if not picture.secure and not any(map(self._log.masks.hides, (before, after))):
            self._newest[phone.serial] = picture.data

    def _keep(self, id: int, which: Which, jpeg: bytes) -> None:
        try:
            self._log.picture(id, which, jpeg)
        except AuditError as problem:
            _log.warning("%s A picture is not kept.", problem)
