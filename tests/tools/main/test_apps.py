"""open_app, list_apps, close_app."""

import json
from typing import Any

import pytest

from handheld.errors import ActionFailed, InvalidParams, Unreachable
from handheld_virtual.packages.app import App
from harness.starting_apps import CONTROLLER, CameraApp

from .conftest import Bench

CALCULATOR = "com.android.calculator2"
KEEPER = "dev.handheld.keeper"


async def test_an_opened_app_is_in_front(bench: Bench) -> None:
    assert await bench.call("open_app", package_id="com.android.calculator2") == (
        "App opened successfully: com.android.calculator2"
    )
    assert bench.events() == [("launch", "com.android.calculator2")]
    assert bench.world.foreground == (
        "com.android.calculator2",
        "com.android.calculator2.Calculator",
    )
    assert " activity:.Calculator " in await bench.call("get_screen_state")


async def test_another_app_in_front_of_the_opened_one_is_reported(bench: Bench) -> None:
    bench.world.install(CameraApp)
    assert await bench.items("open_app", package_id=CameraApp.package) == [
        f"App opened successfully: {CameraApp.package}",
        f"An activity of {CONTROLLER} is in front, in the app's own task.",
    ]


async def test_an_open_app_keeps_what_it_showed(bench: Bench) -> None:
    await bench.call("open_app", package_id="com.android.calculator2")
    await bench.call("click_element", element_id=await bench.id_of("7"))
    await bench.call("press_home")
    await bench.call("open_app", package_id="com.android.calculator2")
    assert [row[2] for row in await bench.rows() if row[4].endswith(":id/formula")] == ["7"]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"package_id": ""}, InvalidParams, "Parameter 'package_id' must not be empty"),
        (
            {"package_id": "com.nothing"},
            ActionFailed,
            "Failed to open application 'com.nothing': it is not installed. list_apps names"
            " those that are.",
        ),
        (
            {"package_id": "{0}; reboot"},
            ActionFailed,
            "Failed to open application '{0}; reboot': it is not installed. list_apps names"
            " those that are.",
        ),
        (
            {"package_id": "dev.handheld.keeper"},
            ActionFailed,
            "Failed to open application 'dev.handheld.keeper': No launchable activity found for"
            " package 'dev.handheld.keeper'",
        ),
    ],
)
async def test_an_app_that_cannot_be_opened_is_reported_with_the_reason(
    bench: Bench, arguments: dict[str, Any], kind: type, message: str
) -> None:
    failure = await bench.failure("open_app", **arguments)
    assert (type(failure), failure.message) == (kind, message)
    assert bench.world.front.app.package == "com.android.launcher3"


# list_apps


class Nameless(App):
    """A label of several scripts, and no version."""

    package, label, version = "org.example.nameless", 'Ärger \U0001f642 "漢字"', None


def listed(bench: Bench, *kinds: bool) -> list[dict[str, Any]]:
    """Every app that is or is not the system's, as the package manager knows it."""
    return [
        {
            "package_id": app.package,
            "name": app.label,
            "version_name": app.version,
            "version_code": app.version_code,
            "is_system": app.system,
        }
        for app in sorted(
            bench.world.apps.values(), key=lambda app: (app.label.lower(), app.package)
        )
        if app.system in kinds
    ]


@pytest.mark.by_helper(
    "names and version names stand in the apps' files alone: see test_without_helper"
)
async def test_apps_that_match_are_listed_as_json(bench: Bench) -> None:
    assert await bench.call("list_apps", filter="system", name_query="CALC") == (
        '[{"package_id":"com.android.calculator2","name":"Calculator","version_name":"9.0",'
        '"version_code":90,"is_system":true}]'
    )
    assert bench.events() == []


@pytest.mark.by_helper(
    "names and version names stand in the apps' files alone: see test_without_helper"
)
async def test_all_apps_are_listed_by_name(bench: Bench) -> None:
    apps = json.loads(await bench.call("list_apps"))
    assert apps == listed(bench, True, False)
    names = [app["name"] for app in apps]
    assert names == sorted(names, key=str.lower)
    assert {"Calculator", "Contact form", "Keeper", "Launcher", "Settings"} <= set(names)


@pytest.mark.parametrize(
    ("kind", "system"), [("user", (False,)), ("system", (True,)), ("ALL", (True, False))]
)
@pytest.mark.by_helper(
    "names and version names stand in the apps' files alone: see test_without_helper"
)
async def test_a_filter_separates_system_apps_from_others(
    bench: Bench, kind: str, system: tuple[bool, ...]
) -> None:
    apps = json.loads(await bench.call("list_apps", filter=kind))
    assert apps == listed(bench, *system)
    assert apps


