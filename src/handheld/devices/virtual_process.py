"""A virtual phone in a child process, which exits with this process."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path

from ..adb.direct import DirectLink
from ..adb.keys import AdbKey, encode_public_key, generate_key
from ..adb.link import AdbError, LinkLost
from ..clock import SYSTEM_CLOCK, Clock
from ..settings import VIRTUAL
from . import Notify

_START_SECONDS = 30.0
_EXIT_SECONDS = 5.0
_EXIT_NOTICED_SECONDS = 1.0
_TAIL = 4096


class VirtualEndpoint:
    """Starts the virtual phone at the first dial, and again after it has exited.

    A restarted phone is in its initial state, so the next caller gets a notice before it acts. Only
    this process can connect to it: the port is open to every user of this computer, but the phone
    accepts a single key, which is created at its start and never written anywhere.
    """

    name = VIRTUAL

    def __init__(
        self, notify: Notify, clock: Clock = SYSTEM_CLOCK, scene: str = "", serial: str = ""
    ) -> None:
        """`scene` is the name or file of a scene, as for `handheld virtual`. Without a serial, the
        phone has the scene's."""
        self._notify = notify
        self._serial = serial
        # The process runs in another folder.
        file = scene.endswith(".toml") or os.sep in scene
        self._scene = str(Path(scene).expanduser().absolute()) if file else scene
        self.clock = clock
        self._process: Process | None = None
        self._port = 0
        self._key: AdbKey | None = None
        self._errors = b""
        self._drain: asyncio.Task[None] | None = None
        self._started_before = False
        self._notice = ""

    async def dial(self, on_waiting: Callable[[], None] | None = None) -> DirectLink:
        """The phone knows the key of this process, so no person has to allow it."""
        await self._ensure()
        try:
            return await self._connect()
        except AdbError:
            if not await self._has_exited():
                raise
        await self._ensure()
        return await self._connect()

    async def _connect(self) -> DirectLink:
        assert self._key is not None
        key = self._key
        return await DirectLink.connect("127.0.0.1", self._port, lambda: (key,), clock=self.clock)

    async def _ensure(self) -> None:
        """Start the phone unless it is known to be running."""
        if self._process is not None and self._process.returncode is None:
            return
        if self._process is not None:
            self._notify(f"The virtual phone exited. {self._last_error()}".rstrip())
        await self._stop()
        await self._start()
        restarted, self._started_before = self._started_before, True
        if restarted:
            self._notice = (
                "The virtual phone had ended and was restarted: everything on it is in its"
                " initial state. Nothing was done by this call. Read the screen and go on from"
                " there."
            )

    async def _has_exited(self) -> bool:
        """Whether the process has exited. Its pipes close immediately, but a busy machine may
        report its exit much later: so stdout is checked first, and then the exit is awaited."""
        process = self._process
        if process is None or process.stdout is None:
            return True
        try:
            async with self.clock.timeout(_EXIT_NOTICED_SECONDS):
                if await process.stdout.read(1):
                    return False
        except TimeoutError:
            return False
        await process.wait()
        return True

    def take_notice(self) -> str:
        notice, self._notice = self._notice, ""
        return notice

    async def aclose(self) -> None:
        await self._stop()

    async def _start(self) -> None:
        # In a new session: Ctrl-C is for us, and the phone exits when its stdin closes. It also
        # runs in another folder: ours may contain modules with the names of our own.
        try:
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "handheld_virtual", "--port", "0"),
                *("--with-stdin-lifeline", "--key-on-stdin"),
                *(("--scene", self._scene) if self._scene else ()),
                *(("--serial", self._serial) if self._serial else ()),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
                cwd="/",
            )
        except OSError as problem:
            raise AdbError(f"The virtual phone did not start: {problem.strerror}.") from problem
        assert process.stdin is not None
        assert process.stdout is not None
        self._errors = b""
        self._drain = asyncio.create_task(self._keep_tail(process), name="drain virtual phone")
        try:
            async with self.clock.timeout(_START_SECONDS):
                # Meanwhile the process starts: creating a key takes a tenth of a second.
                self._key = await asyncio.to_thread(generate_key)
                process.stdin.write(encode_public_key(self._key.public).rstrip(b"\0") + b"\n")
                line = await process.stdout.readline()
        except TimeoutError:
            await self._stop()
            raise LinkLost(
                f"The virtual phone did not start within {_START_SECONDS:g} s."
            ) from None
        except BaseException:
            await self._stop()
            raise
        word, _, port = line.decode(errors="replace").strip().partition(" ")
        if word != "PORT" or not port.isdigit():
            await self._stop()
            raise AdbError(f"The virtual phone did not start. {self._last_error()}".rstrip())
        self._port = int(port)

    async def _keep_tail(self, process: Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(_TAIL):
            self._errors = (self._errors + data)[-_TAIL:]

    def _last_error(self) -> str:
        lines = self._errors.decode(errors="replace").strip().splitlines()
        return f"It said: {lines[-1]}" if lines else ""

    async def _stop(self) -> None:
        process, drain = self._process, self._drain
        self._process = self._drain = None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with self.clock.timeout(_EXIT_SECONDS):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        finally:
            if drain is not None:
                await asyncio.gather(drain, return_exceptions=True)
