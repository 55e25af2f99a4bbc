"""Engines for tests: real servers of their own, and members that joined them."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from bench.ports import keep_port

from handheld.clock import SYSTEM_CLOCK
from handheld.fleet.nats.administration import Administration
from handheld.fleet.nats.credentials import admin_credential, member_credential
from handheld.fleet.nats.names import member_id
from handheld.fleet.nats.nkeys import USER, KeyPair
from handheld.fleet.nats.plan import (
    MONITOR,
    ROUTES,
    EngineError,
    EngineFolder,
    EngineNode,
    EnginePlan,
)
from handheld.fleet.nats.wire import EngineWire, Membership
from handheld.tasks.phone_time import PatientClock
from harness.polling import HANG

from .network import Namespace

ROOT = Path(__file__).resolve().parents[3]
INSTALLED = ROOT / "build" / "tools" / "bin"
"""Where `make test WHAT=fleet` puts a nats-server."""


async def until(holds: Callable[[], object]) -> None:
    """Wait for what other tasks and processes do."""
    async with asyncio.timeout(HANG):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0)


def nats_server() -> Path | None:
    places = (os.environ.get("PATH", ""), str(Path(sys.executable).parent), str(INSTALLED))
    found = shutil.which("nats-server", path=os.pathsep.join(places))
    return Path(found) if found else None


def keep_node(host: str = "localhost") -> EngineNode:
    """One whose ports nobody else gets: it has one for routes and one for monitoring, too."""
    while True:
        port = keep_port()
        with suppress(OSError, OverflowError):
            for above in (ROUTES, MONITOR):
                keep_port(port + above)
            return EngineNode(host, port)


class Lab:
    """An engine and its processes."""

    def __init__(
        self,
        path: Path,
        nodes: int = 1,
        tenants: tuple[str, ...] = ("main",),
        host: str = "localhost",
        namespaces: Sequence[Namespace] = (),
    ) -> None:
        """`host`: the address by which its nodes are reached, unless each has a namespace."""
        self.folder = EngineFolder(path)
        places = tuple(keep_node(host) for _ in range(nodes))
        if namespaces:
            places = tuple(
                EngineNode(its.address, node.port)
                for its, node in zip(namespaces, places, strict=True)
            )
        self.namespaces = namespaces
        self.plan: EnginePlan = self.folder.create(places, tenants, SYSTEM_CLOCK.time())
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.authority = self.folder.authority.read_text(encoding="utf-8")
        for number in range(1, nodes + 1):
            self.start(number)

    def inside(self, number: int) -> tuple[str, ...]:
        """What the command of a node begins with."""
        return self.namespaces[number - 1].inside if self.namespaces else ()

    def start(self, number: int) -> None:
        server = nats_server()
        assert server is not None
        folder = self.folder.node(number)
        with (folder / "log").open("ab") as log:
            self.processes[number] = subprocess.Popen(
                [*self.inside(number), server, "--config", "nats-server.conf"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def signal(self, number: int, which: signal.Signals) -> None:
        self.processes[number].send_signal(which)

    def pause(self, number: int) -> None:
        """Stop it with all that it has to send, and wait until it stands still."""
        self.signal(number, signal.SIGSTOP)
        os.waitid(os.P_PID, self.processes[number].pid, os.WSTOPPED | os.WNOWAIT)

    def kill(self, number: int) -> None:
        self.processes[number].kill()
        self.processes[number].wait()

    def close(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()

    def log(self, number: int = 1) -> str:
        return (self.folder.node(number) / "log").read_text(encoding="utf-8")

    @property
    def administration(self) -> Administration:
        return Administration(self.folder)

    def member(self, role: str, tenant: str = "main") -> Membership:
        """As if it had joined."""
        key = KeyPair.make(USER)
        name = member_id(role, key.public)
        signer, account = self.folder.signer(tenant, role), self.plan.tenants[tenant]
        credential = member_credential(signer, account, key.public, name, SYSTEM_CLOCK.time())
        return Membership(name, self.plan.addresses, self.authority, key, credential)

    def admin(self, tenant: str = "main") -> Membership:
        """Of a tenant's tables."""
        return self.admin_of(self.folder.tables(tenant))

    def admin_of(self, account: KeyPair) -> Membership:
        key = KeyPair.make(USER)
        signed = admin_credential(account, key.public, SYSTEM_CLOCK.time(), 600)
        return Membership("admin", self.plan.addresses, self.authority, key, signed)

    @asynccontextmanager
    async def wires(self, *members: Membership) -> AsyncGenerator[list[EngineWire]]:
        """Connected wires, which take a busy machine for no silent server."""
        async with AsyncExitStack() as stack:
            wires = [
                await stack.enter_async_context(EngineWire(each, PatientClock()))
                for each in members
            ]
            for wire in wires:
                await wire.ready(60)
            yield wires

    async def set_up(self) -> None:
        """Make the tables of every tenant, as admitting the first member does."""
        async with asyncio.timeout(HANG):
            for tenant in self.plan.tenants:
                # A cluster takes seconds to agree on a leader, more on a slow disk.
                while True:
                    try:
                        await self.administration.bring_up_to_date(self.plan, tenant)
                        break
                    except EngineError:
                        await asyncio.sleep(0)

    def heal(self) -> None:
        """Start what was killed, and let go on what was stopped."""
        for number, process in list(self.processes.items()):
            if process.poll() is not None:
                self.start(number)
            else:
                process.send_signal(signal.SIGCONT)


def through(membership: Membership, *addresses: str) -> Membership:
    """The same member, by other addresses."""
    return replace(membership, servers=addresses)


class Relay:
    """Between a client and a server. `cut` drops connections, `hold` keeps bytes back without
    closing anything, as a silent network does; what passes keeps its order."""

    def __init__(self, target: EngineNode) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.held = 0
        """Pieces that were kept back."""
        self._out, self._back = asyncio.Event(), asyncio.Event()
        self.release()

    async def __aenter__(self) -> "Relay":
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def close(self) -> None:
        """Let nobody through any more."""
        assert self._server is not None
        self._server.close()
        self.cut()

    async def __aexit__(self, *_: object) -> None:
        await self.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def address(self) -> str:
        assert self._server is not None
        return f"localhost:{self._server.sockets[0].getsockname()[1]}"

    def lead_to(self, target: EngineNode) -> None:
        """From now on, as an address does that another device got."""
        self._target = target
        self.cut()

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def hold(self) -> None:
        self._out.clear()
        self._back.clear()

    def hold_back(self) -> None:
        """Only what the server says."""
        self._back.clear()

    def release(self) -> None:
        self._out.set()
        self._back.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers.append(back)
        ways = ((reader, back, self._out), (there, writer, self._back))
        for way in ways:
            task = asyncio.create_task(self._pass(*way))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: asyncio.Event
    ) -> None:
        try:
            while data := await reader.read(65536):
                self.held += not way.is_set()
                await way.wait()
                writer.write(data)
                await writer.drain()
        except (ConnectionError, OSError):
            pass
        finally:
            writer.transport.abort()
