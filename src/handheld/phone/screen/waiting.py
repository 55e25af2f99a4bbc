"""Waits for the screen: until an element appears, or until it is idle."""

from dataclasses import dataclass
from typing import Protocol

from ...clock import Clock
from ...driver import Restless
from ...errors import ActionFailed, TimedOut
from ...progress import report
from ...screen.fingerprint import Fingerprint, fingerprint, similarity
from ...screen.model import Screen
from ...screen.search import Place, find

POLL_MS = 500
"""The interval between reads while the phone reports no change."""
LEAST_PAUSE_MS = 50
"""The minimum interval between reads, which limits the load on the phone."""
COMPARE_MS = 500
"""The interval between two compared screens."""


class ScreenReader(Protocol):
    """The part of a driver that reads the screen."""

    async def read_screen(self) -> Screen: ...

    async def changed(self, after: int, within_ms: int) -> int: ...


@dataclass(frozen=True, slots=True)
class ElementWait:
    """The outcome of the wait for an element."""

    elapsed_ms: int
    attempts: int
    screen: Screen
    """The last screen that was read."""
    place: Place | None


@dataclass(frozen=True, slots=True)
class IdleWait:
    """The outcome of the wait for an idle screen."""

    elapsed_ms: int
    idle: bool
    similarity: int = 0
    """The similarity of the last two compared screens."""
    compared: bool = False
    """Whether any two screens could be compared."""
    unseen: str = ""
    """The missing parts of the last screen."""


class Watch:
    """A stopwatch with a time limit, in milliseconds."""

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
        """Sleep, but not beyond the limit."""
        await self._clock.sleep(max(0.0, min(ms, self.left)) / 1000)

    def report(self, message: str) -> None:
        """Report the share of the time that is over as the call's progress."""
        report(min(self.shown, self._timeout), self._timeout, message)

    @property
    def shown(self) -> int:
        # Rounded first: a clock in seconds gives 499.99999999 for 500.
        return int(round(self.elapsed, 3))


async def wait_for_element(
    driver: ScreenReader, clock: Clock, by: str, value: str, timeout_ms: int
) -> ElementWait:
    """Read the screen whenever the phone reports a change, and at least every 500 ms.

    A screen that cannot be read is tried again; if the last read failed too, its error is raised.
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
            return ElementWait(watch.shown, attempts, screen, places[0])
        watch.report("Waiting for the element")
        took = watch.elapsed - began
        pause = max(float(LEAST_PAUSE_MS), took)
        settled = isinstance(failure, Restless) or (screen is not None and screen.settled)
        if settled:
            pause = 0.0  # the read itself waited for an idle screen
        rested = watch.left >= pause
        await watch.sleep(pause)
        rest = min(max(0.0, POLL_MS - took - pause), watch.left)
        if screen is None or settled:
            await watch.sleep(rest)
            changed = False
        else:
            seq = await driver.changed(screen.seq, max(0, round(rest)))
            changed = seq > screen.seq
        # A change at the end of the time is still read, unless the last read was too recent.
        if watch.left < 1 and not (changed and rested):
            if screen is None:
                raise failure or AssertionError("unreachable")
            return ElementWait(watch.shown, attempts, screen, None)


async def wait_for_idle(
    driver: ScreenReader, clock: Clock, percentage: int, timeout_ms: int
) -> IdleWait:
    """Wait until the similarity of two consecutive screens, 500 ms apart, reaches that percentage.

    A window without content is moving or frozen: such a screen is similar to no other.
    """
    watch = Watch(clock, timeout_ms)
    before: Fingerprint | None = None
    alike, compared = 0, False
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
            alike, compared = similarity(before, now), True
            if alike >= percentage:
                return IdleWait(watch.shown, True, alike, compared)
        before = now
        watch.report("Waiting for the screen to rest")
        enough = watch.left >= COMPARE_MS
        await watch.sleep(COMPARE_MS)
        if not enough:
            if failure is not None:
                raise failure
            return IdleWait(watch.shown, False, alike, compared, unseen)
