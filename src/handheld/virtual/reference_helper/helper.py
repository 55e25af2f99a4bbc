"""The reference helper: the program that `app_process` runs on a virtual phone.

This file holds the stream, the lanes and the calls; what each command does is in
the files that `commands.py` lists. docs/helper-protocol.md is the truth for both.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from ...helper.protocol import (
    ANSWER_LIMIT,
    DATA_LIMIT,
    FRAME_LIMIT,
    GREETING,
    IDLE_RELEASE_SECONDS,
    LOCK_FILE,
    OPEN_CALLS,
    SILENCE_SECONDS,
    WAKING,
    WORK_LANE,
    Code,
    Frame,
    FrameDecoder,
    Happened,
    HelperFailure,
    Kind,
    ProtocolError,
    decode_call,
    decode_json,
    dump_json,
    encode_failure,
    encode_frame,
    encode_json,
)
from ..automation import AutomationHeld
from ..files.tree import FileTree
from ..sh.process import Input, Output, Process
from ..system.latency import HELPER_CALL, HELPER_INPUT
from ..world import World
from .command import Answer, Command, Lane
from .commands import COMMANDS
from .node_cache import NodeCache
from .screen import display
from .touch import wake

CONNECT_MS = 5000
"""How long Android's UiAutomation waits to be connected."""
_WIDE = (Lane.WORK, Lane.APPS)
"""The lanes in which several calls work at once."""


