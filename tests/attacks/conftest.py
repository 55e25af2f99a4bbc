"""A virtual phone with the tools of the main and the agent surface, and the owner's rules."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from attacks.report import CLASS, TRIED
from handheld.access.approval import ApprovalGate
from handheld.adb.link import Link
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.screen.model import Screen
from handheld.settings.rules import Rules
from handheld.tools.main import CATALOG, EXTRA
from handheld.tools.tool import Item
from handheld.tools.v1 import V1_TOOLS
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from harness.one_phone import ALL_ON, OnePhone
from harness.phones import PhoneClock, reached
from tools.main.conftest import LONGEST_PAUSE_MS, LONGEST_SHELL_PAUSE_MS, pass_time

Result = TypeVar("Result")
AGENT = Caller("http", "agent", "family")


class PausingClock(PhoneClock):
    """Tells when a pause begins that does not pass by itself."""

    def __init__(self, device: VirtualPhone) -> None:
        super().__init__(device)
        self.pausing = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds * 1000 > LONGEST_SHELL_PAUSE_MS:
            self.pausing.set()
        await super().sleep(seconds)


class Target:
    """What an attacker has: the tools, under the rules of the test."""

    def __init__(
        self, device: VirtualPhone, phone: Phone, clock: PausingClock, *, helps: bool = True
    ) -> None:
        """`helps`: with the helper."""
        self.device = device
        self.helps = helps
        self.clock = clock
        self.world = device.world
        self.phone = phone

    def rule(self, gate: ApprovalGate) -> None:
        options = SurfaceOptions(gate=gate, clock=PhoneClock(self.device))
        phones = OnePhone(self.phone)
        self.main = LocalSurface((*CATALOG, *EXTRA), phones, replace(options, policy=ALL_ON))
        self.agent = make_agent_surface(phones, replace(options, policy=ALL_ON))
        self.v1 = LocalSurface((V1_TOOLS,), phones, replace(options, bare=True))

    def deny(self, *rules: str) -> None:
        self.rule(ApprovalGate(Rules(deny=rules)))

    async def call(self, name: str, **arguments: Any) -> Sequence[Item]:
        surface = self.agent if name.startswith("phone_") else self.main
        called = name if name.startswith("phone_") else f"android_{name}"
        return await self.passing(surface.call(called, arguments, AGENT))

    async def read(self) -> Screen:
        return await self.passing(self.phone.driver.read_screen())

    async def passing(self, call: Coroutine[Any, Any, Result]) -> Result:
        """Time passes whenever the phone or a tool waits."""
        assert isinstance(self.device.clock, ManualClock)
        longest = LONGEST_PAUSE_MS if self.helps else LONGEST_SHELL_PAUSE_MS
        return await pass_time(self.device.clock, call, longest)

    async def refused(self, name: str, **arguments: Any) -> str:
        with pytest.raises(ToolError) as failure:
            await self.call(name, **arguments)
        return " ".join((failure.value.message, *failure.value.details))

    async def in_pause(self, ms: float, happens: Callable[[], object]) -> None:
        """Let something happen in a pause of this length that a call asks for. It is one of those
        that do not pass by themselves."""
        assert isinstance(self.device.clock, ManualClock)
        await self.clock.pausing.wait()
        happens()
        await self.device.clock.advance(ms)

    def touches(self) -> list[tuple[float, float]]:
        """Where fingers went down."""
        return [
            (float(str(event.details[2])), float(str(event.details[3])))
            for event in self.world.events
            if event.kind == "touch" and event.details[0] == "down"
        ]


@pytest.fixture(params=["helper", pytest.param("shell", marks=pytest.mark.matrix)])
async def target(request: pytest.FixtureRequest) -> AsyncGenerator[Target]:
    def make(link: Link) -> Phone:
        return Phone("virtual", FallbackDriver(HelperClient(link), clock=clock), clock=clock)

    device = VirtualPhone(clock=ManualClock())
    clock = PausingClock(device)
    async with reached(device, request.param, make=make) as used:
        yield Target(device, used.phone, clock, helps=request.param == "helper")


_COUNT = pytest.StashKey[int]()


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Callable[[], None]:
    """Called for each attack of a test that tries several."""
    stash: pytest.Stash = request.node.stash

    def try_one() -> None:
        stash[_COUNT] = stash.get(_COUNT, 0) + 1

    return try_one


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Every report tells the class and the count."""
    try:
        return (yield)
    finally:
        stem = pyfuncitem.path.stem.removeprefix("test_").replace("_", " ")
        name = getattr(pyfuncitem.module, "ATTACK", stem)
        count = pyfuncitem.stash.get(_COUNT, 1)
        pyfuncitem.user_properties += [(CLASS, name), (TRIED, count)]
