"""A whole fleet on this machine: engine, hosts with virtual phones, a gateway, each in processes of
its own."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.fleet.nats.lab import Lab

from handheld.fleet.nats.joining import Joined
from handheld.settings.folders import Folders

from .client import Client
from .ports import keep_port
from .programs import TOKEN, cpu_seconds, healthy, proportional_mb, running

ON_A_HOST = 250
"""Phones, at most; those of a host are one process of virtual phones."""
CLIENT, GATEWAY, ENGINE, HOST, PHONES = ROLES = (
    "client",
    "gateway",
    "engine",
    "hosts",
    "virtual phones",
)
_KNOWN_SECONDS = 300.0


@dataclass
class FleetPrograms:
    lab: Lab
    gateway: int
    """Its port, as is `host` that of the first host."""
    host: int
    slugs: list[str]
    pids: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def spent(self) -> dict[str, float]:
        """Seconds of processor time by role."""
        return {role: sum(map(cpu_seconds, pids)) for role, pids in self.pids.items()}

    def memory(self) -> dict[str, float]:
        """MB by role. What processes have in common counts once."""
        return {role: sum(map(proportional_mb, pids)) for role, pids in self.pids.items()}


@asynccontextmanager
async def fleet_programs(home: Path, count: int) -> AsyncGenerator[FleetPrograms]:
    """With that many phones, whose slugs are p0 and on."""
    async with AsyncExitStack() as stack:
        lab = Lab(home / "engine")
        stack.callback(lab.close)
        await lab.set_up()
        pids: dict[str, list[int]] = {ENGINE: [lab.processes[1].pid], HOST: [], PHONES: []}
        first_host = 0
        for first in range(0, count, ON_A_HOST):
            number = min(ON_A_HOST, count - first)
            own = ("--count", str(number), "--serial", f"h{first // ON_A_HOST}")
            arguments = ("virtual", "--with-stdin-lifeline", "--port", "0", *own)
            virtual = await stack.enter_async_context(running(("-m", "handheld", *arguments), home))
            pids[PHONES].append(virtual.pid)
            assert virtual.stdout is not None
            lines = [(await virtual.stdout.readline()).decode() for _ in range(number)]
            ports = [int(line.removeprefix("PORT ")) for line in lines]
            folder = _join(lab, home, "host", f"host{first // ON_A_HOST}")
            tables = [
                f'[phones."127.0.0.1:{port}"]\nslug = "p{first + n}"\n'
                for n, port in enumerate(ports)
            ]
            (folder / "handheld.toml").write_text("".join(tables), encoding="utf-8")
            port = keep_port()
            first_host = first_host or port
            host = await stack.enter_async_context(
                running(("-m", "handheld", "host", "--port", str(port)), folder)
            )
            pids[HOST].append(host.pid)
            await healthy(port)
        port = keep_port()
        folder = _join(lab, home, "gateway", "front")
        gateway = await stack.enter_async_context(
            running(("-m", "handheld", "gateway", "--port", str(port)), folder)
        )
        pids[GATEWAY] = [gateway.pid]
        await healthy(port)
        slugs = [f"p{number}" for number in range(count)]
        await _until_known(port, slugs)
        yield FleetPrograms(lab, port, first_host, slugs, pids)


def _join(lab: Lab, home: Path, role: str, name: str) -> Path:
    folder = home / name
    folder.mkdir()
    joined = Joined(role, name, "main", lab.member(role))
    joined.save(Folders(folder, folder / "state").joined(role))
    return folder


async def _until_known(port: int, slugs: list[str]) -> None:
    """Wait until the gateway knows the phones, and each was used once."""
    missing = list(slugs)
    async with asyncio.timeout(_KNOWN_SECONDS), Client("127.0.0.1", port, TOKEN) as client:
        while missing:
            try:
                await client.call("android_get_screen_state", {"device": missing[-1]})
                missing.pop()
            except RuntimeError:
                await asyncio.sleep(0.2)
