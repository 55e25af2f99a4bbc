"""The surface of a test behind an engine: a gateway, a real server, and a host that has it.

With `--through engine` the fixtures that serve a phone put this between their server and the
phone's surface, so that the same tests tell whether a gateway does as one machine does.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fleet.nats.lab import Lab, until
from handheld import __version__
from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.calls.protocols import Surface
from handheld.cli.fleet.members import gateway_tools, gateway_v1
from handheld.cli.parts import Parts, make_leases, phone_tags
from handheld.clock import Clock
from handheld.fleet.call_service import CallService
from handheld.fleet.known_phones import KnownPhones
from handheld.fleet.members import open_gateway, open_host
from handheld.fleet.nats.directory import HostRow, PhoneRow, Registrar
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.wire import EngineWire, Membership
from handheld.fleet.publication import HostPhones
from handheld.fleet.surface import FleetSurface
from handheld.helper.claim import PhoneClaims
from handheld.phone.leases.leases import Leases
from handheld.server.options import AnswerV1
from handheld.settings import Settings
from handheld.tools.call import Caller
from handheld.tools.listing import Item, Listing
from handheld.tools.main.fleet import fleet
from harness.patient_clock import PatientClock


class StillClock(PatientClock):
    """Its time does not pass: a busy machine must not look like a gateway that stood still, or like
    a host that is away."""

    def now(self) -> float:
        return 1000.0


class Current:
    """The surface that a test has now."""

    def __init__(self, surface: Callable[[], Surface]) -> None:
        self._surface = surface

    async def instructions(self, scope: RequestScope = EVERYTHING) -> str:
        return await self._surface().instructions(scope)

    async def tools(self, scope: RequestScope = EVERYTHING) -> Sequence[Listing]:
        return await self._surface().tools(scope)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        scope: RequestScope = EVERYTHING,
    ) -> Sequence[Item]:
        return await self._surface().call(name, arguments, caller, scope)

    async def aclose(self) -> None: ...


@asynccontextmanager
async def open_way(lab: Lab, surface: Surface, phone: str) -> AsyncGenerator[FleetSurface]:
    """To a host that says to have this phone, and calls `surface`."""
    clock = StillClock()
    await lab.set_up()
    member = lab.member("host")
    wire = EngineWire(member, clock)
    service = CallService(wire, surface, Leases(clock), clock)
    registrar = Registrar(wire, HostRow("desk", __version__), clock)
    registrar.set(PhoneRow(phone))
    async with wire:
        await wire.ready(60)
        writing = asyncio.create_task(registrar.run())
        try:
            joined = Joined("gateway", "front", "main", lab.member("gateway"))
            others = gateway_tools(Settings())
            async with open_gateway(joined, clock=clock, others=others) as gateway:
                await until(lambda: _knows(gateway, phone))
                yield gateway
                # The next test has a phone of that name, too.
                registrar.remove(phone)
                await until(lambda: not _knows(gateway, phone))
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            await service.aclose()


class SameTime(StillClock):
    """With the time of day of another clock."""

    def __init__(self, other: Clock) -> None:
        self._other = other

    def time(self) -> float:
        return self._other.time()


@dataclass
class Way:
    """What is served of the phones of a test: on one machine, or by a gateway."""

    main: Surface
    v1: Callable[[], AnswerV1] | None
    sms: Surface
    rows: Callable[[], list[PhoneRow]] = list
    """What the gateway knows of the phones."""


def without_leases(lab: Lab | None, tools: Sequence[Any]) -> list[Any]:
    """The tools of a list, behind `lab` without those of leases, which a gateway always has."""
    if lab is None:
        return list(tools)
    own = (*(f"_{tool.name}" for tool in fleet.tools), "phone_lease")
    return [tool for tool in tools if not tool["name"].endswith(own)]


@asynccontextmanager
async def open_phones(
    lab: Lab | None, parts: Parts, host: Membership | None = None
) -> AsyncGenerator[Way]:
    """All surfaces of these parts, at a host behind `lab` if there is one. `host` is who it is,
    where its leases name it. All have the time of day of the leases."""
    if lab is None:
        yield Way(parts.surface, parts.v1, parts.sms)
        return
    settings, leases = parts.settings, parts.leases
    clock = StillClock() if leases is None else SameTime(leases.clock)
    await lab.set_up()
    here = Joined("host", "desk", "main", host or lab.member("host"))
    leases = leases or make_leases(settings, clock)
    parts = replace(parts, leases=leases, several=True)
    there = Joined("gateway", "front", "main", lab.member("gateway"))
    async with (
        open_host(
            here,
            parts.surface.beside(parts.others()),
            HostPhones(parts.devices, leases, parts.takeover, phone_tags(settings), PhoneClaims()),
            kept_claims=settings.folders.claims,
            clock=clock,
        ) as wire,
        open_gateway(there, parts.policy, others=gateway_tools(settings), clock=clock) as gateway,
    ):
        await wire.ready(60)
        for phone in parts.devices.connected():
            await until(partial(_knows, gateway, phone.serial))
        yield Way(
            gateway,
            gateway_v1(settings, gateway),
            gateway,
            lambda: [each.of.row for each in _phones(gateway).all()],
        )


def _knows(gateway: FleetSurface, phone: str) -> bool:
    return _phones(gateway).complete and bool(_phones(gateway).named(phone))


def _phones(gateway: FleetSurface) -> KnownPhones:
    return gateway._phones  # pyright: ignore[reportPrivateUsage]
