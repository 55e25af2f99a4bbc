"""open_app."""

from typing import Any

import pytest

from handheld.errors import ActionFailed, InvalidParams

from .conftest import Bench


async def test_an_app_comes_to_the_front(bench: Bench) -> None:
    assert await bench.call("open_app", package_id="com.android.calculator2") == (
        "App opened successfully: com.android.calculator2"
    )
    assert bench.events() == [("launch", "com.android.calculator2")]
    assert bench.world.foreground == (
        "com.android.calculator2",
        "com.android.calculator2.Calculator",
    )
    assert " activity:.Calculator " in await bench.call("get_screen_state")


async def test_an_open_app_keeps_what_it_showed(bench: Bench) -> None:
    await bench.call("open_app", package_id="com.android.calculator2")
    await bench.call("click_element", element_id=await bench.id_of("7"))
    await bench.call("press_home")
    await bench.call("open_app", package_id="com.android.calculator2")
    assert [row[2] for row in await bench.rows() if row[4].endswith(":id/formula")] == ["7"]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({}, InvalidParams, "Missing required parameter: 'package_id'"),
        ({"package_id": ""}, InvalidParams, "Parameter 'package_id' must not be empty"),
        (
            {"package_id": "com.nothing"},
            ActionFailed,
            "Failed to open application 'com.nothing': it is not installed.",
        ),
        (
            {"package_id": "{0}; reboot"},
            ActionFailed,
            "Failed to open application '{0}; reboot': it is not installed.",
        ),
        (
            {"package_id": "dev.handheld.headless"},
            ActionFailed,
            "Failed to open application 'dev.handheld.headless': No launchable activity found for"
            " package 'dev.handheld.headless'",
        ),
    ],
)
async def test_what_cannot_be_opened_is_said_why(
    bench: Bench, arguments: dict[str, Any], kind: type, message: str
) -> None:
    failure = await bench.failure("open_app", **arguments)
    assert (type(failure), failure.message) == (kind, message)
    assert bench.world.front.app.package == "com.android.launcher3"
