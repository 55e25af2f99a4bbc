"""The open calls: lanes, limits, budgets and cancellation. Each call gets exactly one answer."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from handheld.helper.protocol import (
    ANSWER_LIMIT,
    DATA_LIMIT,
    FRAME_LIMIT,
    OPEN_CALLS,
    WAKING,
    WORK_LANE,
    Code,
    Frame,
    FrameKind,
    Happened,
    HelperFailure,
    Then,
    decode_call,
    dump_json,
    encode_failure,
    encode_frame,
)

from ...system.latency import HELPER_CALL, HELPER_INPUT
from ..commands.commands import COMMANDS
from ..commands.touch import wake
from ..helper import Helper
from .command import Answer, Command, Lane
from .job import HelperCall, Job
from .rest import Before, rest

_log = logging.getLogger(__name__)

CONNECT_MS = 5000
"""How long Android's UiAutomation waits for its connection."""
_WIDE = (Lane.WORK, Lane.APPS)
"""The lanes that run several jobs concurrently."""


class _LaneQueue:
    """A lane's waiting calls, and the number of its running jobs."""

    __slots__ = ("running", "waiting", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self.waiting: deque[HelperCall] = deque()
        self.running = 0


class HelperCalls:
    """Admits calls, runs them in their lanes and sends their answers."""

    def __init__(
        self,
        helper: Helper,
        over: "asyncio.Future[int]",
        send: Callable[[bytes], Awaitable[None]],
        start: Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"],
    ) -> None:
        self._helper = helper
        self._over = over
        """Completed when the session ends, after which no job begins."""
        self._send, self._start = send, start
        self._open: dict[int, HelperCall] = {}
        self._lanes = {lane: _LaneQueue(WORK_LANE if lane in _WIDE else 1) for lane in Lane}

    # Beginning

    @property
    def killed(self) -> bool:
        return self._helper.killed

    def admit(self, number: int, payload: bytes) -> None:
        """Queue a call. If it cannot be accepted, raises the failure for its answer."""
        request = decode_call(payload)
        command = COMMANDS.get(request.do)
        if command is None:
            raise HelperFailure(Code.UNSUPPORTED, f"This helper has no `{request.do[:100]}`.")
        if len(self._open) >= OPEN_CALLS:
            raise HelperFailure(Code.BUSY, f"{OPEN_CALLS} calls are open already.")
        command.check(request.arguments)
        deadline = self._helper.world.clock.now() + request.budget_ms
        wake, then = (request.wake, request.then) if request.do in WAKING else (None, None)
        call = HelperCall(number, command, request.arguments, deadline, wake, then)
        self._open[number] = call
        self._lanes[command.lane].waiting.append(call)
        self._fill(command.lane)
        if call.job is None:
            self.watch_budget(call)

    def _fill(self, lane: Lane) -> None:
        """Begin waiting calls up to the width of the lane."""
        if self._over.done():
            return
        queue = self._lanes[lane]
        while queue.waiting and queue.running < queue.width:
            calls = [queue.waiting.popleft()]
            if lane is Lane.TREE:
                # A walk that begins now answers every waiting call with the same arguments.
                arguments = calls[0].arguments
                calls += [call for call in queue.waiting if call.arguments == arguments]
                queue.waiting = deque(call for call in queue.waiting if call not in calls)
            job = Job(self, calls)
            for call in calls:
                call.job = job
            queue.running += 1
            job.task = self._start(self._run(job))

    # Running

    async def _run(self, job: Job) -> None:
        command = job.calls[0].command
        try:
            answers = await self._answer(job, command)
            await self._send(answers)
        finally:
            self._lanes[command.lane].running -= 1
            self._fill(command.lane)

    async def _answer(self, job: Job, command: Command) -> bytes:
        job.began = True
        helper, world = self._helper, self._helper.world
        encode: Callable[[int], bytes]
        try:
            now = world.clock.now()
            if job.stopped is None and all(call.deadline <= now for call in job.calls):
                job.stopped = Code.OUT_OF_TIME
            if job.stopped is not None:
                raise _stopped(job.stopped, Happened.NO)
            if command.needs_automation or job.then is not None:
                if world.automation.silent and not helper.hold.held:
                    await job.wait(world.clock.sleep(CONNECT_MS))
                    message = "Android did not connect UiAutomation within 5 s."
                    raise HelperFailure(Code.FAILED, message)
                helper.hold.need()
            latency = world.latency
            if latency.any:
                touches = command.lane is Lane.TOUCH
                late = latency.of(HELPER_CALL) + (latency.of(HELPER_INPUT) if touches else 0)
                await job.wait(world.clock.sleep(late))
            if job.calls[0].wake is not None:
                await self._meet(job, job.calls[0].wake)
            before = None if job.then is None else Before(world)
            answer = await command.run(helper, job)
            if job.then is not None and before is not None:
                answer = await self._rest(job, job.then, before, answer)
            if job.conditions:
                answer = Answer({**answer.reply, **job.conditions}, answer.data)
            encode = _encoder(answer)
        except HelperFailure as failure:
            failure.data.update(job.conditions)
            if command.lane is Lane.TOUCH and failure.happened is Happened.NO:
                # A refusal does not undo the job's earlier actions.
                failure.happened = job.happened
            encode = _failure_encoder(failure)
        except asyncio.CancelledError:
            if job.stopped is None:
                raise
            data = {**job.data, **job.conditions}
            encode = _failure_encoder(_stopped(job.stopped, job.happened, data))
        except Exception as problem:
            # A bug in a command, or in an app written for this phone, gives a failure and does not
            # end the helper. The log shows it to the app's author.
            _log.warning("A call of the virtual phone's helper failed.", exc_info=problem)
            certain = command.lane is not Lane.TOUCH and job.happened is Happened.NO
            happened = Happened.NO if certain else Happened.MAYBE
            failure = _internal(problem, happened)
            failure.data.update(job.conditions)
            encode = _failure_encoder(failure)
        # Before the first byte is sent: from here on, a CANCEL is too late.
        for call in job.calls:
            self._settle(call)
        return b"".join([encode(call.number) for call in job.calls])

    async def _meet(self, job: Job, waking: bool) -> None:
        """Switch the screen on if the call asks for it, and record the conditions for the
        action."""
        world = self._helper.world
        if not world.awake:
            if waking:
                await wake(world, job)
            job.conditions["woken" if waking else "dark"] = True
        if world.locked:
            job.conditions["locked"] = True

    async def _rest(self, job: Job, then: Then, before: Before, done: Answer) -> Answer:
        """Add the screen at rest to the answer. A failure here does not change that the action is
        done."""
        helper = self._helper
        found: dict[str, Any] = {"changed": False, "settled": False, "screen": None, "error": None}
        data, failure = b"", None
        try:
            await rest(helper, job, then, before, found)
            helper.hold.need()
            shown = await COMMANDS["screen"].run(helper, job)
            if len(shown.data) > ANSWER_LIMIT:
                raise HelperFailure(Code.FAILED, f"The screen has {len(shown.data)} bytes.")
            found["screen"], data = shown.reply, shown.data
        except HelperFailure as problem:
            failure = problem
        except asyncio.CancelledError:
            if job.stopped is None:
                raise
            failure = _stopped(job.stopped, job.happened, job.data)
        except Exception as problem:
            failure = _internal(problem, Happened.NO)
        if failure is not None:
            data_of = {"data": failure.data} if failure.data else {}
            found["error"] = {"code": failure.code.value, "message": failure.message, **data_of}
        return Answer({**done.reply, "then": found}, data)

    # Ending

    def _settle(self, call: HelperCall) -> None:
        del self._open[call.number]
        if call.timer is not None:
            call.timer.cancel()

    async def cancel(self, number: int) -> None:
        if call := self._open.get(number):
            await self._stop(call, Code.CANCELLED)

    async def _stop(self, call: HelperCall, code: Code) -> None:
        """Stop a call that was cancelled or ran out of time."""
        job = call.job
        if job is not None and job.calls == [call]:
            if job.stopped is None:
                job.stopped = code
                if job.began and job.task is not None:
                    job.task.cancel()
            return
        if job is None:
            self._lanes[call.command.lane].waiting.remove(call)
        else:
            job.calls.remove(call)
        self._settle(call)
        await self._send(encode_failure(call.number, _stopped(code, Happened.NO)))

    def watch_budget(self, call: HelperCall) -> None:
        if call.timer is None:
            call.timer = self._start(self._expire(call))

    async def _expire(self, call: HelperCall) -> None:
        clock = self._helper.world.clock
        await clock.sleep(call.deadline - clock.now())
        call.timer = None
        await self._stop(call, Code.OUT_OF_TIME)


def _stopped(
    code: Code, happened: Happened, data: Mapping[str, Any] | None = None
) -> HelperFailure:
    reason = "was cancelled" if code is Code.CANCELLED else "ran out of time"
    return HelperFailure(code, f"The call {reason}.", happened, data)


def _internal(problem: Exception, happened: Happened) -> HelperFailure:
    return HelperFailure(Code.INTERNAL, f"{type(problem).__name__}: {problem}"[:500], happened)


def _encoder(answer: Answer) -> Callable[[int], bytes]:
    data = answer.data
    reply = dump_json(answer.reply) if answer.reply else b"{}"
    if len(data) > ANSWER_LIMIT or len(reply) > FRAME_LIMIT - 5:
        message = f"The answer has {len(data)} and {len(reply)} bytes, which is over the limit."
        raise HelperFailure(Code.FAILED, message)

    def encode(number: int) -> bytes:
        if not data:
            return encode_frame(Frame(FrameKind.REPLY, number, reply))
        parts = [
            encode_frame(Frame(FrameKind.DATA, number, data[start : start + DATA_LIMIT]))
            for start in range(0, len(data), DATA_LIMIT)
        ]
        parts.append(encode_frame(Frame(FrameKind.REPLY, number, reply)))
        return b"".join(parts)

    return encode


def _failure_encoder(failure: HelperFailure) -> Callable[[int], bytes]:
    return lambda number: encode_failure(number, failure)
