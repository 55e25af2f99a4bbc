"""The programs of a fleet: engine nodes, hosts, gateways, phones. Each is killed, stopped and
started again while the others run."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from tests.fleet.nats.lab import ROOT, Lab, nats_server
from tests.fleet.nats.network import Link, Namespace

from handheld.fleet.nats.joining import Joined
from handheld.settings.folders import Folders

from ..programs import READY_SECONDS, ended
from ..relay import Relay

NODES = 3
STORE_MB = 512
"""More than a run of a quarter of an hour writes: a node whose disk is full stores nothing until it
is started again."""
ARGUMENTS = ("--config", "nats-server.conf")
IN_FOLDER = 'cd "$0" && exec "$@"'
HANDHELD = ("-P", "-m", "handheld")


class Engine(Lab):
    """Where the system allows it, the store of each node has a small file system of its own, in a
    mount namespace that lasts longer than the nodes."""

    def __init__(self, path: Path, namespaces: Sequence[Namespace]) -> None:
        """`namespaces`: those of its nodes, or none."""
        self._disks: subprocess.Popen[bytes] | None = None
        self._inside: tuple[str, ...] = ()
        super().__init__(path, NODES, namespaces=namespaces)

    def inside(self, number: int) -> tuple[str, ...]:
        return (*self._inside, *super().inside(number))

    def start(self, number: int) -> None:
        if number == 1 and not self.processes:
            self._make_disks()
        server = nats_server()
        assert server is not None
        folder = self.folder.node(number)
        with (folder / "log").open("ab") as log:
            self.processes[number] = subprocess.Popen(
                # Entering a mount namespace leaves the folder.
                [*self.inside(number), "sh", "-c", IN_FOLDER, folder, server, *ARGUMENTS],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _make_disks(self) -> None:
        stores = [self.folder.node(number) / "store" for number in range(1, NODES + 1)]
        for store in stores:
            store.mkdir(parents=True, exist_ok=True)
        mount = f'mount -t tmpfs -o size={STORE_MB}m,mode=700 none "$store"'
        script = f'for store in "$@"; do {mount} || exit 1; done; echo ready; exec cat'
        ways = (("--mount",), ("--mount", "--user", "--map-root-user"))
        for way in ways if shutil.which("unshare") and shutil.which("nsenter") else ():
            holder = subprocess.Popen(
                ["unshare", *way, "sh", "-c", script, "sh", *stores],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert holder.stdout is not None
            if holder.stdout.readline():
                namespaces = [word for word in way if word != "--map-root-user"]
                keep = ["--preserve-credentials"] if "--user" in way else []
                self._inside = ("nsenter", "--target", str(holder.pid), *namespaces, *keep)
                self._disks = holder
                return
            holder.kill()
            holder.communicate()

    @property
    def own_disks(self) -> bool:
        return self._disks is not None

    def fill_disk(self, number: int) -> None:
        with suppress(OSError), self._filler(number).open("wb", buffering=0) as file:
            for size in (1024 * 1024, 4096, 1):
                with suppress(OSError):
                    while True:
                        file.write(bytes(size))

    def free_disk(self, number: int) -> None:
        self._filler(number).unlink(missing_ok=True)

    def _filler(self, number: int) -> Path:
        assert self._disks is not None
        store = self.folder.node(number) / "store"
        return Path(f"/proc/{self._disks.pid}/root{store}") / "filler"

    def close(self) -> None:
        self.heal()
        super().close()
        if self._disks is not None:
            self._disks.communicate()


class Member:
    """A host or gateway, and its links to the engine."""

    def __init__(
        self,
        name: str,
        home: Path,
        command: Sequence[str],
        environment: dict[str, str],
        port: int,
        namespace: Namespace | None,
    ) -> None:
        """`port`: where clients reach it; 0 if they do not."""
        self.name = name
        self.id = ""
        """Which the engine knows it by."""
        self._port = port
        self.links: list[Relay] = []
        """One for each node, unless it runs in a namespace."""
        self.far_links: Sequence[Link] = ()
        """One for each node, if it does."""
        self._namespace = namespace
        self._home, self._command, self._environment = home, command, environment
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        inside = () if self._namespace is None else self._namespace.inside
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*inside, sys.executable, *self._command],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def signal(self, which: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(which)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    async def ready(self) -> None:
        """Wait until it can be reached. Raises TimeoutError."""
        async with asyncio.timeout(READY_SECONDS):
            while self._port:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self._port)
                except OSError:
                    await asyncio.sleep(0.1)
                else:
                    writer.close()
                    return

    def check(self) -> None:
        """Raises RuntimeError if it ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError(f"{self.name} has ended; its log is in {self._home}")


@asynccontextmanager
async def member(
    engine: Lab,
    role: str,
    name: str,
    home: Path,
    *,
    command: Sequence[str],
    environment: dict[str, str],
    port: int = 0,
    namespace: Namespace | None = None,
) -> AsyncGenerator[Member]:
    """One that joined already, and dials each node through a relay of its own, or from its
    namespace."""
    own = {**os.environ, "HANDHELD_HOME": str(home), **environment}
    made = Member(name, home, command, own, port, namespace)
    membership = engine.member(role)
    made.id = membership.id
    try:
        if namespace is not None:
            made.far_links = [namespace.link_to(each.place) for each in engine.namespaces]
        else:
            for node in engine.plan.nodes:
                made.links.append(await Relay(node.port, node.host).__aenter__())
            servers = tuple(f"localhost:{relay.port}" for relay in made.links)
            membership = replace(membership, servers=servers)
        joined = Joined(role, name, "main", membership)
        joined.save(Folders(home, home / "state").joined(role))
        made.start()
        yield made
    finally:
        made.kill()
        for relay in made.links:
            await relay.__aexit__()


@asynccontextmanager
async def phones(
    names: Sequence[str], journal: Path, home: Path, inside: Sequence[str] = ()
) -> AsyncGenerator[dict[str, int]]:
    """The port of each. `inside`: what the command begins with."""
    with (home / "phones.stderr").open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *(*inside, sys.executable, "-m", "chaos.fleet.phones", "--journal", journal, *names),
            cwd=ROOT,
            stdin=PIPE,
            stdout=PIPE,
            stderr=stderr,
        )
    async with ended(process):
        assert process.stdout is not None
        async with asyncio.timeout(READY_SECONDS):
            ports = json.loads(await process.stdout.readline())
        yield dict(zip(names, ports, strict=True))
