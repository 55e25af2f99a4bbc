"""Calls, failed ones too, leave nothing behind that only the garbage collector finds."""

import gc
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from handheld.calls.agent_names import PHONE_PREFIX
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.call import Call
from handheld.calls.local import LocalSurface
from handheld.calls.options import SurfaceOptions
from handheld.clock import SYSTEM_CLOCK
from handheld.driver.fallback import FallbackDriver
from handheld.errors import ToolError
from handheld.helper.client import HelperClient
from handheld.helper.session import _Pending as SessionCall  # pyright: ignore[reportPrivateUsage]
from handheld.phone.phone import Phone
from handheld.tools.call import Caller
from handheld.tools.main import CATALOG
from handheld_virtual.phone import VirtualPhone
from harness.one_phone import OnePhone
from harness.phones import link_to


@contextmanager
def without_collector() -> Generator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


OTHERS = [
    ("tap", {"x": "left"}),
    ("click_element", {"element_id": "node_abcdef12"}),
    ("open_app", {"package_id": "com.nothing"}),  # the helper refuses it
    ("list_files", {"location_id": "downloads"}),  # fails while it reads
    ("phone_wait", {"text": "never", "timeout": 0.1}),
]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tap", {"x": 5, "y": 9}),
        ("phone_tap", {"ref": "z99"}),  # fails while it acts
        *(pytest.param(*each, marks=pytest.mark.matrix) for each in OTHERS),
    ],
)
async def test_nothing_is_left_of_a_call(tool: str, arguments: dict[str, Any]) -> None:
    async with VirtualPhone() as device, link_to(device) as link:
        phone = Phone(link.serial, FallbackDriver(HelperClient(link)))
        surface: LocalSurface = LocalSurface(CATALOG, OnePhone(phone))
        if tool.startswith(PHONE_PREFIX):
            surface = make_agent_surface(OnePhone(phone), SurfaceOptions())
        else:
            tool = f"android_{tool}"
        try:
            with without_collector():
                before = _count(Call, SessionCall)
                with suppress(ToolError):
                    await surface.call(tool, arguments, Caller("http"))
                assert _count(Call, SessionCall) == before
        finally:
            await phone.aclose()


async def test_nothing_is_left_of_a_timer_that_was_cancelled() -> None:
    class Owner:
        def __init__(self) -> None:
            self.timer = SYSTEM_CLOCK.call_later(60, self.note)

        def note(self) -> None: ...

    with without_collector():
        Owner().timer.cancel()
        assert _count(Owner) == 0


def _count(*kinds: type) -> int:
    return sum(isinstance(one, kinds) for one in gc.get_objects())
