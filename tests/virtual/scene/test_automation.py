"""UiAutomation conflicts: our helper and Android's uiautomator on the same phone."""

import asyncio

import pytest

from handheld.errors import PermissionDenied
from handheld_virtual import ManualClock, VirtualPhone
from handheld_virtual.commands.screen.uiautomator import HOLDER
from harness.polling import HANG
from testbed import show_scene

from .conftest import Used, using


async def test_dump_is_killed_while_the_helper_holds_ui_automation(used: Used) -> None:
    await used.driver.read_screen()
    assert await used.adb("uiautomator dump") == (b"", b"Killed \n", 137)
    await used.driver.release()
    output, _, code = await used.adb("uiautomator dump")
    assert (output, code) == (b"UI hierchary dumped to: /sdcard/window_dump.xml\n", 0)


async def test_helper_reports_the_holder_of_ui_automation_during_a_dump() -> None:
    clock = ManualClock()
    async with using(VirtualPhone(clock=clock)) as used:
        show_scene(used.world, "restless")
        dump = asyncio.create_task(used.adb("uiautomator dump"))
        async with asyncio.timeout(HANG):
            while used.world.automation.holder is None:  # noqa: ASYNC110
                await asyncio.sleep(0)
            with pytest.raises(PermissionDenied, match=HOLDER):
                await used.driver.read_screen()
            while not dump.done():
                await clock.advance(100)
                await asyncio.sleep(0)
        assert await dump == (b"", b"ERROR: could not get idle state.\n", 0)
        await used.driver.read_screen()
