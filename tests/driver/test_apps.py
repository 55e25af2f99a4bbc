"""The helper driver: apps and the log."""

import pytest

from handheld.driver.apps import AppProcesses, InFront, Installed
from handheld.driver.by_helper.driver import HelperDriver
from handheld.driver.failures import FailedCall, translate
from handheld.errors import ActionFailed
from handheld.helper.protocol import Code, HelperFailure
from handheld_virtual.phone import VirtualPhone
from harness.phones import WatchedLink

CALCULATOR = "com.android.calculator2"
STOP = FailedCall("stop", {"package": "com.x"}, act=True)


async def test_packages_are_listed_like_the_package_manager(
    phone: VirtualPhone, driver: HelperDriver
) -> None:
    assert await driver.packages("all") == [
        Installed(app.package, app.label, app.version, app.version_code, app.system)
        for app in phone.world.apps.values()
    ]
    assert Installed(CALCULATOR, "Calculator", "9.0", 90, True) in await driver.packages("system")


async def test_running_processes_are_listed(phone: VirtualPhone, driver: HelperDriver) -> None:
    running = phone.world.running
    uid = running.uid(phone.world.apps[CALCULATOR])
    assert await driver.processes(CALCULATOR) == AppProcesses(uid, False, frozenset())
    phone.world.show(CALCULATOR)
    pids = frozenset(running.pids(CALCULATOR))
    assert await driver.processes(CALCULATOR) == AppProcesses(uid, False, pids)
    assert await driver.processes("com.nothing") is None


async def test_stop_terminates_background_apps(phone: VirtualPhone, driver: HelperDriver) -> None:
    phone.world.show(CALCULATOR)
    with pytest.raises(InFront):
        await driver.stop(CALCULATOR)
    phone.world.press("home")
    assert await driver.stop(CALCULATOR) is False
    assert phone.world.running.pids(CALCULATOR) == []
    assert await driver.stop("dev.handheld.keeper") is True


def test_app_that_is_not_installed_cannot_be_closed() -> None:
    problem = translate(HelperFailure(Code.NOT_INSTALLED, "com.x is not installed."), STOP)
    assert type(problem) is ActionFailed
    assert problem.message == (
        "Failed to close application 'com.x': it is not installed. list_apps names those that are."
    )


async def test_log_is_read_without_the_helper(
    phone: VirtualPhone, link: WatchedLink, driver: HelperDriver
) -> None:
    phone.world.logs.clear()
    keeper = phone.world.apps["dev.handheld.keeper"]
    keeper.log("D", "Keeper", "it's 🙂")
    (pid,) = phone.world.running.pids(keeper.package)
    uid = phone.world.running.uid(keeper)
    time = phone.world.logs.read()[0].time
    expected = (
        "--------- beginning of main\n"
        f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond // 1000:03d} +0000 {uid}"
        f" {pid:>5} {pid:>5} D Keeper  : it's 🙂\n"
    )
    assert await driver.logs(["*:D"], None) == expected
    assert await driver.logs(["Keeper:V", "*:S"], 7) == expected
    shape = "-v threadtime -v year -v zone -v uid"
    assert link.services == [
        f"shell,v2,raw:logcat -d {shape} '*:D'",
        f"shell,v2,raw:logcat -t 7 {shape} Keeper:V '*:S'",
    ]
