"""A virtual phone and a server of both surfaces for it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from handheld.adb.direct import DirectLink
from handheld.agent.catalog import AGENT_CATALOG, INSTRUCTIONS
from handheld.driver.fallback import FallbackDriver
from handheld.helper.client import HelperClient
from handheld.phone import Phone
from handheld.server.http import open_http
from handheld.server.options import HttpOptions
from handheld.surface.agent import AgentSurface
from handheld.surface.choice import ChosenSurface
from handheld.surface.local import LocalSurface
from handheld.surface.options import SurfaceOptions
from handheld.tools import CATALOG
from handheld.virtual.phone import VirtualPhone

from ..client import Client
from ..programs import TOKEN

SURFACES = {"main": "/mcp", "agent": "/mcp/agent"}


@dataclass(frozen=True, slots=True)
class OnePhone:
    """The phones of a server: this one."""

    phone: Phone

    async def pick(self, ref: str | None) -> Phone:
        return self.phone

    async def present(self, ref: str | None) -> Sequence[Phone]:
        return [self.phone]

    async def slug_of(self, ref: str) -> str:
        return ""

    def describe(self) -> str:
        return ""


@asynccontextmanager
async def new_phone(surface: str) -> AsyncGenerator[tuple[VirtualPhone, Client]]:
    """A phone that was switched on just now, and a client of one surface. Each task has its own, so
    that none finds what another left, and every clock shows the same minute."""
    async with VirtualPhone() as device:
        link = await DirectLink.connect("127.0.0.1", device.port)
        phone = Phone("virtual", FallbackDriver(HelperClient(link)))
        try:
            pool = OnePhone(phone)
            for_models = SurfaceOptions(bare=True, instructions=INSTRUCTIONS)
            both = ChosenSurface(
                LocalSurface(CATALOG, pool),
                AgentSurface(LocalSurface(AGENT_CATALOG, pool, for_models)),
            )
            options = HttpOptions(port=0, token=TOKEN, agent=True)
            async with (
                open_http(both, options) as address,
                Client("127.0.0.1", address.port, TOKEN, SURFACES[surface]) as client,
            ):
                yield device, client
        finally:
            await phone.aclose()
            await link.aclose()
