"""Waiting for the screen: until an element is there, until nothing moves any more."""

from dataclasses import dataclass
from typing import Protocol

from ..clock import Clock
from ..driver import Restless
from ..errors import ActionFailed, TimedOut
from ..ui.fingerprint import Fingerprint, fingerprint, similarity
from ..ui.model import Screen
from ..ui.search import Place, find

LOOK_MS = 500
"""Between looks, when the phone reports no change."""
LEAST_PAUSE_MS = 50
"""Between two reads, however much changes: the phone has other things to do."""
SNAPSHOT_MS = 500
"""Between the two screens that are compared."""


class Watched(Protocol):
    """What is waited on: a phone's driver, or the part of it that reads."""

    async def read_screen(self) -> Screen: ...

    async def changed(self, after: int, within_ms: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Sought:
    """How the wait for an element ended."""

    elapsed_ms: int
    attempts: int
    screen: Screen
    """The last one read."""
    place: Place | None


@dataclass(frozen=True, slots=True)
class Rest:
    """How the wait for rest ended."""

    elapsed_ms: int
    idle: bool
    similarity: int | None
    """Of the last two screens that were compared; None when there were no two."""
    unseen: str = ""
    """What was missing of the last screen."""


class Watch:
    """Time since it was made, and a bound on it; all in milliseconds."""

    def __init__(self, clock: Clock, timeout_ms: int) -> None:
        self._clock = clock
        self._start = clock.now()
        self._timeout = timeout_ms

    @property
    def elapsed(self) -> float:
        return (self._clock.now() - self._start) * 1000

    @property
    def left(self) -> float:
        return self._timeout - self.elapsed

    async def sleep(self, ms: float) -> None:
        """No longer than to the bound."""
        await self._clock.sleep(max(0.0, min(ms, self.left)) / 1000)

    @property
    def shown(self) -> int:
        # Rounded first: a clock of seconds gives 499.99999999 for 500.
        return int(round(self.elapsed, 3))


async def wait_for_element(
    driver: Watched, clock: Clock, by: str, value: str, timeout_ms: int
) -> Sought:
    """Look again when the phone reports a change, and at least every 500 ms.

    A screen that cannot be read just now is looked at again; if it is so at the end, that is the
    error.
    """
    watch = Watch(clock, timeout_ms)
    attempts = 0
    while True:
        attempts += 1
        began = watch.elapsed
        screen: Screen | None = None
        failure: ActionFailed | TimedOut | None = None
        try:
            screen = await driver.read_screen()
        except (ActionFailed, TimedOut) as problem:
            failure = problem
        if screen is not None and (places := find(screen, by, value)):
            return Sought(watch.shown, attempts, screen, places[0])
        took = watch.elapsed - began
        pause = max(float(LEAST_PAUSE_MS), took)
        settled = isinstance(failure, Restless) or (screen is not None and screen.settled)
        if settled:
            pause = 0.0  # the reading itself waited for rest
        rested = watch.left >= pause
        await watch.sleep(pause)
        rest = min(max(0.0, LOOK_MS - took - pause), watch.left)
        if screen is None or settled:
            await watch.sleep(rest)
            changed = False
        else:
            seq = await driver.changed(screen.seq, max(0, round(rest)))
            changed = seq > screen.seq
        # What changed at the very end is still looked at, unless that were too soon.
        if watch.left < 1 and not (changed and rested):
            if screen is None:
                raise failure or AssertionError("unreachable")
            return Sought(watch.shown, attempts, screen, None)


async def wait_for_idle(driver: Watched, clock: Clock, percentage: int, timeout_ms: int) -> Rest:
    """Idle: two screens in a row, 500 ms apart, that are alike to that percentage.

    A window that gives no content is in motion, or frozen: such a screen is like no other.
    """
    watch = Watch(clock, timeout_ms)
    before: Fingerprint | None = None
    alike: int | None = None
    unseen = ""
    while True:
        failure: ActionFailed | TimedOut | None = None
        now: Fingerprint | None = None
        try:
            screen = await driver.read_screen()
        except (ActionFailed, TimedOut) as problem:
            failure = problem
        else:
            now = None if screen.missing else fingerprint(screen)
            unseen = screen.unseen
        if before is not None and now is not None:
            alike = similarity(before, now)
            if alike >= percentage:
                return Rest(watch.shown, True, alike)
        before = now
        enough = watch.left >= SNAPSHOT_MS
        await watch.sleep(SNAPSHOT_MS)
        if not enough:
            if failure is not None:
                raise failure
            return Rest(watch.shown, False, alike, unseen)
