"""A virtual phone, and the tools on it as a client has them."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from handheld.adb.direct import DirectLink
from handheld.errors import ToolError
from handheld.hands.helper import HelperHands
from handheld.helper.client import HelperClient
from handheld.phone import Phone
from handheld.surface import Caller, LocalSurface
from handheld.tool import Image, Item
from handheld.tools import CATALOG
from handheld.virtual.clock import ManualClock
from handheld.virtual.phone import VirtualPhone

CALLER = Caller("cli", "tests")


class Bench:
    """One phone, called through the surface; its world is there to look at."""

    def __init__(self, device: VirtualPhone, phone: Phone) -> None:
        self.device = device
        self.world = device.world
        self.phone = phone
        self.surface = LocalSurface(CATALOG, self)

    async def pick(self, ref: str | None) -> Phone:
        return self.phone

    def describe(self) -> str:
        return ""

    async def call(self, name: str, **arguments: Any) -> str:
        """A reply that is one text."""
        [item] = await self.items(name, **arguments)
        assert isinstance(item, str)
        return item

    async def items(self, name: str, **arguments: Any) -> Sequence[Item]:
        return await self.surface.call(f"android_{name}", arguments, CALLER)

    async def failure(self, name: str, **arguments: Any) -> ToolError:
        with pytest.raises(ToolError) as caught:
            await self.items(name, **arguments)
        return caught.value

    async def picture(self) -> tuple[str, Image]:
        text, image = await self.items("get_screen_state", include_screenshot=True)
        assert isinstance(text, str)
        assert isinstance(image, Image)
        return text, image

    async def rows(self) -> list[list[str]]:
        """The columns of every element on the screen."""
        lines = (await self.call("get_screen_state")).split("\n")
        return [line.split("\t") for line in lines if line.startswith("node_")]

    async def id_of(self, text: str) -> str:
        """The id of the first element with that text."""
        return next(row[0] for row in await self.rows() if row[2] == text)

    def events(self) -> list[tuple[object, ...]]:
        """What was done to the phone, since last asked."""
        events = [(event.kind, *event.details) for event in self.world.events]
        self.world.events.clear()
        return events


@pytest.fixture
async def bench() -> AsyncGenerator[Bench]:
    device = VirtualPhone(clock=ManualClock())
    await device.start()
    link = await DirectLink.connect("127.0.0.1", device.port)
    phone = Phone("virtual", HelperHands(HelperClient(link)))
    try:
        yield Bench(device, phone)
    finally:
        await phone.aclose()
        await link.aclose()
        await device.aclose()
