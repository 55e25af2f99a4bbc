"""Why an app's process exited, from Android's exit info and log."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fixtures
from handheld.driver.by_adb.exit_reasons import find_exit_reason, read_exit_info, read_exit_log
from handheld_virtual.packages import lifecycle
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.world import World
from harness.phones import link_to

APP = "org.example.coffee"
NOW = "2026-02-11 09:41:10"


def line(words: str, tag: str = "ActivityManager", at: int = 100) -> str:
    return f"         {at}.650  1205  1290 I {tag}: {words}\n"


CRASH = line("FATAL EXCEPTION: main", "AndroidRuntime") + line(
    f"Process: {APP}, PID: 2012", "AndroidRuntime"
)


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("", ""),
        ("--------- beginning of crash\n" + CRASH, "crashed"),
        (CRASH + line(f"Process {APP} (pid 2012) has died: fg  SVC"), "crashed"),
        (line(f"Process: {APP}:remote, PID: 2012", "AndroidRuntime"), "crashed"),
        (line(f"Force stopping {APP} appid=10116 user=0: from pid 400"), "was stopped"),
        (line(f"Killing 2013:{APP}/u0a116 (adj 900): stop {APP}"), "was stopped"),
        (
            line(f"Killing 2013:{APP}/u0a116 (adj -800): stop {APP} due to from pid 4"),
            "was stopped",
        ),
        (
            line(f"Killing 2013:{APP}:work/u0a116 (adj 0): stop {APP} due to deletePackageX"),
            "was removed from the phone",
        ),
        (line(f"Force stopping {APP} appid=10116 user=-1: installPackageLI"), "was updated"),
        (
            line(f"Force stopping {APP} appid=10116 user=-1: deletePackageX")
            + line(f"Force stopping {APP} appid=10116 user=0: pkg removed"),
            "was removed from the phone",
        ),
        (
            line(f"Killing 2013:{APP}/u0a116 (adj 0): stop {APP} due to installPackageLI")
            + line(f"Force stopping {APP} appid=10116 user=0: pkg removed"),
            "was updated",
        ),
        (
            line(f"Force stopping {APP} appid=10116 user=-1: installPackageLI")
            + line(f"Killing 2013:{APP}/u0a116 (adj 0): stop {APP}")
            + line(f"Force stopping {APP} appid=10116 user=0: pkg removed"),
            "was updated",
        ),
        (line(f"Killing 2013:{APP}/u0a116 (adj 0): killDueToPackageUpdate"), "was updated"),
        (
            line(f"Force stopping {APP} appid=10116 user=0: pkg removed"),
            "was updated or removed from the phone",
        ),
        (line(f"Killing 2013:{APP}/u0a116 (adj 0): bg anr"), "hung, and Android ended it"),
        (line(f"Killing 2013:{APP}/u0a116 (adj 906): empty #17"), "was ended by Android"),
        (CRASH + line(f"Force stopping {APP} appid=1 user=0: from pid 4"), "was stopped"),
        (CRASH.replace("100.", "89."), ""),
        (CRASH.replace("100.", "9" * 5000 + "."), ""),
        (CRASH.replace(APP, f"{APP}.pro"), ""),
        (line(f"Process: {APP}, PID: 2012", "Chromium"), ""),
    ],
)
def test_last_log_line_about_the_app_decides(log: str, expected: str) -> None:
    assert read_exit_log(log, APP, 90) == expected


@given(st.text())
def test_any_log_is_parsed(log: str) -> None:
    assert read_exit_log(log, APP, 90) == ""


@pytest.mark.parametrize(
    ("name", "now", "ago", "expected"),
    [
        ("exit-info-api30", NOW, 10, "crashed"),
        ("exit-info-api30", NOW, 2, ""),
        ("exit-info-api34", NOW, 10, "was updated"),
        ("exit-info-api34", "", 10, ""),
        ("services-api29", NOW, 10, ""),
    ],
)
def test_newest_recent_exit_record_decides(name: str, now: str, ago: int, expected: str) -> None:
    assert read_exit_info(fixtures.text(f"dumpsys/{name}.txt"), now, ago) == expected


@pytest.mark.parametrize(
    ("reason", "description", "expected"),
    [
        ("1 (EXIT_SELF)", "null", "ended by itself"),
        ("2 (SIGNALED)", "null", "was ended by signal 9"),
        ("3 (LOW_MEMORY)", "null", "was ended by Android, which needed its memory"),
        ("5 (APP CRASH(NATIVE))", "crash", "crashed"),
        ("6 (ANR)", "bg anr", "hung, and Android ended it"),
        ("8 (PERMISSION CHANGE)", "x", "was ended by Android because its permissions changed"),
        ("10 (USER REQUESTED)", f"stop {APP}", "was stopped"),
        ("10 (USER REQUESTED)", f"stop {APP} due to installPackageLI", "was updated"),
        ("10 (USER REQUESTED)", f"stop {APP} due to pkg removed",
         "was updated or removed from the phone"),
        ("13 (OTHER KILLS BY SYSTEM)", "empty #17", "was ended by Android"),
        ("99 (UNKNOWN)", "null", "was ended by Android"),
        ("none", "null", ""),
    ],
)  # fmt: skip
def test_each_exit_reason_has_its_text(reason: str, description: str, expected: str) -> None:
    printed = (
        f"  package: {APP}\n        ApplicationExitInfo #0:\n          timestamp={NOW}.310\n"
        f"          pid=2012\n          process={APP}\n          reason={reason}\n"
        f"          status=9\n          description={description}\n"
    )
    assert read_exit_info(printed, NOW, 10) == expected


@given(st.text(), st.text())
def test_any_exit_info_is_parsed(printed: str, now: str) -> None:
    assert read_exit_info(printed, now, 10) == ""


CALCULATOR = "com.android.calculator2"


def crash(world: World) -> None:
    world.running.crash(world.apps[CALCULATOR], ValueError("0 / 0"))


def hang(world: World) -> None:
    world.running.kill(world.apps[CALCULATOR], "bg anr")


def update(world: World) -> None:
    lifecycle.replace(world, world.apps[CALCULATOR], "installPackageLI")


def starve(world: World) -> None:
    world.running.kill(world.apps[CALCULATOR], "empty #17")


@pytest.mark.parametrize("logged", [True, False], ids=["with its log", "without its log"])
@pytest.mark.parametrize(
    ("api", "happens", "noted", "in_the_log"),
    [
        (28, crash, "", "crashed"),
        (28, update, "", "was updated"),
        (30, crash, "crashed", "crashed"),
        (34, hang, "hung, and Android ended it", "hung, and Android ended it"),
        (34, update, "was updated", "was updated"),
        (30, update, "was updated", "was updated"),
        (36, starve, "was ended by Android", "was ended by Android"),
    ],
)
async def test_exit_reason_is_read_from_the_phone(
    api: int, happens: Callable[[World], None], noted: str, in_the_log: str, logged: bool
) -> None:
    async with VirtualPhone(api=api) as phone:
        phone.world.show(CALCULATOR)
        happens(phone.world)
        if not logged:
            phone.world.logs.clear()
        async with link_to(phone) as link:
            expected = await find_exit_reason(link, CALCULATOR, 1000)
    assert expected == (in_the_log if logged else noted)


async def test_removal_is_found_only_in_the_log() -> None:
    async with VirtualPhone(api=34) as phone:
        phone.world.show(CALCULATOR)
        phone.world.uninstall(CALCULATOR)
        async with link_to(phone) as link:
            assert await find_exit_reason(link, CALCULATOR, 1000) == "was removed from the phone"
