"""One call on its way through the stages of a surface. It is stopped when the person comes first,
or when it lasts too long, and its reply says how far it came."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..access.request_scope import EVERYTHING, RequestScope
from ..access.takeover import STOPPED, names_of, stopped
from ..audit import Record
from ..clock import SYSTEM_CLOCK, Clock, Timer
from ..errors import ActionFailed, TimedOut, ToolError
from ..helper.cancellation import CANCEL_NOW
from ..tools.call import Caller
from ..tools.duration import BEYOND
from ..tools.tool import Item, Run, Tool

if TYPE_CHECKING:
    from ..phone.leases.lease import Lease, Use
    from ..phone.phone import Phone

Apps = tuple[str, ...]
Result = TypeVar("Result")
Explain = Callable[[str], ToolError]
"""Makes the error from how far the call came."""

LIFT_SECONDS = 0.3
"""After that the fingers of a call that was stopped and has not ended are lifted by the shell: the
helper may be slow."""
HURRY_SECONDS = 0.7
"""After that a call that was stopped does not wait for its end on the phone any more."""
HURRY_AGAIN_SECONDS = 0.1


class Call:
    """What is known of a call. Each of the stages adds to it: `STAGES` in `local.py`."""

    tool: Tool
    """An app's is known once the phone is."""
    phone: "Phone"
    run: Run

    def __init__(
        self,
        name: str,
        tool: Tool | None,
        record: Record,
        scope: RequestScope = EVERYTHING,
        clock: Clock = SYSTEM_CLOCK,
        *,
        bare: str = "",
    ) -> None:
        self.name = name
        """The tool's, as the client uses it."""
        self.bare = bare
        """The same without the prefix of the surface; empty where it has another."""
        self.of_app = tool is None
        """The tool is an app's, or there is none."""
        if tool is not None:
            self.tool = tool
        self.record = record
        self.scope = scope
        self.arguments: Mapping[str, Any] = record.call.arguments
        self.strict = False
        """The reply has nothing but what is documented."""
        self.ends = ExitStack()
        """What is given back when the call ends."""
        self.lease: Lease | None = None
        """The one by which the phone was found."""
        self.use: Use | None = None
        """Of the phone, while the call runs, if it can be leased."""
        self.of_steps = False
        """It makes further calls, one for each step."""
        self.do_steps: Callable[[], Awaitable[Sequence[Item]]] | None = None
        """Makes them, once they were checked."""
        self.apps: Apps | None = None
        """On the screen when the call was admitted; None if they make no difference."""
        self.about: Apps = ()
        """The apps beside those on the screen for which it was judged."""
        self.answered: object = None
        """The screen for which a person allowed it."""
        self.reply: list[Item] = []

        self._clock = clock
        self.names: frozenset[str] = frozenset()
        """Of its phone; none until it was picked."""
        self._asked = 0.0
        self._explain: Explain | None = None
        self._timers: list[Timer] = []
        self._task: asyncio.Task[Any] | None = None
        """While it passes the stages."""
        self._cancels = 0
        """How often it was cancelled from here."""
        self._lifting: asyncio.Future[None] | None = None

    @property
    def caller(self) -> Caller:
        return self.record.call.caller

    def begin_on(self, label: str) -> None:
        """Its phone, which is called `label`, is known, and how long its arguments ask it to
        last."""
        self.names = frozenset((*names_of(self.phone), label))
        self._asked = getattr(self.run, "seconds", 0.0)
        if self._asked:
            self._limit()

    async def pass_through(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Raises ToolError, too, if it was stopped."""
        # In this task: another one, and waiting for it, would be a twentieth of a call.
        task = self._task = asyncio.current_task()
        assert task is not None
        self._limit()
        try:
            return await work()
        except asyncio.CancelledError as stop:
            if self._explain is None or await self._is_cancelled(task):
                raise
            raise self._explain(self._far(getattr(stop, "__notes__", ()))) from None
        finally:
            self._task = None
            self._stop_timers()
            # It may have been done, or have failed by itself, before it could be stopped.
            if self._cancels and await self._is_cancelled(task):
                raise asyncio.CancelledError

    async def _is_cancelled(self, task: asyncio.Task[Any]) -> bool:
        """Take the own cancellations back; return whether there are others."""
        with suppress(asyncio.CancelledError):
            await self._clock.sleep(0)  # one may still be on its way
        while self._cancels:
            self._cancels -= 1
            task.uncancel()
        return bool(task.cancelling())

    def take_over(self) -> None:
        """The person takes the phone over."""
        self._stop(lambda far: stopped(self.name, far))

    def give_way(self) -> None:
        """The person wants to act on the phone."""
        self._stop(
            lambda far: ActionFailed(
                f"{self.name} was stopped, because the owner of the phone used the phone. {far}"
                " Read the screen before you go on."
            )
        )

    def lose_lease(self, why: str) -> None:
        """The lease of its phone ended."""
        self._stop(
            lambda far: ActionFailed(
                f"{self.name} was stopped, because its lease of the phone ended: {why}. {far}"
            )
        )

    def _expire(self) -> None:
        lasted = self._asked + BEYOND
        self._stop(
            lambda far: TimedOut(
                f"{self.name} was stopped after {lasted:.0f} s: a call may last as long as its"
                f" arguments ask for, and {BEYOND / 60:.0f} minutes. {far} Look at the screen"
                " before you go on."
            )
        )

    def _limit(self) -> None:
        self._stop_timers()
        self._timers.append(self._clock.call_later(self._asked + BEYOND, self._expire))

    def _stop(self, explain: Explain) -> None:
        if self._task is None or self._explain is not None:
            return
        self._explain = explain
        self._cancel(STOPPED)
        self._stop_timers()
        self._timers.append(self._clock.call_later(LIFT_SECONDS, self._lift))
        self._timers.append(self._clock.call_later(HURRY_SECONDS, self._hurry))

    def _hurry(self) -> None:
        self._cancel(CANCEL_NOW)
        self._timers.append(self._clock.call_later(HURRY_AGAIN_SECONDS, self._hurry))

    def _cancel(self, why: str) -> None:
        if self._task is not None:
            self._cancels += 1
            self._task.cancel(why)

    def _lift(self) -> None:
        if self.names and self.record.running and not self.record.call.listing.read_only:
            self._lifting = asyncio.ensure_future(_lift(self.phone))

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _far(self, notes: Sequence[str]) -> str:
        if notes:
            return " ".join(notes)
        if not self.record.running:
            return "Nothing was done."
        if self.record.call.listing.read_only:
            return "It changes nothing."
        return "It had begun, and may or may not have happened."


async def _lift(phone: "Phone") -> None:
    with suppress(ToolError):
        await phone.driver.lift()
