"""Virtual phones by scene, with our tools and an adb client."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar, cast

import pytest

from handheld.adb import shell
from handheld.adb.direct import DirectLink
from handheld.calls.local import Caller, LocalSurface
from handheld.driver import Driver
from handheld.driver.by_helper.driver import HelperDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.phone.phone import Phone
from handheld.tools.main import CATALOG
from handheld_virtual import ManualClock, VirtualPhone
from harness.one_phone import OnePhone
from harness.phones import link_to
from harness.polling import HANG

Result = TypeVar("Result")
LONGEST_MS = 10_000
"""The timeout of a command. Those of the helper and its host are longer."""
CALLER = Caller("cli", "tests")


class Used:
    """A phone used by our tools and by plain adb."""

    def __init__(self, device: VirtualPhone, link: DirectLink) -> None:
        self.device, self.world, self.link = device, device.world, link
        self.driver = cast("Driver", HelperDriver(HelperClient(link)))
        self.phone = Phone("virtual", self.driver)
        self._surface = LocalSurface(CATALOG, OnePhone(self.phone))

    async def call(self, name: str, **arguments: Any) -> str:
        [item] = await self._surface.call(f"android_{name}", arguments, CALLER)
        assert isinstance(item, str)
        return item

    async def failure(self, name: str, **arguments: Any) -> str:
        """The error message of a tool call."""
        with pytest.raises(ToolError) as caught:
            await self._surface.call(f"android_{name}", arguments, CALLER)
        return caught.value.message

    async def adb(self, command: str) -> tuple[bytes, bytes, int | None]:
        """The output of a command in its own shell."""
        stdout, stderr, code = await shell.run(self.link, ["sh", "-c", command])
        return bytes(stdout), bytes(stderr), code


@asynccontextmanager
async def using(device: VirtualPhone) -> AsyncGenerator[Used]:
    async with device, link_to(device) as link:
        used = Used(device, link)
        async with aclosing(used.phone):
            yield used


async def taking(clock: ManualClock, work: Awaitable[Result]) -> tuple[Result, float]:
    """The result of the work, and its duration by a clock that advances only while the work
    waits."""
    began = clock.now()
    task = asyncio.ensure_future(work)
    async with asyncio.timeout(HANG):
        while not task.done():
            due, now = clock.due, clock.now()
            if due is not None and due - now <= LONGEST_MS:
                await clock.advance(due - now)
            await asyncio.sleep(0)
    return task.result(), clock.now() - began


@pytest.fixture
async def used() -> AsyncGenerator[Used]:
    async with using(VirtualPhone()) as phone:
        yield phone
