"""Who else may hold UiAutomation, as far as the phone's processes tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.driver.helper_driver import HelperDriver
from handheld.driver.uiautomation_conflicts import Rival, describe_rivals, find_rivals
from handheld.errors import PermissionDenied
from handheld.virtual.phone import VirtualPhone
from handheld.virtual.sh.process import Process

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


def test_known_programs_come_first_then_whatever_runs_by_app_process() -> None:
    kill = "end the program on the computer that uses it, or run `adb shell kill {}`"
    assert find_rivals(LISTING) == [
        Rival(410, "uiautomator2 (u2.jar)", kill.format(410)),
        Rival(
            1290,
            "Appium's UiAutomator2 server",
            "end the Appium session, or run "
            "`adb shell am force-stop io.appium.uiautomator2.server`",
        ),
        Rival(
            3001,
            "a test run (`am instrument`)",
            "wait until it is done, or run `adb shell kill 3001`",
        ),
        Rival(
            3002,
            "the `uiautomator` command",
            "wait until it is done, or run `adb shell kill 3002`",
        ),
        Rival(
            4000,
            "uiautomator2 (its app)",
            "run `adb shell am force-stop com.github.uiautomator`",
        ),
        Rival(411, "a program run by app_process (org.example.Agent)", kill.format(411)),
    ]


@given(st.text())
def test_any_listing_is_read(text: str) -> None:
    describe_rivals(find_rivals(text))


def test_the_first_is_named_and_the_others_counted() -> None:
    one = Rival(7, "mobilecli", "do this")
    assert describe_rivals([]) == ""
    assert describe_rivals([one]) == "It looks like mobilecli, pid 7 on the phone: do this."
    assert describe_rivals([one] * 3).startswith(
        "It looks like mobilecli, pid 7 on the phone (and 2"
    )


async def test_a_held_uiautomation_names_who_may_have_it(
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


async def test_where_nobody_is_found_the_usual_ones_are_named(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    phone.world.automation.holder = "another program"
    with pytest.raises(PermissionDenied, match="uiautomator2, Appium and test runs are the usual"):
        await driver.press("home")
