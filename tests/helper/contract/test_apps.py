"""The commands on apps: packages, processes, stop."""

import re
from typing import Any

import pytest

from handheld_virtual.packages.profiles import Profile
from handheld_virtual.reference_helper.commands.app_tools import signer_of

from .conftest import Stage
from .host import Host

CALCULATOR = "com.android.calculator2"
KEEPER = "dev.handheld.keeper"
SETTINGS = "com.android.settings"
LOGIN, CAMERA = "dev.handheld.login", "android.permission.CAMERA"


def stopped(stage: Stage) -> list[tuple[object, ...]]:
    return [event.details for event in stage.world.events if event.kind == "stop"]


@pytest.mark.parametrize(
    ("kind", "system"), [("all", (True, False)), ("user", (False,)), ("system", (True,))]
)
async def test_packages_are_listed_with_label_and_version(
    stage: Stage, host: Host, kind: str, system: tuple[bool, ...]
) -> None:
    answer = await host.do("packages", {"kind": kind, "user": None})
    assert answer.reply == {
        "packages": [
            {
                "package": package.package,
                "label": package.label,
                "version_name": package.version,
                "version_code": package.version_code,
                "system": package.system,
            }
            for package in stage.world.apps.values()
            if package.system in system
        ]
    }
    assert answer.reply["packages"]


async def test_apps_of_a_profile_are_listed(stage: Stage, host: Host) -> None:
    profile = Profile(10, "work")
    profile.add(stage.world.apps[CALCULATOR])
    stage.world.profiles[10] = profile
    answer = await host.do("packages", {"kind": "all", "user": 10})
    assert [app["package"] for app in answer.reply["packages"]] == [CALCULATOR]
    profile.closed = True
    number = await host.call("packages", {"kind": "all", "user": 10})
    assert (await host.answer(number)).failure == ("failed", "no")


async def test_processes_of_an_app_are_reported_with_its_uid(stage: Stage, host: Host) -> None:
    running, apps = stage.world.running, stage.world.apps
    uid = running.uid(apps[CALCULATOR])
    answer = await host.do("processes", {"package": CALCULATOR})
    assert answer.reply == {"uid": uid, "shared": False, "pids": []}
    stage.world.show(CALCULATOR)
    answer = await host.do("processes", {"package": CALCULATOR})
    assert answer.reply == {"uid": uid, "shared": False, "pids": running.pids(CALCULATOR)}
    assert len(answer.reply["pids"]) == 1


async def test_a_uid_of_the_system_is_shared(host: Host) -> None:
    answer = await host.do("processes", {"package": SETTINGS})
    assert answer.reply == {"uid": 1000, "shared": True, "pids": []}


async def test_unknown_package_has_no_uid(host: Host) -> None:
    answer = await host.do("processes", {"package": "com.nothing"})
    assert answer.reply == {"uid": None, "shared": False, "pids": []}


@pytest.mark.parametrize("package", [CALCULATOR, KEEPER, LOGIN])
async def test_what_is_known_of_an_app_is_reported(stage: Stage, host: Host, package: str) -> None:
    world, app = stage.world, stage.world.apps[package]
    world.app_data[package] = (7000, 600)
    world.disabled_packages.add(KEEPER)
    world.permissions.grant(LOGIN, CAMERA)
    reply = (await host.do("app_info", {"package": package})).reply["app"]
    size = reply["sizes"][0]
    time = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
    assert re.fullmatch(time, reply.pop("installed_at"))
    assert re.fullmatch(time, reply.pop("updated_at"))
    assert reply == {
        "package": package,
        "label": app.label,
        "version_name": app.version,
        "version_code": app.version_code,
        "system": app.system,
        "enabled": package != KEEPER,
        "debuggable": False,
        "min_sdk": 26,
        "target_sdk": world.api,
        "installer": None,
        "signer": signer_of(app),
        "sizes": [size, 7000, 600],
        "permissions": [[name, name == CAMERA, True] for name in app.permissions],
    }
    assert size > 0


async def test_nothing_is_known_of_an_app_that_is_not_installed(host: Host) -> None:
    assert (await host.do("app_info", {"package": "com.nothing"})).reply == {"app": None}


