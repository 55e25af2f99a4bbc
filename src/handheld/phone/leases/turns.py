"""Turns: one action at a time on a phone. A person comes first, and callers take turns."""

from collections.abc import Callable

from ...clock import Clock
from ...errors import TimedOut
from ...helper.cancellation import EndsLater
from .shares import RoundRobin

PATIENCE = 30.0
"""The seconds that an action waits for its turn."""
GIVE_WAY_SECONDS = 0.5
"""The time that a person waits before an agent's action is stopped."""

GiveWay = Callable[[], object]
"""Stops the action that has the turn."""


class Turns:
    def __init__(self, patience: float, clock: Clock) -> None:
        self._patience = patience
        self._clock = clock
        self._held = False
        self._persons = RoundRobin()
        self._waiting = RoundRobin()
        self._holder = ""
        self._since = 0.0
        self._give_way: GiveWay | None = None
        """The holder's function that stops its action."""

    def take(
        self,
        call: str,
        caller: str = "",
        *,
        person: bool = False,
        give_way: GiveWay | None = None,
    ) -> "Turn":
        """`person`: a person's action goes before all waiting ones, and the holder's `give_way` is
        called if the holder does not end soon."""
        return Turn(self, call, caller, person, give_way)

    async def begin(self, call: str, caller: str, person: bool, give_way: GiveWay | None) -> None:
        """Raises TimedOut."""
        if self._held:
            await self._wait(call, caller, person)
        self._held = True
        self._holder, self._since = call, self._clock.now()
        self._give_way = None if person else give_way

    async def _wait(self, call: str, caller: str, person: bool) -> None:
        ready = self._persons.join("") if person else self._waiting.join(caller)
        timer = self._clock.call_later(GIVE_WAY_SECONDS, self._make_way) if person else None
        try:
            async with self._clock.timeout(self._patience):
                await ready
        except BaseException as stop:
            if ready.done() and not ready.cancelled():
                self.end()  # the turn was granted at the same moment
            if not isinstance(stop, TimeoutError):
                raise
            held = self._clock.now() - self._since
            raise TimedOut(
                f"The phone is busy: {self._holder} has been using it for {held:.0f} s, and {call}"
                f" waited {self._patience:.0f} s for its turn. Nothing was done. Try again when"
                f" {self._holder} has ended."
            ) from None
        finally:
            if timer is not None:
                timer.cancel()

    def _make_way(self) -> None:
        if self._give_way is not None:
            self._give_way()

    def end(self) -> None:
        self._give_way = None
        # The turn stays taken for the next in line: a new caller must not pass those who wait.
        self._held = self._persons.let_next() or self._waiting.let_next()


class Turn:
    """A turn, for the duration of an `async with`."""

    __slots__ = ("_call", "_caller", "_give_way", "_person", "_turns")

    def __init__(
        self, turns: Turns, call: str, caller: str, person: bool, give_way: GiveWay | None
    ) -> None:
        self._turns = turns
        self._call = call
        self._caller = caller
        self._person = person
        self._give_way = give_way

    async def __aenter__(self) -> None:
        await self._turns.begin(self._call, self._caller, self._person, self._give_way)

    async def __aexit__(self, _: object, problem: BaseException | None, __: object) -> None:
        if isinstance(problem, EndsLater):
            problem.when_over(self._turns.end)
        else:
            self._turns.end()
