"""Hosts with virtual phones, and gateways, on a real server, in the process of the tests."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from handheld.access.approval import ApprovalGate
from handheld.access.request_scope import AGENT, EVERYTHING, RequestScope
from handheld.access.takeover import Takeover
from handheld.audit import AuditLog, Recorder
from handheld.calls.fleet import CLAIMING
from handheld.calls.protocols import Surface
from handheld.cli.parts import Parts, make_leases, open_gate, phone_tags
from handheld.clock import SYSTEM_CLOCK, Clock, SystemClock
from handheld.console import ConsoleScreens
from handheld.devices.opening import open_devices
from handheld.errors import ToolError
from handheld.fleet.call_service import People
from handheld.fleet.host_calls import HostCalls
from handheld.fleet.members import open_gateway, open_host
from handheld.fleet.nats.directory import Directory
from handheld.fleet.nats.joining import Joined
from handheld.fleet.nats.wire import EngineWire, Membership
from handheld.fleet.publication import HostPhones
from handheld.fleet.surface import FleetSurface
from handheld.fleet.tokens import FleetTokens
from handheld.helper.claim import PhoneClaims
from handheld.phone.leases.leases import Leases
from handheld.settings import load
from handheld.tasks.phone_time import PatientClock
from handheld.tools.call import Caller
from handheld.tools.listing import FLEET_TOOLSET
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock as PhoneClock
from harness.polling import HANG, until_true

from .lab import Lab


class ShiftedClock(SystemClock):
    """Its time stands still until tests shift it, so that no call is late by itself. Its timers are
    the system's, and so is the day, which tests shift, too."""

    shift = day_shift = 0.0

    def now(self) -> float:
        return 1000.0 + self.shift

    def time(self) -> float:
        return super().time() + self.day_shift


@dataclass
class Host:
    id: str
    phones: Mapping[str, VirtualPhone]
    """By slug."""
    leases: Leases
    log: AuditLog
    surface: Surface
    wire: EngineWire
    tokens: FleetTokens
    takeover: Takeover
    gate: ApprovalGate
    clock: Clock
    claims: PhoneClaims

    async def call(self, name: str, token: str = "ci", **arguments: Any) -> str:
        """A call at the host itself: all text of its reply, as `Gateway.call` has it."""
        limits = RequestScope(on=frozenset((FLEET_TOOLSET,)))
        return await _call(self.surface, name, Caller("http", "tests", token), arguments, limits)

    def touches(self, slug: str) -> int:
        """How often a finger was put down."""
        return sum(
            event.kind == "touch" and event.details[0] == "down"
            for event in self.phones[slug].world.events
        )


@dataclass
class Gateway:
    surface: FleetSurface
    tokens: FleetTokens
    token: str = "ci"
    limits: RequestScope = field(default=EVERYTHING)

    async def call(self, name: str, *, token: str = "", **arguments: Any) -> str:
        """All text of a reply, with `failed: ` before that of an error."""
        caller = Caller("http", "tests", token or self.token)
        return await _call(self.surface, name, caller, arguments, self.limits)

    async def agent(self, name: str, **arguments: Any) -> str:
        """The same, of a tool for models."""
        caller = Caller("http", "tests", self.token)
        limits = replace(self.limits, surface=AGENT)
        items = await self.surface.call(name, arguments, caller, limits)
        return "\n".join(item for item in items if isinstance(item, str))

    async def phones(self, token: str = "") -> dict[str, dict[str, Any]]:
        rows = json.loads(await self.call("list_phones", token=token))
        return {row["phone"]: row for row in rows}

    async def claimed(self) -> set[str]:
        rows = json.loads(await self.call("list_phones"))
        return {row["phone"] for row in rows if row["state"] not in ("away", CLAIMING)}

    async def until(self, holds: Callable[[dict[str, dict[str, Any]]], bool]) -> None:
        """Wait for what hosts write into the directory."""
        async with asyncio.timeout(HANG):
            while not holds(await self.phones()):  # noqa: ASYNC110
                await asyncio.sleep(0)


async def _call(
    surface: Surface,
    name: str,
    caller: Caller,
    arguments: Mapping[str, Any],
    limits: RequestScope = EVERYTHING,
) -> str:
    try:
        items = await surface.call(f"android_{name}", arguments, caller, limits)
    except ToolError as failure:
        return f"failed: {failure.message}"
    return "\n".join(item for item in items if isinstance(item, str))


def make_phone(slug: str) -> VirtualPhone:
    return VirtualPhone(clock=PhoneClock(), serial=f"V-{slug}")