@pytest.mark.by_helper(
    "names and version names stand in the apps' files alone: see test_without_helper"
)
async def test_a_label_is_printed_as_it_is_and_a_missing_version_is_null(bench: Bench) -> None:
    bench.world.install(Nameless)
    assert await bench.call("list_apps", name_query="ÄRGER") == (
        '[{"package_id":"org.example.nameless","name":"Ärger \U0001f642 \\"漢字\\"",'
        '"version_name":null,"version_code":1,"is_system":false}]'
    )


@pytest.mark.parametrize(
    "arguments", [{"name_query": "nothing"}, {"filter": "user", "name_query": "calculator"}]
)
async def test_no_app_that_matches_is_an_empty_list(
    bench: Bench, arguments: dict[str, Any]
) -> None:
    assert await bench.call("list_apps", **arguments) == "[]"


async def test_an_empty_query_asks_for_nothing(bench: Bench) -> None:
    assert await bench.call("list_apps", name_query="") == await bench.call("list_apps")


async def test_an_unknown_filter_is_refused(bench: Bench) -> None:
    failure = await bench.failure("list_apps", filter="mine")
    assert type(failure) is InvalidParams
    assert failure.message == (
        "Parameter 'filter' must be one of: 'all', 'user', 'system'. Got: 'mine'"
    )


async def test_a_phone_that_cannot_be_asked_lists_nothing(bench: Bench) -> None:
    await bench.device.aclose()
    failure = await bench.failure("list_apps")
    assert type(failure) is Unreachable
    assert failure.message == (
        f"The connection to 127.0.0.1:{bench.device.port} was lost: the phone or its adbd went"
        " away."
    )


# close_app


async def test_an_app_in_the_background_is_closed(bench: Bench) -> None:
    await bench.call("open_app", package_id=CALCULATOR)
    await bench.call("click_element", element_id=await bench.id_of("7"))
    await bench.call("press_home")
    assert len(bench.world.running.pids(CALCULATOR)) == 1
    bench.events()
    assert await bench.call("close_app", package_id=CALCULATOR) == (
        "App closed successfully: com.android.calculator2"
    )
    assert bench.events() == [("stop", CALCULATOR)]
    assert bench.world.running.pids(CALCULATOR) == []
    await bench.call("open_app", package_id=CALCULATOR)
    assert [row[2] for row in await bench.rows() if row[4].endswith(":id/formula")] == ["-"]


async def test_an_app_in_front_is_not_closed(bench: Bench) -> None:
    await bench.call("open_app", package_id=CALCULATOR)
    before = bench.world.running.pids(CALCULATOR)
    bench.events()
    failure = await bench.failure("close_app", package_id=CALCULATOR)
    assert type(failure) is ActionFailed
    assert failure.message == (
        "Failed to close application 'com.android.calculator2': it is in the foreground, and only"
        " apps in the background can be closed. Call press_home first, then close it."
    )
    assert bench.events() == []
    assert bench.world.running.pids(CALCULATOR) == before
    assert bench.world.front.app.package == CALCULATOR


async def test_an_app_that_does_not_run_counts_as_closed(bench: Bench) -> None:
    assert bench.world.running.pids(CALCULATOR) == []
    assert await bench.call("close_app", package_id=CALCULATOR) == (
        "App closed successfully: com.android.calculator2"
    )
    assert bench.world.running.pids(CALCULATOR) == []


async def test_an_app_that_restarts_immediately_is_reported(bench: Bench) -> None:
    before = bench.world.running.pids(KEEPER)
    assert await bench.items("close_app", package_id=KEEPER) == [
        "App closed successfully: dev.handheld.keeper",
        "It was restarted immediately: the system keeps it running.",
    ]
    after = bench.world.running.pids(KEEPER)
    assert len(before) == len(after) == 1
    assert before != after


async def test_an_app_that_keeps_running_is_not_reported_as_closed(bench: Bench) -> None:
    bench.world.running.immortal.add(KEEPER)
    failure = await bench.passing(bench.failure("close_app", package_id=KEEPER))
    assert type(failure) is ActionFailed
    assert failure.message == (
        "dev.handheld.keeper was told to stop, but its process still runs 3000 ms later. The action"
        " was begun and not completed; look at the screen before going on."
    )


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"package_id": ""}, InvalidParams, "Parameter 'package_id' must not be empty"),
        (
            {"package_id": "com.nothing"},
            ActionFailed,
            "Failed to close application 'com.nothing': it is not installed. list_apps names"
            " those that are.",
        ),
    ],
)
async def test_an_app_that_cannot_be_closed_is_reported_with_the_reason(
    bench: Bench, arguments: dict[str, Any], kind: type, message: str
) -> None:
    failure = await bench.failure("close_app", **arguments)
    assert (type(failure), failure.message) == (kind, message)
    assert bench.events() == []
