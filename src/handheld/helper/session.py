"""One run of the helper from the host's side: a stream, its greeting, and the calls on it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import anyio

from ..adb.link import AdbError
from ..adb.shell import ShellStream
from ..adb.wire import SHELL_EXIT, SHELL_STDERR, SHELL_STDOUT, ShellPacket
from ..clock import Clock, Timer
from .cancellation import CANCEL_NOW, EndsLater
from .protocol import (
    ANSWER_LIMIT,
    DATA_LIMIT,
    GRACE_MS,
    GREETING,
    GREETING_LIMIT,
    LAST_CALL,
    PING_SECONDS,
    SILENCE_SECONDS,
    CallRequest,
    Claim,
    Code,
    Frame,
    FrameDecoder,
    FrameKind,
    Happened,
    HelperFailure,
    ProtocolError,
    decode_failure,
    decode_json,
    encode_call,
    encode_frame,
)

KEPT = 64 * 1024
"""How much of the helper's standard error is kept: the newest part."""


class HelperLost(Exception):
    """The stream to the helper ended. `happened`: whether the call may have had an effect."""

    def __init__(
        self, message: str, happened: Happened, session: "HelperSession | None" = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.happened = happened
        self.session = session
        """The session that ended. All calls that were open on it are lost."""


class Answer(NamedTuple):
    reply: dict[str, Any]
    data: bytes = b""


class Timing(NamedTuple):
    """The host's timeouts."""

    start_seconds: float = 15.0
    """From the start command to HELLO."""
    grace_ms: int = GRACE_MS
    ping_seconds: float = PING_SECONDS
    silence_seconds: float = SILENCE_SECONDS
    leftover_seconds: float = SILENCE_SECONDS + 5
    """The time for a left-over helper to exit by itself."""
    backoff_seconds: tuple[float, ...] = (0.0, 0.2, 0.5, 1.0, 2.0)
    """Before the first, second, … restart in a row; the last applies to all further ones."""


@dataclass(slots=True)
class _Pending:
    future: asyncio.Future[Answer]
    act: bool
    chunks: list[bytes] = field(default_factory=list[bytes])
    size: int = 0
    timer: Timer | None = None


class HelperSession:
    """A stream to a running helper. It is used until it is `lost`, then discarded."""

    def __init__(
        self,
        stream: ShellStream,
        timing: Timing,
        clock: Clock,
        claim: Claim | None = None,
        refused: Callable[[HelperFailure], None] = lambda failure: None,
    ) -> None:
        """The helper was given `claim`. `refused` is called if the phone ends the stream because it
        has accepted another claim."""
        self.claim = claim
        self._refused = refused
        self.hello: dict[str, Any] = {}
        self.noise = b""
        """The output before the greeting."""
        self.stderr = bytearray()
        self.lost: str | None = None
        """Why no more calls can be made, as a sentence."""
        self.way_lost = False
        """Whether the connection was lost, not the program."""
        self.exit_code: int | None = None
        """The program's exit code, if it exited."""
        self._stream = stream
        self._timing = timing
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, _Pending] = {}
        self._stopping: set[asyncio.Future[Any]] = set()
        """The ends of cancelled calls whose callers are gone."""
        self._number = 0
        self._writing = asyncio.Lock()
        self._before_greeting: bytearray | None = bytearray()
        self._decoder = FrameDecoder()
        self._greeted: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._last_sent = self._last_received = clock.now()
        self._reader = asyncio.create_task(self._read())
        self._pinger: asyncio.Task[None] | None = None
        self._closer: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Wait for HELLO. Raises HelperFailure (the phone is in use) or HelperLost."""
        try:
            async with self._clock.timeout(self._timing.start_seconds):
                self.hello = await self._greeted
        except TimeoutError:
            seconds = f"{self._timing.start_seconds:g}"
            self._lose(f"The helper on the phone did not start within {seconds} s.")
            raise HelperLost(self.lost or "", Happened.NO) from None
        self._pinger = asyncio.create_task(self._ping())

    async def aclose(self) -> None:
        """Close the stream and with it the helper."""
        self._lose("The connection to the helper was closed.")
        if self._closer is not None:
            await asyncio.shield(self._closer)

    async def call(self, request: CallRequest) -> Answer:
        """Raises HelperFailure, or HelperLost when the stream ends first."""
        async with self._writing:
            if self.lost is not None:
                raise HelperLost(self.lost, Happened.NO, self)
            number = self._number = self._number + 1
            try:
                data = encode_call(number, request)
            except ProtocolError as problem:
                raise HelperFailure(Code.BAD_CALL, str(problem)) from problem
            pending = _Pending(self._loop.create_future(), request.act)
            self._calls[number] = pending
            if number == LAST_CALL:
                self.lost = "The stream has no call numbers left."
            await self._write(data)
        wait = (request.budget_ms + self._timing.grace_ms) / 1000
        pending.timer = self._clock.call_later(wait, self._give_up, number, wait)
        try:
            return await pending.future
        except asyncio.CancelledError as stop:
            # The helper's answer goes with the cancellation: it says how much was typed.
            outcome = await self._stop(number)
            if isinstance(outcome, BaseException):
                stop.__cause__ = outcome
            elif outcome is not None and request.act:
                stop.add_note("Its last action on the phone was completed.")
            raise
        finally:
            pending.timer.cancel()
            del pending  # a failure refers to this frame, and would form a cycle with it

    async def _write(self, data: bytes) -> None:
        self._last_sent = self._clock.now()
        try:
            await self._stream.write(data)
        except (AdbError, OSError) as problem:
            self._lose(_sentence(problem))
        except asyncio.CancelledError:
            # Half a frame may have been sent: nothing can follow it.
            self._lose("A call was cancelled while it was being sent.")
            raise

    # Cancelling calls.

    def _give_up(self, number: int, waited: float) -> None:
        pending = self._calls.pop(number, None)
        if pending is None:
            return
        message = f"The helper on the phone did not answer within {waited:g} s and is restarted."
        if not pending.future.done():
            happened = Happened.MAYBE if pending.act else Happened.NO
            failure = HelperFailure(Code.OUT_OF_TIME, message, happened)
            pending.future.set_exception(failure)
        self._lose(message)

    async def _stop(self, number: int) -> Answer | BaseException | None:
        """Cancel a call and wait until the helper has finished it: only then is the phone free.
        Return the call's answer or error, where there is one. Raises StillEnding."""
        pending = self._calls.get(number)
        if pending is None:
            return None
        # The old future was cancelled together with the task that waited for it.
        pending.future = self._loop.create_future()
        stopping = asyncio.create_task(self._send_cancel(number, pending.future))
        with anyio.CancelScope(shield=True):
            while not stopping.done():
                try:
                    await asyncio.wait({stopping})
                except asyncio.CancelledError as again:
                    if CANCEL_NOW in again.args:
                        self._stopping.add(stopping)
                        stopping.add_done_callback(self._stopping.discard)
                        raise EndsLater(stopping) from None
                    # Cancelled once more: the wait is bounded.
        return stopping.result()

    async def _send_cancel(
        self, number: int, result: asyncio.Future[Answer]
    ) -> Answer | BaseException | None:
        try:
            async with self._clock.timeout(self._timing.grace_ms / 1000):
                async with self._writing:
                    if number in self._calls:
                        await self._write(encode_frame(Frame(FrameKind.CANCEL, number)))
                await asyncio.wait({result})
        except TimeoutError:
            self._lose("The helper on the phone did not end a cancelled call and is restarted.")
        if not result.done() or result.cancelled():
            return None
        # Also marks it as retrieved: the caller is gone.
        return result.exception() or result.result()

    # The stream.

    async def _read(self) -> None:
        reason = "The stream to the helper on the phone ended."
        try:
            await self._stream.follow(self._take_packet)
        except ProtocolError as problem:
            reason = f"The helper on the phone violates the protocol: {problem}"
        except (AdbError, OSError) as problem:
            self.way_lost = True
            reason = _sentence(problem)
        else:
            self.way_lost = True  # a program that exits has an exit code
        self._lose(reason)

    def _take_packet(self, packet: ShellPacket) -> None:
        if self._closer is not None:
            return
        self._last_received = self._clock.now()
        if packet.id == SHELL_STDOUT:
            self._take(packet.data)
        elif packet.id == SHELL_STDERR:
            self.stderr += packet.data
            del self.stderr[:-KEPT]
        elif packet.id == SHELL_EXIT:
            self.exit_code = packet.data[0] if packet.data else None
            self.way_lost = self.exit_code is None
            code = "unknown" if self.exit_code is None else self.exit_code
            self._lose(f"The helper on the phone ended (exit code {code}).")

    def _take(self, data: bytes) -> None:
        before = self._before_greeting
        if before is not None:
            before += data
            at = before.find(GREETING)
            if at < 0 and len(before) < GREETING_LIMIT + len(GREETING):
                return
            if not 0 <= at <= GREETING_LIMIT:
                self.noise = bytes(before[:GREETING_LIMIT])
                raise ProtocolError("It printed no greeting.")
            self.noise = bytes(before[:at])
            data = bytes(before[at + len(GREETING) :])
            self._before_greeting = None
        for frame in self._decoder.feed(data):
            self._receive(frame)

    def _receive(self, frame: Frame) -> None:
        kind, number, payload = frame
        if not self._greeted.done():
            if kind == FrameKind.HELLO and number == 0:
                self._greeted.set_result(decode_json(payload))
            elif kind == FrameKind.ERROR and number == 0:
                self._greeted.set_exception(decode_failure(payload))
            else:
                raise ProtocolError("It does not begin with HELLO.")
        elif kind == FrameKind.PONG:
            pass
        elif kind == FrameKind.ERROR and number == 0:
            failure = decode_failure(payload)
            self._refused(failure)
            self._lose(failure.message)
        elif (pending := self._calls.get(number)) is None:
            raise ProtocolError("It answered a call that is not open.")
        elif kind == FrameKind.DATA:
            pending.size += len(payload)
            if len(payload) > DATA_LIMIT or pending.size > ANSWER_LIMIT:
                raise ProtocolError("An answer is over the limit.")
            pending.chunks.append(payload)
        elif kind in (FrameKind.REPLY, FrameKind.ERROR):
            # Decoded before the call is closed: a broken answer still fails its own call.
            outcome = decode_failure(payload) if kind == FrameKind.ERROR else decode_json(payload)
            del self._calls[number]
            if pending.future.done():
                return  # cancelled at this moment
            if isinstance(outcome, HelperFailure):
                pending.future.set_exception(outcome)
            else:
                pending.future.set_result(Answer(outcome, b"".join(pending.chunks)))
        else:
            raise ProtocolError(f"It sent a frame of kind {kind}.")

    async def _ping(self) -> None:
        """Keep the helper alive while nothing else is sent, and detect when it is gone."""
        timing, clock = self._timing, self._clock
        while True:
            rest = self._last_sent + timing.ping_seconds - clock.now()
            if rest > 0:
                await clock.sleep(rest)
                continue
            silent = clock.now() - self._last_received
            if silent > timing.silence_seconds:
                self._lose(f"The helper on the phone has been silent for {silent:.0f} s.")
                return
            async with self._writing:
                await self._write(encode_frame(Frame(FrameKind.PING, 0)))

    def _lose(self, reason: str) -> None:
        """Fail the open calls and close the stream."""
        if self._closer is not None:
            return
        self.lost = self.lost or reason
        self._closer = asyncio.create_task(self._close())
        if not self._greeted.done():
            self._greeted.set_exception(HelperLost(reason, Happened.NO))
            self._greeted.exception()  # nobody may be waiting for it
        calls, self._calls = self._calls, {}
        for pending in calls.values():
            if not pending.future.done():
                happened = Happened.MAYBE if pending.act else Happened.NO
                pending.future.set_exception(HelperLost(reason, happened, self))
                pending.future.exception()

    async def _close(self) -> None:
        tasks = [task for task in (self._reader, self._pinger) if task is not None]
        for task in tasks:
            task.cancel()
        try:
            await self._stream.aclose()
        finally:
            await asyncio.gather(*tasks, return_exceptions=True)


def _sentence(problem: Exception) -> str:
    return str(problem) or f"The connection to the phone failed ({type(problem).__name__})."