class FileLock:
    """The lock file: one holder at a time, freed when the holder's process ends. Its content says
    who that is, and may be left over from a holder that is gone."""

    def __init__(self, files: FileTree) -> None:
        self.files = files

    def take(self, holder: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """None once it is ours, else who holds it."""
        if LOCK_FILE in self.files.locked:
            try:
                return decode_json(self.files.read(LOCK_FILE))
            except (OSError, ProtocolError):
                return {}
        self.files.write(LOCK_FILE, dump_json(holder), 0o600)
        self.files.locked.add(LOCK_FILE)
        return None

    def free(self) -> None:
        self.files.locked.discard(LOCK_FILE)


class HelperCall:
    """A call that has no answer yet."""

    __slots__ = ("arguments", "command", "deadline", "job", "number", "timer", "wake")

    def __init__(
        self,
        number: int,
        command: Command,
        arguments: dict[str, Any],
        deadline: float,
        wake: bool = False,
    ) -> None:
        self.number = number
        self.command = command
        self.arguments = arguments
        self.deadline = deadline
        self.wake = wake
        self.job: Job | None = None
        self.timer: asyncio.Task[None] | None = None


class Job:
    """A command at work for one call, or for several equal reads."""

    __slots__ = ("_helper", "began", "calls", "data", "happened", "stopped", "task")

    def __init__(self, helper: "Helper", calls: list[HelperCall]) -> None:
        self._helper = helper
        self.calls = calls
        self.began = False
        self.happened = Happened.NO
        """What it would mean to be stopped now."""
        self.data: dict[str, Any] = {}
        """What is then told beside it."""
        self.stopped: Code | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        return self.calls[0].arguments

    async def wait(self, waiting: Coroutine[Any, Any, Any]) -> Any:
        """Wait for something on the phone, no longer than the calls' budgets."""
        for call in self.calls:
            self._helper.watch_budget(call)
        return await waiting


class _Line:
    """A lane's calls: those that wait, and how many jobs run."""

    __slots__ = ("running", "waiting", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self.waiting: deque[HelperCall] = deque()
        self.running = 0


class Helper:
    """One run of the helper over one pair of byte streams."""

    def __init__(
        self,
        world: World,
        stdin: Input,
        stdout: Output,
        *,
        build: str,
        holder: Mapping[str, Any],
        lock: FileLock,
    ) -> None:
        self.world = world
        self.files = lock.files
        self.automation = f"handheld, {holder['client']}, pid {holder['pid']} on {holder['host']}"
        self.automation_taken = False
        self.scan_hangs = False
        """Whether the media index was asked and has not answered."""
        self.killed = False
        """Ended from outside, in the middle of whatever it does."""
        self.cache = NodeCache(world)
        self._stdin, self._stdout = stdin, stdout
        self._build, self._holder, self._lock = build, holder, lock
        self._open: dict[int, HelperCall] = {}
        self._lines = {lane: _Line(WORK_LANE if lane in _WIDE else 1) for lane in Lane}
        self._last_call = 0
        self._last_byte = self._last_need = world.clock.now()
        self._tasks: set[asyncio.Task[None]] = set()
        self._writing = asyncio.Lock()
        self._over: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def run(self) -> int:
        """Serve until the host goes away; the exit code."""
        owner = self._lock.take(self._holder)
        if owner is not None:
            message = "Another Handheld holds this phone."
            failure = HelperFailure(Code.IN_USE, message, Happened.NO, owner)
            await self._stdout.write(GREETING + encode_failure(0, failure))
            return 1
        try:
            hello = encode_json(Kind.HELLO, 0, self._hello())
            await self._send(GREETING + hello)
            self._start(self._read())
            self._start(self._watch())
            return await self._over
        except asyncio.CancelledError:
            self.killed = True
            raise
        finally:
            self._over.cancel()
            for task in self._tasks:
                task.cancel()
            try:
                await asyncio.gather(*self._tasks, return_exceptions=True)
            finally:
                # Also when it is killed once more while it ends: what dies holds nothing.
                self.world.automation.lose(self.automation)
                self._lock.free()

    def _hello(self) -> dict[str, Any]:
        world = self.world
        return {
            "build": self._build,
            "api": world.api,
            "features": list(COMMANDS),
            "boot_id": world.boot_id,
            "user": 0,
            "display": display(world),
        }

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._halt(2)  # a fault of the helper's own: better gone than half alive

    def _halt(self, code: int) -> None:
        if not self._over.done():
            self._over.set_result(code)

    # The stream.

    async def _read(self) -> None:
        decoder = FrameDecoder()
        code = 1
        try:
            while data := await self._stdin.read():
                self._last_byte = self.world.clock.now()
                for frame in decoder.feed(data):
                    await self._receive(frame)
            code = 0
        except (ProtocolError, OSError):
            pass
        finally:
            self._halt(code)

    async def _receive(self, frame: Frame) -> None:
        kind, number, payload = frame
        if kind == Kind.CALL:
            if number <= self._last_call:
                raise ProtocolError("Call numbers rise.")
            self._last_call = number
            try:
                self._admit(number, payload)
            except HelperFailure as failure:
                await self._send(encode_failure(number, failure))
        elif kind == Kind.CANCEL:
            if call := self._open.get(number):
                await self._stop(call, Code.CANCELLED)
        elif kind == Kind.PING:
            await self._send(encode_frame(Frame(Kind.PONG, number)))
        else:
            raise ProtocolError("A host sends CALL, CANCEL and PING.")

    async def _send(self, data: bytes) -> None:
        async with self._writing:
            try:
                await self._stdout.write(data)
            except OSError:
                self._halt(1)

    async def _watch(self) -> None:
        """End when the host is silent; let go of UiAutomation when nobody needs it."""
        clock = self.world.clock
        while True:
            ends = self._last_byte + SILENCE_SECONDS * 1000
            if clock.now() >= ends:
                return self._halt(1)
            if self.automation_taken:
                idle = self._last_need + IDLE_RELEASE_SECONDS * 1000
                if clock.now() >= idle:
                    self.release_automation()
                else:
                    ends = min(ends, idle)
            await clock.sleep(ends - clock.now())

    # UiAutomation.

    def need_automation(self) -> None:
        self._last_need = self.world.clock.now()
        if self.automation_taken:
            return
        try:
            self.world.automation.take(self.automation)
        except AutomationHeld as held:
            message = f"Android's UiAutomation is held by another program ({held.holder})."
            raise HelperFailure(Code.AUTOMATION_HELD, message) from held
        self.automation_taken = True

    def release_automation(self) -> bool:
        """Whether it was held."""
        if not self.automation_taken:
            return False
        self.world.automation.release(self.automation, keep_rotation=True)
        self.automation_taken = False
        return True

    # Calls.

    def _admit(self, number: int, payload: bytes) -> None:
        request = decode_call(payload)
        command = COMMANDS.get(request.do)
        if command is None:
            raise HelperFailure(Code.UNSUPPORTED, f"This helper has no `{request.do[:100]}`.")
        if len(self._open) >= OPEN_CALLS:
            raise HelperFailure(Code.BUSY, f"{OPEN_CALLS} calls are open already.")
        command.check(request.arguments)
        deadline = self.world.clock.now() + request.budget_ms
        wake = request.wake and request.do in WAKING
        call = HelperCall(number, command, request.arguments, deadline, wake)
        self._open[number] = call
        line = self._lines[command.lane]
        line.waiting.append(call)
        self._fill(command.lane)
        if call.job is None:
            self.watch_budget(call)

    def _fill(self, lane: Lane) -> None:
        """Begin what there is room for."""
        if self._over.done():
            return
        line = self._lines[lane]
        while line.waiting and line.running < line.width:
            calls = [line.waiting.popleft()]
            if lane is Lane.TREE:
                # A walk that begins now answers everyone who waits for the same thing.
                arguments = calls[0].arguments
                calls += [call for call in line.waiting if call.arguments == arguments]
                line.waiting = deque(call for call in line.waiting if call not in calls)
            job = Job(self, calls)
            for call in calls:
                call.job = job
            line.running += 1
            job.task = self._start(self._run(job))

    async def _run(self, job: Job) -> None:
        command = job.calls[0].command
        try:
            answers = await self._answer(job, command)
            await self._send(answers)
        finally:
            self._lines[command.lane].running -= 1
            self._fill(command.lane)

    async def _answer(self, job: Job, command: Command) -> bytes:
        job.began = True
        encode: Callable[[int], bytes]
        try:
            now = self.world.clock.now()
            if job.stopped is None and all(call.deadline <= now for call in job.calls):
                job.stopped = Code.OUT_OF_TIME
            if job.stopped is not None:
                raise _stopped(job.stopped, Happened.NO)
            if command.needs_automation:
                if self.world.automation.silent and not self.automation_taken:
                    await job.wait(self.world.clock.sleep(CONNECT_MS))
                    message = "Android did not connect UiAutomation within 5 s."
                    raise HelperFailure(Code.FAILED, message)
                self.need_automation()
            latency = self.world.latency
            if latency.any:
                touches = command.lane is Lane.TOUCH
                late = latency.of(HELPER_CALL) + (latency.of(HELPER_INPUT) if touches else 0)
                await job.wait(self.world.clock.sleep(late))
            if job.calls[0].wake:
                await wake(self.world, job)
            answer = await command.run(self, job)
            encode = _encoder(answer)
        except HelperFailure as failure:
            if command.lane is Lane.TOUCH and failure.happened is Happened.NO:
                # What is refused in the middle has not undone what was done before.
                failure.happened = job.happened
            encode = _failure_encoder(failure)
        except asyncio.CancelledError:
            if job.stopped is None:
                raise
            encode = _failure_encoder(_stopped(job.stopped, job.happened, job.data))
        except Exception as problem:
            # The one place that catches: a fault in a command is an answer, not the end.
            certain = command.lane is not Lane.TOUCH and job.happened is Happened.NO
            happened = Happened.NO if certain else Happened.MAYBE
            message = f"{type(problem).__name__}: {problem}"[:500]
            encode = _failure_encoder(HelperFailure(Code.INTERNAL, message, happened))
        # Taken off the open calls before the first byte: from here on a CANCEL comes too late.
        for call in job.calls:
            self._settle(call)
        return b"".join([encode(call.number) for call in job.calls])

    def _settle(self, call: HelperCall) -> None:
        del self._open[call.number]
        if call.timer is not None:
            call.timer.cancel()

    async def _stop(self, call: HelperCall, code: Code) -> None:
        """Cancelled, or out of time."""
        job = call.job
        if job is not None and job.calls == [call]:
            if job.stopped is None:
                job.stopped = code
                if job.began and job.task is not None:
                    job.task.cancel()
            return
        if job is None:
            self._lines[call.command.lane].waiting.remove(call)
        else:
            job.calls.remove(call)
        self._settle(call)
        await self._send(encode_failure(call.number, _stopped(code, Happened.NO)))

    def watch_budget(self, call: HelperCall) -> None:
        if call.timer is None:
            call.timer = self._start(self._expire(call))

    async def _expire(self, call: HelperCall) -> None:
        clock = self.world.clock
        await clock.sleep(call.deadline - clock.now())
        call.timer = None
        await self._stop(call, Code.OUT_OF_TIME)


def _stopped(
    code: Code, happened: Happened, data: Mapping[str, Any] | None = None
) -> HelperFailure:
    ended = "was cancelled" if code is Code.CANCELLED else "ran out of time"
    return HelperFailure(code, f"The call {ended}.", happened, data)


def _encoder(answer: Answer) -> Callable[[int], bytes]:
    data = answer.data
    reply = dump_json(answer.reply) if answer.reply else b"{}"
    if len(data) > ANSWER_LIMIT or len(reply) > FRAME_LIMIT - 5:
        message = f"The answer has {len(data)} and {len(reply)} bytes, which is over the limit."
        raise HelperFailure(Code.FAILED, message)

    def encode(number: int) -> bytes:
        if not data:
            return encode_frame(Frame(Kind.REPLY, number, reply))
        parts = [
            encode_frame(Frame(Kind.DATA, number, data[start : start + DATA_LIMIT]))
            for start in range(0, len(data), DATA_LIMIT)
        ]
        parts.append(encode_frame(Frame(Kind.REPLY, number, reply)))
        return b"".join(parts)

    return encode


def _failure_encoder(failure: HelperFailure) -> Callable[[int], bytes]:
    return lambda number: encode_failure(number, failure)


async def run(process: Process) -> int:
    """What `app_process` does when it is given the helper's class."""
    phone = process.phone
    path = process.environment.get("CLASSPATH", "")
    try:
        jar = phone.files.read(path)
    except OSError as problem:
        await process.stderr.write(f"Could not open {path!r}: {problem.strerror}\n".encode())
        return 1
    words = dict(word.split("=", 1) for word in process.arguments if "=" in word)
    pid = words.get("pid", "")
    holder = {
        "host": words.get("host", ""),
        "pid": int(pid) if pid.isdecimal() else 0,
        "client": words.get("client", ""),
    }
    helper = Helper(
        phone.world,
        process.stdin,
        process.stdout,
        build=hashlib.sha256(jar).hexdigest()[:16],
        holder=holder,
        lock=FileLock(phone.files),
    )
    try:
        return await helper.run()
    except OSError as problem:
        await process.stderr.write(f"{problem}\n".encode())
        return 1
