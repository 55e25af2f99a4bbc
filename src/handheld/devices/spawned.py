"""A virtual phone in a process of its own, which ends when we do."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process

from ..adb.direct import DirectLink
from ..adb.link import AdbError, LinkLost
from ..clock import SYSTEM_CLOCK, Clock
from ..settings import VIRTUAL
from . import Told

_START_SECONDS = 30.0
_END_SECONDS = 5.0
_NOTICE_SECONDS = 1.0
_TAIL = 4096


class VirtualPlace:
    """Starts the virtual phone at the first dial, and anew when it has died. A phone that was
    started anew is as at first, so the next caller is told before it acts."""

    name = VIRTUAL

    def __init__(self, told: Told, clock: Clock = SYSTEM_CLOCK) -> None:
        self._told = told
        self.clock = clock
        self._process: Process | None = None
        self._port = 0
        self._errors = b""
        self._drain: asyncio.Task[None] | None = None
        self._had_one = False
        self._news = ""

    async def dial(self) -> DirectLink:
        await self._ensure()
        try:
            return await DirectLink.connect("127.0.0.1", self._port, clock=self.clock)
        except AdbError:
            if not await self._is_gone():
                raise
        await self._ensure()
        return await DirectLink.connect("127.0.0.1", self._port, clock=self.clock)

    async def _ensure(self) -> None:
        """Start the phone where none runs, as far as is known."""
        if self._process is not None and self._process.returncode is None:
            return
        if self._process is not None:
            self._told(f"The virtual phone ended. {self._said()}".rstrip())
        await self._end()
        await self._start()
        again, self._had_one = self._had_one, True
        if again:
            self._news = (
                "The virtual phone had ended and was started anew: everything on it is as at "
                "first. Nothing was done by this call. Read the screen and go on from there."
            )

    async def _is_gone(self) -> bool:
        """A process that dies closes all it had open at once; that it has ended is noticed later,
        on a busy machine much later. So what it wrote to tells, and its end is then waited for."""
        process = self._process
        if process is None or process.stdout is None:
            return True
        try:
            async with self.clock.timeout(_NOTICE_SECONDS):
                if await process.stdout.read(1):
                    return False
        except TimeoutError:
            return False
        await process.wait()
        return True

    def take_news(self) -> str:
        news, self._news = self._news, ""
        return news

    async def aclose(self) -> None:
        await self._end()

    async def _start(self) -> None:
        # A session of its own: Ctrl-C is for us, and the closed stdin tells the phone.
        try:
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "handheld.virtual", "--with-stdin-lifeline", "--port", "0"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
            )
        except OSError as problem:
            raise AdbError(f"The virtual phone did not start: {problem.strerror}.") from problem
        assert process.stdout is not None
        self._errors = b""
        self._drain = asyncio.create_task(self._keep_tail(process), name="drain virtual phone")
        try:
            async with self.clock.timeout(_START_SECONDS):
                line = await process.stdout.readline()
        except TimeoutError:
            await self._end()
            raise LinkLost(
                f"The virtual phone did not start within {_START_SECONDS:g} s."
            ) from None
        except BaseException:
            await self._end()
            raise
        word, _, port = line.decode(errors="replace").strip().partition(" ")
        if word != "PORT" or not port.isdigit():
            await self._end()
            raise AdbError(f"The virtual phone did not start. {self._said()}".rstrip())
        self._port = int(port)

    async def _keep_tail(self, process: Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(_TAIL):
            self._errors = (self._errors + data)[-_TAIL:]

    def _said(self) -> str:
        lines = self._errors.decode(errors="replace").strip().splitlines()
        return f"It said: {lines[-1]}" if lines else ""

    async def _end(self) -> None:
        process, drain = self._process, self._drain
        self._process = self._drain = None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with self.clock.timeout(_END_SECONDS):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        finally:
            if drain is not None:
                await asyncio.gather(drain, return_exceptions=True)
