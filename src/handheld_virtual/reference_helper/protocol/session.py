"""The byte stream of the reference helper. docs/helper-protocol.md is the specification."""

import asyncio
import stat
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any

from handheld.helper.protocol import (
    GREETING,
    JAR_FOLDER,
    LEFT_FILE,
    LEFT_LIMIT,
    SILENCE_SECONDS,
    UNFINISHED_JAR,
    UNFINISHED_SECONDS,
    Claim,
    Frame,
    FrameDecoder,
    FrameKind,
    HelperFailure,
    ProtocolError,
    encode_failure,
    encode_frame,
    encode_json,
)

from ...sh.process import Input, Output
from ...system.clipboard import PASSING, Refused
from ...world import World
from ..commands.commands import COMMANDS
from ..commands.screen import display
from ..helper import Helper
from .calls import HelperCalls
from .holder_lock import HolderLock, claimed

_SUCCEEDED = 3
_LAST_MS = 500
"""The time limit for the last frame, because the host may have stopped reading."""


class HelperSession:
    """One run of the helper over one pair of byte streams."""

    def __init__(
        self,
        world: World,
        stdin: Input,
        stdout: Output,
        *,
        build: str,
        holder: Mapping[str, Any],
        lock: HolderLock,
        claim: Claim | None = None,
    ) -> None:
        self._world = world
        self._stdin, self._stdout = stdin, stdout
        self._build, self._holder, self._lock, self._claim = build, holder, lock, claim
        self._helper = Helper(world, lock.files, holder)
        self._over: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._calls = HelperCalls(self._helper, self._over, self._send, self._start)
        self._last_call = 0
        self._last_byte = world.clock.now()
        self._tasks: set[asyncio.Task[None]] = set()
        self._writing = asyncio.Lock()

    async def run(self) -> int:
        """Serve until the host disconnects; return the exit code."""
        try:
            await self._lock.take(self._holder, self._claim)
        except HelperFailure as refused:
            await self._stdout.write(GREETING + encode_failure(0, refused))
            return 1
        try:
            self._remove_unfinished()
            hello = encode_json(FrameKind.HELLO, 0, {**self._hello(), **self._left()})
            await self._send(GREETING + hello)
            self._start(self._read())
            self._start(self._watch())
            self._start(self._follow_claim())
            return await self._over
        except asyncio.CancelledError:
            self._helper.killed = True
            raise
        finally:
            self._over.cancel()
            for task in self._tasks:
                task.cancel()
            try:
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await self._tell_successor()
            finally:
                # Even if it is killed again while it stops: a dead process holds nothing.
                self._helper.hold.lose()
                self._helper.stop_repeating()
                self._lock.free()

    def _hello(self) -> dict[str, Any]:
        world = self._world
        return {
            "build": self._build,
            "api": world.api,
            "features": list(COMMANDS),
            "boot_id": world.boot_id,
            "user": 0,
            "display": display(world),
            **({} if self._claim is None else {"claim": self._claim._asdict()}),
        }

    def _remove_unfinished(self) -> None:
        """Remove jars whose push was interrupted. A recent jar may still be on its way from another
        host. Its timestamp comes from that host, whose clock may be ahead or behind."""
        files = self._lock.files
        for name in filter(UNFINISHED_JAR.fullmatch, files.list(JAR_FOLDER)):
            path = f"{JAR_FOLDER}/{name}"
            status = files.stat(path, follow=False)
            if stat.S_ISREG(status.mode) and abs(files.now() - status.mtime) >= UNFINISHED_SECONDS:
                files.remove(path)

    def _left(self) -> dict[str, Any]:
        """Clean up after earlier programs: remove their clip, and return the rest for the host to
        restore."""
        files, told = self._lock.files, dict[str, Any]()
        with suppress(Refused):
            clip = self._world.clipboard.clip
            if clip is not None and PASSING in clip.extras:
                self._world.clipboard.clear()
                told["put_back"] = ["clipboard"]
        if files.exists(LEFT_FILE):
            with suppress(OSError):
                told["left"] = files.read(LEFT_FILE)[:LEFT_LIMIT].decode("latin-1")
        return told

    async def _follow_claim(self) -> None:
        await self._lock.succeeded.wait()
        self._halt(_SUCCEEDED)

    async def _tell_successor(self) -> None:
        """Tell the host why this stream ends, unless it has stopped reading."""
        if (claim := self._lock.successor) is None or self._helper.killed:
            return
        waits = [
            asyncio.ensure_future(self._send(encode_failure(0, claimed(claim, live=True)))),
            asyncio.ensure_future(self._world.clock.sleep(_LAST_MS)),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._halt(2)  # a bug in the helper: stopping is better than a partial service

    def _halt(self, code: int) -> None:
        if not self._over.done():
            self._over.set_result(code)

    async def _read(self) -> None:
        decoder = FrameDecoder()
        code = 1
        try:
            while data := await self._stdin.read():
                self._last_byte = self._world.clock.now()
                for frame in decoder.feed(data):
                    await self._receive(frame)
            code = 0
        except (ProtocolError, OSError):
            pass
        finally:
            self._halt(code)

    async def _receive(self, frame: Frame) -> None:
        kind, number, payload = frame
        if kind == FrameKind.CALL:
            if number <= self._last_call:
                raise ProtocolError("Call numbers rise.")
            self._last_call = number
            try:
                self._calls.admit(number, payload)
            except HelperFailure as failure:
                await self._send(encode_failure(number, failure))
        elif kind == FrameKind.CANCEL:
            await self._calls.cancel(number)
        elif kind == FrameKind.PING:
            await self._send(encode_frame(Frame(FrameKind.PONG, number)))
        else:
            raise ProtocolError("A host sends CALL, CANCEL and PING.")

    async def _send(self, data: bytes) -> None:
        async with self._writing:
            try:
                await self._stdout.write(data)
            except OSError:
                self._halt(1)

    async def _watch(self) -> None:
        """Exit if the host is silent for too long; release UiAutomation when it is idle."""
        clock = self._world.clock
        while True:
            now = clock.now()
            silence = self._last_byte + SILENCE_SECONDS * 1000
            if now >= silence:
                return self._halt(1)
            try:
                wakes = min(silence, self._helper.hold.release_idle(now))
            except HelperFailure:
                return self._halt(1)  # Android takes UiAutomation from a process that has ended
            await clock.sleep(wakes - clock.now())
