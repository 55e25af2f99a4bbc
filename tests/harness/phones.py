"""A virtual phone, reached over adb's protocol as a real one is."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import NamedTuple, Protocol

from handheld.adb.direct import DirectLink
from handheld.adb.link import ByteStream, Link
from handheld.clock import Clock
from handheld.driver import Driver
from handheld.driver.fallback import FallbackDriver
from handheld.helper.client import HelperClient
from handheld.helper.jar import bundled_jar
from handheld.phone.phone import Phone
from handheld_virtual.phone import VirtualPhone
from harness.patient_clock import PatientClock


class PhoneClock(PatientClock):
    """The virtual phone's time, for the tools too. Only the timeouts, which no call in time meets,
    are of the machine's."""

    def __init__(self, device: VirtualPhone) -> None:
        self._clock = device.clock
        self._wall = device.world.wall

    def now(self) -> float:
        return self._clock.now() / 1000

    def time(self) -> float:
        return self._wall.now().timestamp()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds * 1000)


def put_jar(phone: VirtualPhone) -> None:
    """Install the jar as after a first start. On a connection that is cut every few thousand bytes
    it could never be pushed."""
    jar = bundled_jar()
    phone.files.write(jar.path, jar.data, 0o444)


class WatchedLink:
    """A link that records the opened services, and passes everything on."""

    def __init__(self, link: DirectLink) -> None:
        self.link = link
        self.serial = link.serial
        self.services: list[str] = []

    @property
    def clock(self) -> Clock:
        return self.link.clock

    async def features(self) -> frozenset[str]:
        return await self.link.features()

    async def open(self, service: str) -> ByteStream:
        self.services.append(service)
        return await self.link.open(service)

    async def aclose(self) -> None:
        await self.link.aclose()

    @property
    def starts(self) -> int:
        """How often a helper was started."""
        return sum("app_process" in service for service in self.services)


class Listening(Protocol):
    """A virtual phone, or a relay before one."""

    @property
    def port(self) -> int: ...


@asynccontextmanager
async def link_to(
    there: Listening | int, *, clock: Clock | None = None
) -> AsyncGenerator[DirectLink]:
    """A link to what listens there, or at that port. Its timeouts are long without a clock."""
    port = there if isinstance(there, int) else there.port
    link = await DirectLink.connect("127.0.0.1", port, clock=clock or PatientClock())
    try:
        yield link
    finally:
        await link.aclose()


class Reached(NamedTuple):
    device: VirtualPhone
    link: WatchedLink
    phone: Phone

    @property
    def driver(self) -> Driver:
        return self.phone.driver


@asynccontextmanager
async def reached(
    device: VirtualPhone,
    by: str = "helper",
    *,
    make: Callable[[Link], Phone] | None = None,
    links: Callable[[DirectLink], WatchedLink] = WatchedLink,
    clock: Clock | None = None,
) -> AsyncGenerator[Reached]:
    """Start the phone and reach it with the helper, or `by` the shell alone. `make` decides what is
    built on the link; without it that is a phone in the device's time. `clock` is the link's."""

    def usual(link: Link) -> Phone:
        return Phone("virtual", FallbackDriver(HelperClient(link)), clock=PhoneClock(device))

    if by == "shell":
        device.faults.refuse_helper()
    put_jar(device)
    async with device, link_to(device, clock=clock) as direct:
        link = links(direct)
        async with aclosing((make or usual)(link)) as phone:
            yield Reached(device, link, phone)
