"""Calls, failed ones too, leave nothing behind that only the garbage collector finds."""

import gc
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from handheld.adb.direct import DirectLink
from handheld.clock import SYSTEM_CLOCK
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.phone import Phone
from handheld.surface.local import LocalSurface
from handheld.surface.running_call import RunningCall
from handheld.toolkit.call import Caller
from handheld.tools import CATALOG
from handheld.virtual.phone import VirtualPhone
from one_phone import OnePhone


@contextmanager
def without_collector() -> Generator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tap", {"x": 5, "y": 9}),
        ("tap", {"x": "left"}),
        ("click_element", {"element_id": "node_abcdef12"}),
    ],
)
async def test_nothing_is_left_of_a_call(tool: str, arguments: dict[str, Any]) -> None:
    async with VirtualPhone() as device:
        link = await DirectLink.connect("127.0.0.1", device.port)
        phone = Phone(link.serial, FallbackDriver(HelperClient(link)))
        surface = LocalSurface(CATALOG, OnePhone(phone))
        try:
            with without_collector():
                before = _count(RunningCall)
                with suppress(ToolError):
                    await surface.call(f"android_{tool}", arguments, Caller("http"))
                assert _count(RunningCall) == before
        finally:
            await phone.aclose()
            await link.aclose()


async def test_nothing_is_left_of_a_timer_that_was_cancelled() -> None:
    class Owner:
        def __init__(self) -> None:
            self.timer = SYSTEM_CLOCK.call_later(60, self.note)

        def note(self) -> None: ...

    with without_collector():
        Owner().timer.cancel()
        assert _count(Owner) == 0


def _count(kind: type) -> int:
    return sum(isinstance(one, kind) for one in gc.get_objects())
