"""The client of the helper. It pushes the helper when it is missing, starts it at the first call,
keeps it alive and restarts it when it dies."""

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio

from ..adb import shell, sync
from ..adb.link import AdbError, Link, LinkLost
from ..clock import Clock
from .claim import PhoneClaim, PhoneClaims
from .holder import is_left_over, this_holder
from .jar import Jar, bundled_jar, is_jar
from .protocol import JAR_FOLDER, KEYED, CallRequest, Claim, Code, Happened, HelperFailure, Then
from .session import Answer, HelperLost, HelperSession, Timing

NO_HELPER = "The phone does not let Handheld's helper run: app_process cannot be executed."
CANNOT_EXECUTE = (126, 127)
"""Exit codes of a shell when the program does not exist or may not be run."""
CLOSED = "The connection to the phone was closed."
MOST_REMOVED = 50
"""How many jars of other builds are removed at a time."""
LOG_AFTER = 1.0
"""Seconds of waiting for a former helper before it is logged."""

log = logging.getLogger("handheld")


class HelperNotStarted(HelperLost):
    """The helper could not be started on this phone. Nothing was done."""

    def __init__(self, message: str) -> None:
        super().__init__(message, Happened.NO)


class HelperClient:
    """Calls to the helper on one phone. Nothing is opened before the first call."""

    def __init__(
        self,
        link: Link,
        *,
        client: str = "handheld",
        jar: Jar | None = None,
        timing: Timing | None = None,
        greeted: Callable[[Mapping[str, Any]], bool | None] | None = None,
        clock: Clock | None = None,
        claim: PhoneClaim | None = None,
        identify: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        """`greeted` receives each HELLO, before any call on that stream, and returns whether the
        phone was rebooted since it was last known. When the `claim` changes, the next call ends
        the stream. `identify` tells which phone gets the claim."""
        self.claim = claim or PhoneClaims().of(link.serial)
        self._link = link
        self._greeted = greeted
        self._identify = identify
        self._jar = jar or bundled_jar()
        self._timing = timing or Timing()
        self._clock = clock or link.clock
        self._holder = this_holder(client)
        self._session: HelperSession | None = None
        self._latest: HelperSession | None = None
        self._starting: asyncio.Task[HelperSession] | None = None
        self._connecting = asyncio.Lock()
        self._restarts = 0
        self._boots = 0
        self._ended_at = 0.0
        self._closed = False

    @property
    def session(self) -> HelperSession | None:
        """The current or last stream, even without any call on it: for `doctor`."""
        return self._latest

    @property
    def link(self) -> Link:
        return self._link

    @property
    def connected(self) -> bool:
        return self._usable() is not None

    def _usable(self) -> HelperSession | None:
        session = self._session
        if session is None or session.lost is not None or session.claim != self.claim.claim:
            return None
        return session

    async def connect(self) -> None:
        """Start the helper, if it does not run. Raises as `call` does."""
        if not self.connected:
            await self._connect()

    @property
    def closed(self) -> bool:
        return self._closed

    async def call(
        self,
        do: str,
        with_: dict[str, Any] | None = None,
        *,
        budget_ms: int,
        act: bool = False,
        wake: bool = False,
        then: Then | None = None,
    ) -> Answer:
        """Raises HelperFailure when the helper reports an error, HelperLost when the stream ended
        during the call, AdbError when the helper could not be reached (nothing was done)."""
        request = CallRequest(do, with_ or {}, budget_ms, act, wake, then)
        retried, boots = False, self._boots
        while True:
            session = self._usable()
            if session is None:
                session = await self._connect()
                if self._boots != boots and do in KEYED:
                    raise HelperFailure(Code.GONE, "The phone was started anew.")
            try:
                answer = await session.call(request)
            except HelperLost as lost:
                if retried or self._closed or lost.happened is not Happened.NO:
                    raise
                retried = True
            else:
                self._restarts = 0
                return answer

    async def drop(self) -> None:
        """Stop the running helper, if any. The next call starts another."""
        async with self._connecting:
            if self._session is not None:
                await self._session.aclose()

    async def aclose(self) -> None:
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
        async with self._connecting:
            if self._session is not None:
                await self._session.aclose()

    # Starting.

    async def _connect(self) -> HelperSession:
        async with self._connecting:
            if (session := self._usable()) is not None:
                return session
            if self._session is not None:
                await self._session.aclose()
            self.claim.check()
            if self._closed:
                raise HelperLost(CLOSED, Happened.NO)
            self._starting = asyncio.create_task(self._start())
            try:
                return await self._starting
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if self._closed and task is not None and not task.cancelling():
                    raise HelperLost(CLOSED, Happened.NO) from None
                raise
            finally:
                self._starting = None
                self._ended_at = self._clock.now()

    async def _back_off(self) -> None:
        pauses = self._timing.backoff_seconds
        if self._restarts:
            pause = pauses[min(self._restarts, len(pauses)) - 1]
            since = self._clock.now() - self._ended_at
            if since < pause:
                await self._clock.sleep(pause - since)
        self._restarts += 1

    async def _start(self) -> HelperSession:
        await self._back_off()
        if self._identify is not None and self.claim.required:
            self.claim.belongs_to(await self._identify())
        jar = self._jar
        pushed = await self._size_on_phone() != len(jar.data)
        if pushed:
            await self._push()
        session = await self._open()
        if session.hello.get("build") != jar.build:
            # The file has the right name and length but other content: replace it, once.
            await session.aclose()
            await self._push()
            session = await self._open()
            if (build := session.hello.get("build")) != jar.build:
                await session.aclose()
                message = (
                    f"The phone starts build {build} of the helper although {jar.build} was put "
                    f"there. Remove {jar.path} from the phone and try again."
                )
                raise HelperNotStarted(message)
        if session.claim is not None:
            if Claim.decode(session.hello.get("claim")) != session.claim:
                await session.aclose()
                raise HelperFailure(Code.FAILED, "The phone has not accepted this host.")
            self.claim.accept(session.claim)
        # Kept here, not by the waiting caller, which may be cancelled at this moment: a helper that
        # nobody uses would still hold the phone.
        self._session = session
        if self._greeted is not None and self._greeted(session.hello):
            self._boots += 1
        if pushed:
            await self._remove_others()
        return session

    async def _open(self) -> HelperSession:
        """Start the program. A helper left over by us, or by a process of this machine that no
        longer runs, exits by itself, and we wait for that: usually not long, but after a connection
        that broke silently, for as long as the helper tolerates silence."""
        began = self._clock.now()
        pause, logged = 0.05, False
        while True:
            try:
                return await self._open_once()
            except HelperFailure as failure:
                if failure.code is not Code.IN_USE or not is_left_over(failure.data, self._holder):
                    raise
                waited = self._clock.now() - began
                if waited >= self._timing.leftover_seconds:
                    raise self._still_held(failure) from failure
                if waited > LOG_AFTER and not logged:
                    logged = True
                    log.info(
                        "An earlier helper (pid %s of this machine) still holds %s. It ends by "
                        "itself, within %g s: waiting for that.",
                        failure.data.get("pid"),
                        self._link.serial,
                        self._timing.leftover_seconds,
                    )
            await self._clock.sleep(pause)
            pause = min(2 * pause, 1.0)

    def _still_held(self, failure: HelperFailure) -> HelperFailure:
        seconds = f"{self._timing.leftover_seconds:g}"
        message = (
            f"An earlier helper (started by pid {failure.data.get('pid')} of this machine) holds "
            f"the phone and has not ended within {seconds} s. Restart the phone if it stays so."
        )
        return HelperFailure(Code.IN_USE, message, data={**failure.data, "left_over": True})

    async def _open_once(self) -> HelperSession:
        claim = self.claim.claim
        command = self._jar.start_command(**self._holder, claim=claim)
        stream = await shell.spawn(self._link, command)
        refused = partial(self.claim.refuse, claim)
        session = self._latest = HelperSession(stream, self._timing, self._clock, claim, refused)
        try:
            await session.start()
        except HelperFailure as failure:
            await session.aclose()
            if failure.code is Code.CLAIMED:
                refused(failure)
            raise
        except HelperLost as lost:
            await session.aclose()
            if session.way_lost:
                # This tells nothing about the helper, so it stays in use.
                raise LinkLost(lost.message) from lost
            if session.exit_code in CANNOT_EXECUTE:
                raise HelperNotStarted(NO_HELPER) from lost
            words = bytes(session.stderr).decode(errors="replace").strip()
            last = words.splitlines()[-1][:300] if words else ""
            message = f"{lost.message} It said: {last}" if last else lost.message
            raise HelperNotStarted(message) from lost
        except BaseException:
            await session.aclose()
            raise
        return session

    async def _size_on_phone(self) -> int | None:
        try:
            return (await sync.stat(self._link, self._jar.path)).size
        except sync.SyncError as problem:
            if problem.errno == errno.ENOENT:
                return None
            raise

    async def _push(self) -> None:
        """Push to a temporary name, verify, then move: a partial jar is never started."""
        jar, link = self._jar, self._link
        temporary = jar.temporary()
        try:
            await sync.push(link, jar.data, temporary, mode=0o644)
            summed = await shell.run(link, ["sha256sum", temporary])
            if not summed.stdout.startswith(jar.sha256.encode()):
                raise HelperNotStarted(
                    "The helper's jar did not arrive on the phone as it was sent."
                )
            # adbd creates world-writable files, and Android refuses to run such code.
            moved = await shell.run(link, ["chmod", "444", temporary])
            if not moved.code:
                moved = await shell.run(link, ["mv", "-f", temporary, jar.path])
            if moved.code:
                reason = moved.stderr.decode(errors="replace").strip()
                raise HelperNotStarted(f"The helper's jar could not be put in place: {reason}")
        except sync.SyncError as problem:
            await self._remove(temporary)
            message = f"The helper's jar could not be put on the phone: {problem}"
            raise HelperNotStarted(message) from problem
        except BaseException:
            await self._remove(temporary)
            raise

    async def _remove_others(self) -> None:
        """Remove jars of other builds. A jar that cannot be removed stays."""
        with suppress(AdbError, sync.SyncError):
            entries = await sync.list_folder(self._link, JAR_FOLDER)
            names = [entry.name for entry in entries if is_jar(entry.name)]
            paths = [f"{JAR_FOLDER}/{name}" for name in sorted(names)]
            if others := [path for path in paths if path != self._jar.path][:MOST_REMOVED]:
                await shell.run(self._link, ["rm", "-f", *others])

    async def _remove(self, path: str) -> None:
        # The original error matters, and is already being raised.
        with anyio.CancelScope(shield=True), suppress(AdbError, TimeoutError):
            async with self._clock.timeout(2):
                await shell.run(self._link, ["rm", "-f", path])
