"""One call while it runs: it is stopped when the person comes first, or when it lasts too long, and
its reply says how far it came."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from ..access.takeover import STOPPED, names_of, stopped
from ..audit import Record
from ..clock import Clock, Timer
from ..errors import ActionFailed, TimedOut, ToolError
from ..toolkit.duration import BEYOND

if TYPE_CHECKING:
    from ..phone import Phone

Result = TypeVar("Result")
Explain = Callable[[str], ToolError]
"""Makes the error from how far the call came."""

LIFT_SECONDS = 0.3
"""After that the fingers of a call that was stopped and has not ended are lifted by the shell: the
helper may be slow."""
ANSWER_SECONDS = 0.7
"""After that a call that was stopped is answered, whether it has ended or not."""


class RunningCall:
    def __init__(self, record: Record, name: str, clock: Clock) -> None:
        """`name` is the tool's, as the client uses it."""
        self._record = record
        self._name = name
        self._clock = clock
        self.names: frozenset[str] = frozenset()
        """Of its phone; none until it was picked."""
        self._phone: Phone | None = None
        self._asked = 0.0
        self._explain: Explain | None = None
        self._timers: list[Timer] = []
        self._work: asyncio.Future[Any] | None = None
        self._lifting: asyncio.Future[None] | None = None
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def uses(self, phone: "Phone", label: str, asked: float) -> None:
        """Its phone is known, and how long its arguments ask it to last."""
        self._phone = phone
        self.names = frozenset((*names_of(phone), label))
        if asked:
            self._asked = asked
            self._limit()

    async def run(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Raises ToolError, too, if it was stopped."""
        task = self._work = asyncio.create_task(self._follow(work))
        self._limit()
        try:
            await self._over
        except asyncio.CancelledError as stop:
            for note in await _cancel(task):
                stop.add_note(note)
            raise
        finally:
            self._stop_timers()
            self._work = None
        try:
            if self._explain is None:
                return task.result()
            if not task.done():
                task.add_done_callback(_retrieve)
                raise self._explain(self._far(()))
            try:
                return task.result()  # it was done, or failed by itself, before it could be stopped
            except asyncio.CancelledError as stop:
                raise self._explain(self._far(getattr(stop, "__notes__", ()))) from None
        finally:
            # It has the failure, which has this frame: both would be garbage that only the
            # collector finds, with all that the frames of the call have in hand.
            del task

    async def _follow(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        try:
            return await work()
        finally:
            # Not by a callback of the task: that takes another turn of the event loop.
            self._answer()

    def take_over(self) -> None:
        """The person takes the phone over."""
        self._stop(lambda far: stopped(self._name, far))

    def give_way(self) -> None:
        """The person wants to act on the phone."""
        self._stop(
            lambda far: ActionFailed(
                f"{self._name} was stopped, because the owner of the phone used the phone. {far}"
                " Read the screen before you go on."
            )
        )

    def lose_lease(self, why: str) -> None:
        """The lease of its phone ended."""
        self._stop(
            lambda far: ActionFailed(
                f"{self._name} was stopped, because its lease of the phone ended: {why}. {far}"
            )
        )

    def _expire(self) -> None:
        lasted = self._asked + BEYOND
        self._stop(
            lambda far: TimedOut(
                f"{self._name} was stopped after {lasted:.0f} s: a call may last as long as its"
                f" arguments ask for, and {BEYOND / 60:.0f} minutes. {far} Look at the screen"
                " before you go on."
            )
        )

    def _limit(self) -> None:
        self._stop_timers()
        self._timers.append(self._clock.call_later(self._asked + BEYOND, self._expire))

    def _stop(self, explain: Explain) -> None:
        work = self._work
        if work is None or work.done() or self._explain is not None:
            return
        self._explain = explain
        work.cancel(STOPPED)
        work.add_done_callback(self._answer)  # it may not have started
        self._stop_timers()
        self._timers.append(self._clock.call_later(LIFT_SECONDS, self._lift))
        self._timers.append(self._clock.call_later(ANSWER_SECONDS, self._answer))

    def _lift(self) -> None:
        call = self._record.call
        if self._phone is not None and self._record.running and not call.listing.read_only:
            self._lifting = asyncio.ensure_future(_lift(self._phone))

    def _answer(self, _: object = None) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _far(self, notes: Sequence[str]) -> str:
        if notes:
            return " ".join(notes)
        if not self._record.running:
            return "Nothing was done."
        if self._record.call.listing.read_only:
            return "It changes nothing."
        return "It had begun, and may or may not have happened."


def _retrieve(work: asyncio.Future[Any]) -> None:
    if not work.cancelled():
        work.exception()  # else asyncio logs it


async def _cancel(work: asyncio.Future[Any]) -> Sequence[str]:
    """Cancel it and wait for its end, which is bounded; return how far it came."""
    work.cancel()
    with anyio.CancelScope(shield=True):
        while not work.done():
            with suppress(asyncio.CancelledError):  # cancelled again
                await asyncio.wait({work})
    try:
        work.result()
    except asyncio.CancelledError as stop:
        return getattr(stop, "__notes__", ())
    except Exception:
        return ()  # the caller is gone
    return ()


async def _lift(phone: "Phone") -> None:
    with suppress(ToolError):
        await phone.driver.lift()
