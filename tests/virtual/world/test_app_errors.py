"""Crashed and hanging apps: the system's log lines and dialogs."""

import pytest

from handheld_virtual.packages.error_reports import JavaException
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.world import World

from .finger import Finger

CALCULATOR = "com.android.calculator2"


def crash(world: World) -> None:
    world.bring(CALCULATOR)
    world.running.crash(world.apps[CALCULATOR], ValueError("0 / 0"))


def dialog(world: World) -> str | None:
    """The title of a dialog of system_server."""
    return next((w.title for w in world.windows() if w.package == "android"), None)


def test_a_crash_is_one_entry_of_the_crash_log(world: World) -> None:
    world.bring(CALCULATOR)
    [pid] = world.running.pids(CALCULATOR)
    thrown = JavaException("java.lang.IllegalStateException", "no", "a.B.c(B.java:1)")
    world.running.crash(world.apps[CALCULATOR], thrown)
    [entry] = world.logs.read(["crash"])
    assert (entry.level, entry.tag, entry.pid) == ("E", "AndroidRuntime", pid)
    assert entry.message.split("\n") == [
        "FATAL EXCEPTION: main",
        f"Process: {CALCULATOR}, PID: {pid}",
        "java.lang.IllegalStateException: no",
        "\tat a.B.c(B.java:1)",
    ]


def test_the_first_crash_closes_the_app_without_a_dialog(world: World) -> None:
    crash(world)
    assert dialog(world) is None
    assert world.front.app.package == "com.android.launcher3"
    assert not world.running.pids(CALCULATOR)


@pytest.mark.parametrize("api", [26, 27])
def test_before_android_9_the_first_crash_has_a_dialog(api: int) -> None:
    world = World(clock=ManualClock(), api=api)
    crash(world)
    assert dialog(world) == "Calculator has stopped"
    Finger(world).tap("aerr_restart")
    assert dialog(world) is None
    assert world.front.app.package == CALCULATOR


def test_an_app_that_crashes_twice_in_a_minute_keeps_stopping(world: World, finger: Finger) -> None:
    crash(world)
    crash(world)
    assert dialog(world) == "Calculator keeps stopping"
    assert finger.text("alertTitle") == "Calculator keeps stopping"
    assert [node.text for node in finger.nodes() if (node.resource_id or "").count("aerr_")] == [
        "App info",
        "Close app",
    ]
    finger.tap("aerr_close")
    assert dialog(world) is None


async def test_an_app_that_crashes_after_a_minute_has_a_first_crash_again(
    world: World, clock: ManualClock
) -> None:
    crash(world)
    await clock.advance(60_000)
    crash(world)
    assert dialog(world) is None


def test_a_setting_shows_the_first_crash(world: World) -> None:
    world.preferences.put("global", "show_first_crash_dialog", "1")
    crash(world)
    assert dialog(world) == "Calculator has stopped"


def test_app_info_opens_the_settings_of_the_app(world: World, finger: Finger) -> None:
    crash(world)
    crash(world)
    finger.tap("aerr_app_info")
    assert world.front.app.package == "com.android.settings"
    assert "Calculator" in finger.texts()


async def test_input_to_an_app_that_hangs_becomes_an_anr(world: World, clock: ManualClock) -> None:
    world.bring(CALCULATOR)
    world.frozen_packages.add(CALCULATOR)
    finger = Finger(world)
    world.touch("down", 0, 540, 1500)
    world.touch("up", 0, 540, 1500)
    await clock.advance(4999)
    world.settle()
    assert dialog(world) is None
    await clock.advance(1)
    world.settle()
    assert dialog(world) == "Calculator isn't responding"
    [entry] = [e for e in world.logs.read(["system"]) if e.message.startswith("ANR in ")]
    assert (entry.level, entry.tag) == ("E", "ActivityManager")
    assert f"ANR in {CALCULATOR} ({CALCULATOR}/.Calculator)" in entry.message
    assert "Reason: Input dispatching timed out (" in entry.message
    finger.tap("aerr_wait")
    assert dialog(world) is None
    assert world.running.pids(CALCULATOR)


async def test_close_app_ends_an_app_that_hangs(world: World, clock: ManualClock) -> None:
    world.bring(CALCULATOR)
    world.frozen_packages.add(CALCULATOR)
    world.touch("down", 0, 540, 1500)
    world.touch("up", 0, 540, 1500)
    await clock.advance(5000)
    Finger(world).tap("aerr_close")
    assert not world.running.pids(CALCULATOR)
    assert world.front.app.package == "com.android.launcher3"
    assert world.running.exits[CALCULATOR][-1].reason == 6
    world.bring(CALCULATOR)
    assert CALCULATOR not in world.frozen_packages


async def test_an_app_that_answers_in_time_has_no_anr(world: World, clock: ManualClock) -> None:
    world.bring(CALCULATOR)
    world.frozen_packages.add(CALCULATOR)
    world.touch("down", 0, 540, 1500)
    await clock.advance(4000)
    world.frozen_packages.clear()
    await clock.advance(5000)
    world.settle()
    assert dialog(world) is None


async def test_without_input_an_app_that_hangs_has_no_anr(world: World, clock: ManualClock) -> None:
    world.bring(CALCULATOR)
    world.frozen_packages.add(CALCULATOR)
    await clock.advance(60_000)
    world.settle()
    assert dialog(world) is None


def test_an_app_that_was_killed_while_it_hung_answers_again(world: World, finger: Finger) -> None:
    app = "dev.handheld.crashtest"
    world.bring(app)
    finger.tap("hang")
    world.stop(app)
    world.bring(app)
    finger.tap("log_error")
    assert finger.text("state") == "An error was logged"
