"""The Java helper on a JVM with a virtual world: a stage of the contract suite.

The program is the one that phones run, except for the calls into Android, which arrive here over a
second pair of pipes. The clock is the test's, and a test can wait until no thread of the JVM has
anything left to do.
"""

import asyncio
import heapq
import inspect
import json
import os
import shutil
import tempfile
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from handheld.helper.protocol import Claim, Frame
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.polling import HANG

from .host import Host
from .java_world import JavaWorld, failure_of

TARGET = Path(__file__).parents[3] / "helper" / "target"
CLASSES = (TARGET / "classes", TARGET / "test-classes")
MAIN = "dev.handheld.helper.bridge.BridgeMain"
BUILD = "0123456789abcdef"
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx128m")
"""The suite starts hundreds of short JVMs."""
LINE_LIMIT = 64 * 1024 * 1024


def why_not() -> str | None:
    """Return why there is no Java helper to test; None when there is."""
    if shutil.which("java") is None:
        return "no java: `bash .ci/run` installs a JDK"
    main = CLASSES[1] / f"{MAIN.replace('.', '/')}.class"
    return (
        None if main.exists() else "the helper's classes are not built: `make helper` builds them"
    )


class JavaClock(ManualClock):
    """Lets every JVM become idle before time passes, and after each timer that fires."""

    def __init__(self) -> None:
        super().__init__()
        self.bridges: list[Bridge] = []

    async def quiet(self) -> None:
        """Wait until nothing is left to do without time passing."""
        for bridge in self.bridges:
            await bridge.quiet()

    async def advance(self, ms: float) -> None:
        await self.quiet()
        end = self._now + ms
        while self._sleepers and self._sleepers[0][0] <= end:
            self._now, _, waker = heapq.heappop(self._sleepers)
            if not waker.done():
                self._say()
                waker.set_result(None)
                for _ in range(5):
                    await asyncio.sleep(0)
                await self.quiet()
        self._now = end
        self._say()
        # The helper's own stream is another pipe: a call that is written now must not overtake the
        # time, or its budget would begin in the past.
        await self.quiet()

    async def advance_regardless(self, ms: float) -> None:
        """Without waiting for a JVM: a thread that cannot write never becomes idle."""
        await super().advance(ms)

    def _say(self) -> None:
        for bridge in self.bridges:
            bridge.send({"now": self._now})


