"""The commands `language`, `location` and `mock_location`."""

from typing import Any

import pytest

from handheld_virtual.system.android import Android

from .conftest import Stage
from .host import Host

PLACE = {"latitude": 48.1, "longitude": -11.6, "accuracy": 3}


async def test_languages_are_read_and_set(stage: Stage, host: Host) -> None:
    assert (await host.do("language", {"set": None})).reply == {"locales": ["en-US"]}
    answer = await host.do("language", {"set": ["de-DE", "en-US"]}, act=True)
    assert answer.reply == {"locales": ["de-DE", "en-US"]}
    assert stage.world.languages.system == ["de-DE", "en-US"]


async def test_languages_that_a_policy_keeps_are_told_as_they_are(stage: Stage, host: Host) -> None:
    stage.world.languages.fixed = True
    answer = await host.do("language", {"set": ["de-DE"]}, act=True)
    assert answer.reply == {"locales": ["en-US"]}


@pytest.mark.parametrize(
    "arguments",
    [{}, {"set": "de"}, {"set": []}, {"set": ["d"]}, {"set": ["de;ls"]}, {"set": [7]},
     {"set": ["de"] * 21}, {"set": None, "get": True}],
)  # fmt: skip
async def test_other_languages_are_refused(
    stage: Stage, host: Host, arguments: dict[str, Any]
) -> None:
    assert (await host.do("language", arguments)).failure == ("bad_call", "no")
    assert stage.world.languages.system == ["en-US"]


async def test_last_place_is_told_with_its_age(stage: Stage, host: Host) -> None:
    unknown = {"enabled": True, "location": None}
    assert (await host.do("location", {"fresh_ms": 0})).reply == unknown
    stage.world.whereabouts.put(47.5, 19.25, 12)
    await stage.clock.advance(2000)
    assert (await host.do("location", {"fresh_ms": 0})).reply == {
        "enabled": True,
        "location": {
            "latitude": 47.5,
            "longitude": 19.25,
            "accuracy": 12,
            "provider": "gps",
            "age_ms": 2000,
            "mock": False,
        },
    }
    stage.world.preferences.put("secure", "location_mode", "0")
    assert (await host.do("location", {"fresh_ms": 0})).value["enabled"] is False


async def test_a_fresh_fix_is_awaited(stage: Stage, host: Host) -> None:
    stage.world.whereabouts.put(47.5, 19.25, 12)
    stage.world.whereabouts.fix_ms = 1000
    await stage.clock.advance(5000)
    waiting = await host.call("location", {"fresh_ms": 4000}, budget_ms=6000)
    for _ in range(20):
        await host.advance(100)
    found = (await host.answer(waiting)).value["location"]
    assert (found["latitude"], found["age_ms"] < 1500) == (47.5, True)


async def test_a_fix_that_does_not_come_is_none(stage: Stage, host: Host) -> None:
    stage.world.whereabouts.put(47.5, 19.25, 12)
    stage.world.whereabouts.fix_ms = None
    waiting = await host.call("location", {"fresh_ms": 3000}, budget_ms=6000)
    for _ in range(32):
        await host.advance(100)
    assert (await host.answer(waiting)).reply == {"enabled": True, "location": None}


async def test_a_place_that_android_keeps_to_itself_is_a_failure(stage: Stage, host: Host) -> None:
    stage.world.whereabouts.refused = True
    answer = await host.do("location", {"fresh_ms": 0})
    assert answer.failure == ("failed", "no")
    assert answer.value["message"] == "Android does not tell the shell where the phone is."


async def test_a_place_is_pretended_until_that_is_ended(stage: Stage, host: Host) -> None:
    where = stage.world.whereabouts
    where.put(47.5, 19.25, 12)
    assert (await host.do("mock_location", {"set": PLACE}, act=True)).reply == {}
    found = (await host.do("location", {"fresh_ms": 0})).value["location"]
    assert (found["latitude"], found["longitude"], found["mock"]) == (48.1, -11.6, True)
    assert (await host.do("mock_location", {"set": None}, act=True)).reply == {}
    found = (await host.do("location", {"fresh_ms": 0})).value["location"]
    assert (found["latitude"], found["mock"], where.mock_allowed) == (47.5, False, False)
    assert (await host.do("mock_location", {"set": None}, act=True)).reply == {}


async def test_apps_that_ask_later_are_told_of_a_pretended_place(stage: Stage, host: Host) -> None:
    where = stage.world.whereabouts
    await host.do("mock_location", {"set": PLACE}, act=True)
    assert set(where.tests) == {"gps", "network", "fused"}
    for _ in range(5):
        await host.advance(1000)
    found = (await host.do("location", {"fresh_ms": 0})).value["location"]
    assert (found["latitude"], found["age_ms"] <= 1000) == (48.1, True)
    await host.do("mock_location", {"set": {**PLACE, "latitude": 10.0}}, act=True)
    await host.advance(3000)
    found = (await host.do("location", {"fresh_ms": 0})).value["location"]
    assert found["latitude"] == 10.0
    await host.do("mock_location", {"set": None}, act=True)
    await host.advance(3000)
    assert where.tests == {}


@pytest.mark.parametrize(
    ("do", "arguments"),
    [
        ("location", {}),
        ("location", {"fresh_ms": -1}),
        ("location", {"fresh_ms": 60_001}),
        ("location", {"fresh_ms": 1.5}),
        ("mock_location", {}),
        ("mock_location", {"set": [1, 2]}),
        ("mock_location", {"set": {"latitude": 1, "longitude": 2}}),
        ("mock_location", {"set": {**PLACE, "latitude": 90.1}}),
        ("mock_location", {"set": {**PLACE, "longitude": -181}}),
        ("mock_location", {"set": {**PLACE, "accuracy": -1}}),
        ("mock_location", {"set": {**PLACE, "latitude": "48"}}),
    ],
)
async def test_other_places_are_refused(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    assert (await host.do(do, arguments)).failure == ("bad_call", "no")
    assert stage.world.whereabouts.tests == {}


async def test_a_place_that_another_program_ends_is_not_told_again(
    stage: Stage, host: Host
) -> None:
    where = stage.world.whereabouts
    await host.do("mock_location", {"set": PLACE}, act=True)
    where.mock_mode = "default"
    await host.advance(5000)
    told = where.last
    assert told is not None
    assert stage.clock.now() - told.at >= 4000
    assert (await host.do("mock_location", {"set": None}, act=True)).reply == {}
    assert (where.tests, where.mock_allowed) == ({}, False)


@pytest.mark.parametrize("api", [26, 29, 30, 36])
async def test_a_place_is_pretended_and_ended_by_the_rules_of_each_release(
    stage: Stage, host: Host, api: int
) -> None:
    stage.world.android = Android(api)
    where = stage.world.whereabouts
    for _ in range(2):
        assert (await host.do("mock_location", {"set": PLACE}, act=True)).reply == {}
    assert {"gps", "network"} <= set(where.tests)
    for _ in range(2):
        assert (await host.do("mock_location", {"set": None}, act=True)).reply == {}
    assert where.tests == {}
