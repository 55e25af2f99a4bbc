"""UiAutomation conflicts, found by the phone's processes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.by_helper.uiautomation_conflicts import (
    UiAutomationConflict,
    describe_conflicts,
    parse_conflicts,
)
from handheld.errors import PermissionDenied
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process

LISTING = """\
  PID NAME                        CMD
    1 init                        init second_stage
  410 app_process                 app_process / com.wetest.uia2.Main
  411 app_process64               app_process64 -Xfoo / org.example.Agent --flag
  500 handheld                    handheld
  600 app_process                 app_process / com.genymobile.scrcpy.Server 3.1
 1290 io.appium.uiautomator2.server io.appium.uiautomator2.server
 2000 system_server               system_server
 3001 sh                          sh -c am instrument -w com.example.test/androidx.Runner
 3002 app_process                 app_process /system/bin com.android.commands.uiautomator.Launcher
 4000 com.github.uiautomator.test com.github.uiautomator.test
"""


def test_known_programs_precede_other_app_process_programs() -> None:
    kill = "end the program on the computer that uses it, or run `adb shell kill {}`"
    assert parse_conflicts(LISTING) == [
        UiAutomationConflict(410, "uiautomator2 (u2.jar)", kill.format(410)),
        UiAutomationConflict(
            1290,
            "Appium's UiAutomator2 server",
            "end the Appium session, or run "
            "`adb shell am force-stop io.appium.uiautomator2.server`",
        ),
        UiAutomationConflict(
            3001,
            "a test run (`am instrument`)",
            "wait until it is done, or run `adb shell kill 3001`",
        ),
        UiAutomationConflict(
            3002,
            "the `uiautomator` command",
            "wait until it is done, or run `adb shell kill 3002`",
        ),
        UiAutomationConflict(
            4000,
            "uiautomator2 (its app)",
            "run `adb shell am force-stop com.github.uiautomator`",
        ),
        UiAutomationConflict(
            411, "a program run by app_process (org.example.Agent)", kill.format(411)
        ),
    ]


@given(st.text())
def test_any_listing_is_parsed(text: str) -> None:
    describe_conflicts(parse_conflicts(text))


def test_first_conflict_is_named_and_the_others_counted() -> None:
    one = UiAutomationConflict(7, "mobilecli", "do this")
    assert describe_conflicts([]) == ""
    assert describe_conflicts([one]) == "It looks like mobilecli, pid 7 on the phone: do this."
    assert describe_conflicts([one] * 3).startswith(
        "It looks like mobilecli, pid 7 on the phone (and 2"
    )


async def test_held_uiautomation_names_the_likely_holder(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.automation.holder = "another program"

    async def listing(process: Process) -> int:
        await process.stdout.write(LISTING.encode())
        return 0

    phone.programs["ps"] = listing
    with pytest.raises(PermissionDenied) as caught:
        await driver.press("home")
    assert caught.value.message == (
        "Android's UiAutomation is held by another program (another program). Only one program at "
        "a time can have it. It looks like uiautomator2 (u2.jar), pid 410 on the phone (and 5 "
        "more): end the program on the computer that uses it, or run `adb shell kill 410`."
    )


async def test_without_a_known_conflict_the_usual_programs_are_named(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.automation.holder = "another program"
    with pytest.raises(PermissionDenied, match="uiautomator2, Appium and test runs are the usual"):
        await driver.press("home")
