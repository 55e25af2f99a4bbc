"""The implementations that the suite runs against."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Protocol

import pytest

from handheld.adb.direct import DirectLink
from handheld.adb.shell import ShellStream, spawn
from handheld.adb.wire import SHELL_EXIT, SHELL_STDOUT
from handheld.helper.jar import bundled_jar
from handheld.helper.protocol import JAR_FOLDER, LEFT_FILE, Claim, Frame
from handheld_virtual.files.tree import FileTree
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.reference_helper.protocol.holder_lock import HolderLock
from handheld_virtual.reference_helper.protocol.session import HelperSession
from handheld_virtual.sh.streams import Pipe
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World
from harness.patient_clock import PatientClock

from .host import Host, Pipes
from .java_stage import JavaStage, why_not

BUILD = "0123456789abcdef"


class Stage(Protocol):
    """A phone with one implementation of the helper on it."""

    world: World
    files: FileTree

    @property
    def clock(self) -> ManualClock: ...

    async def start(self, client: str = "suite", claim: Claim | None = None) -> tuple[Host, Frame]:
        """Start a helper; return its first frame."""
        ...

    def leave(self, text: str) -> None:
        """What hosts changed and did not put back, as their commands write it there."""
        ...

    def put(self, name: str, mtime: float | None = None) -> None:
        """Write a file where the helper's jar lies, now or at that time."""
        ...

    def has(self, name: str) -> bool:
        """Return whether there is such a file."""
        ...

    async def aclose(self) -> None: ...


class MemoryPipes:
    """The reference helper in this process, without adb."""

    def __init__(self, world: World, files: FileTree, client: str, claim: Claim | None) -> None:
        self._stdin, self._stdout = Pipe(), Pipe()
        session = HelperSession(
            world,
            self._stdin,
            self._stdout,
            build=BUILD,
            holder={"host": "here", "pid": 7, "client": client},
            lock=HolderLock(files, world.clock),
            claim=claim,
        )
        self._task = asyncio.create_task(self._run(session))

    async def _run(self, session: HelperSession) -> int:
        try:
            return await session.run()
        finally:
            self._stdout.end()

    async def read(self) -> bytes:
        return await self._stdout.read()

    async def write(self, data: bytes) -> None:
        await self._stdin.write(data)

    async def end(self) -> None:
        self._stdin.end()

    async def exit_code(self) -> int:
        return await self._task

    async def kill(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class VirtualStage:
    """A virtual phone of its own."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.phone = VirtualPhone(clock=self.clock)
        self.world, self.files = self.phone.world, self.phone.files

    def leave(self, text: str) -> None:
        self.files.write(LEFT_FILE, text.encode(), 0o600)

    def put(self, name: str, mtime: float | None = None) -> None:
        path = f"{JAR_FOLDER}/{name}"
        self.files.write(path, b"x")
        if mtime is not None:
            self.files.set_time(path, mtime)

    def has(self, name: str) -> bool:
        return self.files.exists(f"{JAR_FOLDER}/{name}")


class MemoryStage(VirtualStage):
    def __init__(self) -> None:
        super().__init__()
        self._running: list[Pipes] = []

    async def start(self, client: str = "suite", claim: Claim | None = None) -> tuple[Host, Frame]:
        pipes = MemoryPipes(self.world, self.files, client, claim)
        self._running.append(pipes)
        host = Host(pipes, self.clock.advance)
        return host, await host.greet()

    async def aclose(self) -> None:
        for pipes in self._running:
            await pipes.kill()


class ShellPipes:
    """The reference helper as a program on a virtual phone, at the end of a shell stream."""

    def __init__(self, phone: VirtualPhone, stream: ShellStream) -> None:
        self._phone = phone
        self._stream = stream
        self._code: int | None = None

    async def read(self) -> bytes:
        while (packet := await self._stream.read()) is not None:
            if packet.id == SHELL_EXIT:
                self._code = packet.data[0]
            elif packet.id == SHELL_STDOUT:
                return packet.data
        return b""

    async def write(self, data: bytes) -> None:
        await self._stream.write(data)

    async def end(self) -> None:
        await self._stream.close_stdin()

    async def exit_code(self) -> int:
        assert self._code is not None
        return self._code

    async def kill(self) -> None:
        assert self._phone.kill("handheld") == 1
        while await self.read():
            pass

    async def aclose(self) -> None:
        await self._stream.aclose()


class PhoneStage(VirtualStage):
    def __init__(self) -> None:
        super().__init__()
        self._link: DirectLink | None = None
        self._opened: list[ShellPipes] = []

    async def start(self, client: str = "suite", claim: Claim | None = None) -> tuple[Host, Frame]:
        if self._link is None:
            await self.phone.start()
            self._link = await DirectLink.connect(
                "127.0.0.1", self.phone.port, clock=PatientClock()
            )
        jar = bundled_jar()
        self.phone.files.write(jar.path, jar.data)
        command = jar.start_command(host="here", pid=7, client=client, claim=claim)
        pipes = ShellPipes(self.phone, await spawn(self._link, command))
        self._opened.append(pipes)
        host = Host(pipes, self.clock.advance)
        return host, await host.greet()

    async def aclose(self) -> None:
        for pipes in self._opened:
            await pipes.aclose()
        if self._link is not None:
            await self._link.aclose()
        await self.phone.aclose()


STAGES: dict[str, Callable[[], Stage]] = {
    "reference helper in memory": MemoryStage,
    "reference helper on a virtual phone": PhoneStage,
    "java": JavaStage,
}
MARKS = {"reference helper on a virtual phone": pytest.mark.matrix, "java": pytest.mark.needs_java}
"""`make test` runs the suite in this process only; most other tests already rely on the reference
helper as a program on a virtual phone."""


@pytest.fixture(autouse=True)
def java_is_there(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("needs_java") and (reason := why_not()):
        pytest.fail(reason)


@pytest.fixture(params=[pytest.param(name, marks=MARKS.get(name, ())) for name in STAGES])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    stage = STAGES[request.param]()
    yield stage
    await stage.aclose()


@pytest.fixture
async def host(stage: Stage) -> Host:
    """A host whose helper has sent HELLO."""
    return (await stage.start())[0]