async def test_an_app_in_the_background_is_stopped(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    stage.world.press("home")
    answer = await host.do("stop", {"package": CALCULATOR}, act=True)
    assert answer.reply == {"was_running": True, "restarted": False}
    assert stopped(stage) == [(CALCULATOR,)]
    assert stage.world.running.pids(CALCULATOR) == []


async def test_stopping_an_app_that_does_not_run_succeeds(stage: Stage, host: Host) -> None:
    answer = await host.do("stop", {"package": CALCULATOR}, act=True)
    assert answer.reply == {"was_running": False, "restarted": False}


async def test_an_app_that_restarts_is_reported_as_restarted(stage: Stage, host: Host) -> None:
    before = stage.world.running.pids(KEEPER)
    answer = await host.do("stop", {"package": KEEPER}, act=True)
    assert answer.reply == {"was_running": True, "restarted": True}
    assert stage.world.running.pids(KEEPER) != before


async def test_an_app_in_the_foreground_is_not_stopped(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    before = stage.world.running.pids(CALCULATOR)
    answer = await host.do("stop", {"package": CALCULATOR}, act=True)
    assert answer.failure == ("in_front", "no")
    assert stopped(stage) == []
    assert stage.world.running.pids(CALCULATOR) == before


async def test_unknown_package_cannot_be_stopped(stage: Stage, host: Host) -> None:
    answer = await host.do("stop", {"package": "com.nothing"}, act=True)
    assert answer.failure == ("not_installed", "no")
    assert stopped(stage) == []


async def test_stop_waits_three_seconds_for_an_app_that_keeps_running(
    stage: Stage, host: Host
) -> None:
    stage.world.running.immortal.add(KEEPER)
    call = await host.call("stop", {"package": KEEPER}, act=True)
    await host.advance(2999)
    assert call not in host.answers
    await host.advance(60)
    assert (await host.answer(call)).failure == ("failed", "partly")


async def test_stop_waits_for_a_slow_process(stage: Stage, host: Host) -> None:
    running = stage.world.running
    running.immortal.add(KEEPER)
    call = await host.call("stop", {"package": KEEPER}, act=True)
    await host.advance(1000)
    assert call not in host.answers
    running.immortal.clear()
    running.kill(stage.world.apps[KEEPER], "at last")
    await host.advance(100)
    assert (await host.answer(call)).reply == {"was_running": True, "restarted": True}


async def test_a_cancelled_stop_is_reported_as_partly_done(stage: Stage, host: Host) -> None:
    stage.world.running.immortal.add(KEEPER)
    call = await host.call("stop", {"package": KEEPER}, act=True)
    await host.settle()
    await host.cancel(call)
    assert (await host.answer(call)).failure == ("cancelled", "partly")
    assert stopped(stage) == [(KEEPER,)]


@pytest.mark.parametrize(
    ("do", "arguments"),
    [
        ("packages", {}),
        ("packages", {"kind": "mine", "user": None}),
        ("packages", {"kind": "all", "user": "10"}),
        ("packages", {"kind": "all", "user": 2**31}),
        ("packages", {"kind": "all", "user": -1}),
        ("packages", {"kind": "all"}),
        ("packages", {"kind": ["all"], "user": None}),
        ("packages", {"kind": "all", "user": None, "more": 1}),
        ("processes", {}),
        ("processes", {"package": ""}),
        ("processes", {"package": 7}),
        ("processes", {"package": CALCULATOR, "user": 0}),
        ("app_info", {}),
        ("app_info", {"package": ""}),
        ("app_info", {"package": CALCULATOR, "user": 0}),
        ("stop", {}),
        ("stop", {"package": None}),
    ],
)
async def test_malformed_arguments_are_a_bad_call(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    assert (await host.do(do, arguments)).failure == ("bad_call", "no")
    assert stopped(stage) == []


async def test_a_start_that_the_maker_aborts_is_told(stage: Stage, host: Host) -> None:
    stage.world.quirks.denies_activities = True
    answer = await host.do("launch", {"package": "com.android.settings"}, act=True)
    assert answer.failure == ("failed", "no")
    assert answer.value["data"] == {"aborted": True}