class Bridge:
    """One JVM and its connection to the world."""

    def __init__(self, clock: JavaClock, process: asyncio.subprocess.Process) -> None:
        self._clock, self._process = clock, process
        self._tasks: set[asyncio.Task[Any]] = set()
        self._sleeps: dict[int, asyncio.Task[Any]] = {}
        self._sent = 0
        self._rest: asyncio.Future[None] | None = None
        self._over = asyncio.Event()
        self._writer: asyncio.WriteTransport | None = None
        self._reading: asyncio.ReadTransport | None = None
        self.world: JavaWorld | None = None

    async def open(self, into: int, out_of: int) -> None:
        """Take our ends of the two pipes."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(LINE_LIMIT)
        self._reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(out_of, "rb", 0)
        )
        self._writer, _ = await loop.connect_write_pipe(
            asyncio.BaseProtocol, os.fdopen(into, "wb", 0)
        )
        self.start(self._read(reader))

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def send(self, message: Mapping[str, Any]) -> None:
        if self._writer is not None and not self._over.is_set():
            self._sent += 1
            # Escaped, so that lone surrogates arrive unchanged.
            self._writer.write(json.dumps(message).encode() + b"\n")

    async def quiet(self) -> None:
        while not self._over.is_set():
            self._rest = asyncio.get_running_loop().create_future()
            self.send({"quiet": self._sent})
            sent = self._sent
            ended = asyncio.ensure_future(self._over.wait())
            async with asyncio.timeout(HANG):
                await asyncio.wait((self._rest, ended), return_when=asyncio.FIRST_COMPLETED)
            ended.cancel()
            await asyncio.gather(ended, return_exceptions=True)
            if self._sent == sent:
                return

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            self._receive(json.loads(line))
        self._over.set()

    def _receive(self, message: dict[str, Any]) -> None:
        assert self.world is not None
        match message:
            case {"quiet": _}:
                if self._rest is not None and not self._rest.done():
                    self._rest.set_result(None)
            case {"sleep": number, "until": until}:
                self._sleeps[number] = self.start(self._sleep(number, until))
            case {"unsleep": number}:
                if task := self._sleeps.pop(number, None):
                    task.cancel()
            case {"log": text}:
                self.world.log(text)
            case {"stay_up": up}:
                self.world.up.append(up)
            case {"id": number, "call": name, "arguments": arguments}:
                self._call(number, name, arguments)
            case _:
                raise ValueError(message)

    async def _sleep(self, number: int, until: float) -> None:
        await self._clock.sleep(until - self._clock.now())
        self._sleeps.pop(number, None)
        self.send({"due": number})

    def _call(self, number: int, name: str, arguments: list[Any]) -> None:
        assert self.world is not None
        try:
            value = self.world.answer(name, arguments)
        except Exception as problem:
            self.send({"id": number, **failure_of(problem)})
            return
        if inspect.isawaitable(value):
            self.start(self._wait(number, value))
        else:
            self.send({"id": number, "value": value})

    async def _wait(self, number: int, value: Any) -> None:
        try:
            self.send({"id": number, "value": await value})
        except Exception as problem:
            self.send({"id": number, **failure_of(problem)})

    async def ended(self) -> int:
        """Wait until the process is gone and its resources are free; return its exit code."""
        code = await self._process.wait()
        await self._over.wait()
        self._end()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return code

    def _end(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self.world is not None:
            self.world.end()
            self.world = None
        for transport in (self._writer, self._reading):
            if transport is not None:
                transport.close()


class JavaPipes:
    """Standard input and output of a JVM."""

    def __init__(self, bridge: Bridge, process: asyncio.subprocess.Process) -> None:
        self._bridge, self._process = bridge, process
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    async def read(self) -> bytes:
        return await self._stdout.read(65536)

    async def write(self, data: bytes) -> None:
        with suppress(ConnectionError):
            self._stdin.write(data)
            await self._stdin.drain()

    async def end(self) -> None:
        self._stdin.close()

    async def exit_code(self) -> int:
        return await self._bridge.ended()

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        self._stdin.close()
        while await self.read():
            pass  # asyncio does not count a process as exited before its output is read
        await self._bridge.ended()


class JavaStage:
    def __init__(self) -> None:
        self.clock = JavaClock()
        phone = VirtualPhone(clock=self.clock)
        self.world, self.files = phone.world, phone.files
        self.worlds: list[JavaWorld] = []
        """The world as each started helper reaches it."""
        self._folder = tempfile.TemporaryDirectory(prefix="handheld-java-")
        self._running: list[JavaPipes] = []

    @property
    def lock_file(self) -> Path:
        return Path(self._folder.name) / "handheld.lock"

    @property
    def claim_file(self) -> Path:
        return Path(self._folder.name) / "handheld.claim"

    def leave(self, text: str) -> None:
        (Path(self._folder.name) / "handheld.left").write_text(text)

    def put(self, name: str, mtime: float | None = None) -> None:
        path = Path(self._folder.name) / name
        path.write_bytes(b"x")
        if mtime is not None:
            os.utime(path, (mtime, mtime))

    def has(self, name: str) -> bool:
        return (Path(self._folder.name) / name).exists()

    def has_ended(self) -> bool:
        """Return whether no helper runs any more, though nobody has read its output."""
        return all(pipes.has_ended for pipes in self._running)

    async def start(self, client: str = "suite", claim: Claim | None = None) -> tuple[Host, Frame]:
        pipes = await self._spawn(client, claim)
        self._running.append(pipes)
        host = Host(pipes, self.clock.advance, self.clock.quiet)
        return host, await host.greet()

    async def _spawn(self, client: str, claim: Claim | None) -> JavaPipes:
        from_here, into = os.pipe()
        out_of, to_here = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *("java", *QUICK, "-cp", os.pathsep.join(map(str, CLASSES)), MAIN),
                *(f"/proc/self/fd/{from_here}", f"/proc/self/fd/{to_here}"),
                *(self._folder.name, BUILD),
                *("host=here", "pid=7", f"client={client}"),
                *(() if claim is None else (f"claim={claim}",)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                pass_fds=(from_here, to_here),
                # Code that waits for idle does not read: a screenshot must fit in the pipe
                # meanwhile.
                limit=1 << 18,
            )
        finally:
            os.close(from_here)
            os.close(to_here)
        bridge = Bridge(self.clock, process)
        holder = f"handheld, {client}, pid 7 on here"
        bridge.world = JavaWorld(self.world, self.files, holder, bridge.send, bridge.start)
        self.worlds.append(bridge.world)
        await bridge.open(into, out_of)
        self.clock.bridges.append(bridge)
        return JavaPipes(bridge, process)

    async def aclose(self) -> None:
        for pipes in self._running:
            await pipes.kill()
        self._folder.cleanup()
