"""The surface of a test behind an engine: a gateway, a real server, and a host that has it.

With `--through engine` the fixtures that serve a phone put this between their server and the
phone's surface, so that the same tests tell whether a gateway does as one machine does.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from engine.lab import Lab
from handheld import __version__
from handheld.access.tool_filter import EVERYTHING, ToolFilter
from handheld.engine.directory import HostRow, PhoneRow, Registrar
from handheld.engine.joining import Joined
from handheld.engine.wire import Wire
from handheld.errors import UnknownPhone
from handheld.fleet.door import Door
from handheld.fleet.members import open_gateway
from handheld.fleet.surface import FleetSurface
from handheld.phone.leases import Leases
from handheld.surface.protocols import Surface
from handheld.toolkit.call import Caller
from handheld.toolkit.listing import Item, Listing
from patient_clock import PatientClock


class Current:
    """The surface that a test has now."""

    def __init__(self, surface: Callable[[], Surface]) -> None:
        self._surface = surface

    async def instructions(self, tool_filter: ToolFilter = EVERYTHING) -> str:
        return await self._surface().instructions(tool_filter)

    async def tools(self, tool_filter: ToolFilter = EVERYTHING) -> Sequence[Listing]:
        return await self._surface().tools(tool_filter)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        tool_filter: ToolFilter = EVERYTHING,
    ) -> Sequence[Item]:
        return await self._surface().call(name, arguments, caller, tool_filter)

    async def aclose(self) -> None: ...


@asynccontextmanager
async def open_way(lab: Lab, surface: Surface, *phones: str) -> AsyncGenerator[FleetSurface]:
    """To a host that says to have these phones, and calls `surface`, whatever phone is meant."""
    clock = PatientClock()
    await lab.set_up()
    member = lab.member("host")
    wire = Wire(member, clock)
    door = Door(wire, surface, Leases(clock), clock)
    registrar = Registrar(wire, HostRow("desk", __version__), clock)
    for phone in phones:
        registrar.set(PhoneRow(phone))
    async with wire:
        await wire.ready(60)
        writing = asyncio.create_task(registrar.run())
        try:
            joined = Joined("gateway", "front", "main", lab.member("gateway"))
            async with open_gateway(joined, clock=clock) as gateway:
                for phone in phones:
                    await _until_known(gateway, phone)
                yield gateway
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            await door.aclose()


async def _until_known(gateway: FleetSurface, phone: str) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await gateway.tools(ToolFilter(phone))
                return
            except UnknownPhone:
                await asyncio.sleep(0)