class Fleet:
    """All members of one test."""

    def __init__(
        self, lab: Lab, folder: Path, stack: AsyncExitStack, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        """`clock` is that of the members for which the test names none."""
        self.lab = lab
        self._clock = clock
        self.folder = folder
        self.stack = stack

    async def host(self, *slugs: str, **how: Any) -> Host:
        """One that runs until the test ends."""
        return await self.stack.enter_async_context(self.open_host(*slugs, **how))

    @asynccontextmanager
    async def open_host(
        self,
        *slugs: str,
        clock: Clock | None = None,
        membership: Membership | None = None,
        name: str = "",
        at: Mapping[str, str] = MappingProxyType({}),
        engine: bool = True,
        options: str = "",
        **policy: Any,
    ) -> AsyncGenerator[Host]:
        """`clock` is that of the host's calls and claims. The phones' time stands still. `at` are
        the addresses of phones that are there already, by slug. Without an `engine` it is not
        waited for. `policy` are options of that table, `options` further lines of the settings."""
        clock = clock or self._clock
        joined = self._joined("host", name or slugs[0], membership)
        folder = self.folder / joined.membership.id
        folder.mkdir(exist_ok=True)
        async with AsyncExitStack() as stack:
            phones: dict[str, VirtualPhone] = {}
            for slug in slugs:
                if slug not in at:
                    phones[slug] = await stack.enter_async_context(make_phone(slug))
            names = {slug: at.get(slug) or f"127.0.0.1:{phones[slug].port}" for slug in slugs}
            tables = [
                f'[phones."{name}"]\nslug = "{slug}"\ntags = ["lab", "{slug}_tag"]\n'
                for slug, name in names.items()
            ]
            (folder / "handheld.toml").write_text(options + "".join(tables), encoding="utf-8")
            environment = {"HANDHELD_HOME": str(folder), "ANDROID_ADB_SERVER_PORT": "1"}
            settings = load({"phone": ",".join(names.values())}, environment)
            phone_claims = PhoneClaims()
            devices = await open_devices(
                settings, lambda line: None, claims=phone_claims, clock=PatientClock()
            )
            stack.push_async_callback(devices.aclose)
            await devices.settle()
            log = AuditLog(settings.folders.audit)
            recorder = Recorder(log)
            stack.push_async_callback(recorder.aclose)
            tokens = FleetTokens()
            leases = make_leases(settings, SYSTEM_CLOCK, tokens, joined.membership.id)
            stack.push_async_callback(leases.aclose)
            takeover = Takeover()
            gate = open_gate(replace(settings, policy=replace(settings.policy, **policy)))
            parts = Parts(settings, devices, recorder, gate, takeover, leases, several=True)
            surface = parts.surface
            wire = await stack.enter_async_context(
                open_host(
                    joined,
                    surface,
                    HostPhones(devices, leases, takeover, phone_tags(settings), phone_claims),
                    record=log.file,
                    people=People(ConsoleScreens(devices).watch, parts.switch, gate),
                    kept_claims=settings.folders.claims,
                    clock=clock,
                    tokens=tokens,
                )
            )
            if engine:
                await wire.ready(60)
            told = (joined.membership.id, phones, leases, log, surface, wire)
            yield Host(*told, tokens, takeover, gate, clock, phone_claims)

    async def gateway(
        self, *slugs: str, membership: Membership | None = None, clock: Clock | None = None
    ) -> Gateway:
        """One that knows these phones, at least, which their hosts have claimed."""
        joined = self._joined("gateway", "front", membership)
        tokens = FleetTokens()
        kept = self.folder / joined.membership.id / "names.json"
        opening = open_gateway(joined, clock=clock or self._clock, tokens=tokens, kept_names=kept)
        opened = Gateway(await self.stack.enter_async_context(opening), tokens)

        async def settled() -> bool:
            # Of two hosts with one phone, only one ever claims it.
            return {*slugs} <= await opened.claimed()

        await until_true(settled)
        return opened

    async def line(self, clock: Clock | None = None) -> tuple[EngineWire, HostCalls]:
        """A gateway's way to hosts, with a clock of its own."""
        [wire] = await self.stack.enter_async_context(self.lab.wires(self.lab.member("gateway")))
        return wire, HostCalls(wire, Directory(wire), clock or self._clock)

    def _joined(self, role: str, name: str, membership: Membership | None) -> Joined:
        return Joined(role, name, "main", membership or self.lab.member(role))


@asynccontextmanager
async def open_fleet(
    folder: Path, clock: Clock = SYSTEM_CLOCK, **options: Any
) -> AsyncGenerator[Fleet]:
    """One with an engine of its own; the options are the engine's."""
    async with AsyncExitStack() as stack:
        lab = Lab(folder / "engine", **options)
        stack.callback(lab.close)
        await lab.set_up()
        yield Fleet(lab, folder, stack, clock)
