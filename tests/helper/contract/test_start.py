"""Start and exit of a helper."""

from typing import Any

import pytest

from handheld.helper.protocol import (
    IDLE_RELEASE_SECONDS,
    SILENCE_SECONDS,
    VERBS,
    FrameKind,
    decode_json,
)

from .conftest import Stage
from .host import Host
from .vectors import VECTORS, names

SIZE = {"width": 1080, "height": 2400, "density": 420, "rotation": 0}


async def test_first_frame_is_hello(stage: Stage) -> None:
    _, frame = await stage.start()
    assert (frame.kind, frame.call) == (FrameKind.HELLO, 0)
    hello = decode_json(frame.payload)
    assert len(hello.pop("build")) == 16
    assert hello == {
        "api": stage.world.api,
        "features": list(VERBS),
        "boot_id": stage.world.boot_id,
        "user": 0,
        "display": SIZE,
    }


async def test_second_helper_reports_the_holder_and_exits(stage: Stage) -> None:
    first, _ = await stage.start("serve")
    second, frame = await stage.start("stdio")
    assert (frame.kind, frame.call) == (FrameKind.ERROR, 0)
    error = decode_json(frame.payload)
    assert (error["code"], error["happened"]) == ("in_use", "no")
    assert error["data"]["client"] == "serve"
    assert error["data"].keys() == {"host", "pid", "client"}
    assert await second.ended() != 0
    await first.ping()


async def test_exiting_helper_releases_the_phone(stage: Stage) -> None:
    first, _ = await stage.start("one")
    await first.end()
    assert await first.ended() == 0
    _, frame = await stage.start("two")
    assert frame.kind == FrameKind.HELLO


async def test_killed_helper_releases_the_phone_and_uiautomation(stage: Stage) -> None:
    first, _ = await stage.start("one")
    await first.do("screen")
    assert stage.world.automation.holder is not None
    await first.kill()
    assert stage.world.automation.holder is None
    second, frame = await stage.start("two")
    assert frame.kind == FrameKind.HELLO
    assert (await second.do("screen")).kind == FrameKind.REPLY


async def test_helper_exits_after_twenty_seconds_of_silence(stage: Stage, host: Host) -> None:
    await stage.clock.advance(SILENCE_SECONDS * 1000 - 1)
    await host.ping()
    await stage.clock.advance(SILENCE_SECONDS * 1000)
    assert await host.ended() == 1


async def test_ping_within_twenty_seconds_keeps_the_helper_running(
    stage: Stage, host: Host
) -> None:
    for _ in range(4):
        await host.advance(SILENCE_SECONDS * 1000 - 1)
    await host.ping()


@pytest.mark.parametrize("vector", VECTORS["closes_helper"], ids=names("closes_helper"))
async def test_invalid_bytes_end_the_helper(host: Host, vector: dict[str, Any]) -> None:
    host.number = 0xFFFFFFFF  # answers to calls before the broken one may still arrive
    await host.write(bytes.fromhex(vector["hex"]))
    assert await host.ended() == 1


async def test_end_of_input_stops_running_calls(stage: Stage, host: Host) -> None:
    await host.call("touch", {"strokes": [[[10, 300, 0], [10, 900, 1000]]]}, act=True)
    await host.call("touch", {"strokes": [[[20, 300, 0]]]}, act=True)
    await host.settle()
    await host.end()
    assert await host.ended() == 0
    touches = [event.details for event in stage.world.events]
    assert touches == [("down", 0, 10, 300), ("cancel", 0, 10, 300)]
    assert stage.clock.sleepers == 0


async def test_uiautomation_is_taken_on_first_use_and_released_on_request(
    stage: Stage, host: Host
) -> None:
    world = stage.world
    assert (await host.do("release")).reply == {"released": False}
    await host.do("touch", {"strokes": [[[540, 1200, 0]]]}, act=True)
    assert world.automation.holder is None
    await host.do("screen")
    assert world.automation.holder is not None
    assert (await host.do("release")).reply == {"released": True}
    assert world.automation.holder is None
    await host.do("press", {"button": "home"}, act=True)
    assert world.automation.holder is not None


async def let_go(stage: Stage, host: Host, how: str) -> None:
    if how == "release":
        assert (await host.do("release")).reply == {"released": True}
    elif how == "kill":
        await host.kill()
    else:
        await host.end()
        assert await host.ended() == 0
    assert stage.world.automation.holder is None


def turned(stage: Stage) -> tuple[str | None, str | None]:
    get = stage.world.preferences.get
    return get("system", "accelerometer_rotation"), get("system", "user_rotation")


@pytest.mark.parametrize("how", ["release", "end", "kill"])
async def test_releasing_uiautomation_keeps_the_current_rotation_lock(
    stage: Stage, host: Host, how: str
) -> None:
    preferences = stage.world.preferences
    preferences.put("system", "user_rotation", "1")
    preferences.turn("system", "accelerometer_rotation", False)
    await host.do("screen")
    preferences.put("system", "user_rotation", "0")
    await let_go(stage, host, how)
    assert (turned(stage), stage.world.rotation) == (("0", "0"), 0)


@pytest.mark.parametrize("how", ["release", "end", "kill"])
async def test_landscape_app_does_not_leave_the_rotation_locked(
    stage: Stage, host: Host, how: str
) -> None:
    display = stage.world.display
    display.fix(False)
    display.force(1)
    assert (await host.do("screen")).reply["display"]["rotation"] == 1
    await let_go(stage, host, how)
    display.force(None)
    assert (turned(stage), stage.world.rotation) == (("0", "0"), 0)


@pytest.mark.parametrize("how", ["release", "end", "kill"])
async def test_releasing_uiautomation_does_not_unlock_the_rotation(
    stage: Stage, host: Host, how: str
) -> None:
    await host.do("screen")
    stage.world.display.fix(False)
    await let_go(stage, host, how)
    assert turned(stage) == ("0", "0")


async def test_exiting_helper_lets_android_detect_the_lost_uiautomation(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(stage.world.automation, "release", lambda *_, **__: asked.append("release"))
    await host.do("screen")
    await host.end()
    assert await host.ended() == 0
    assert (asked, stage.world.automation.holder) == ([], None)


async def test_uiautomation_that_does_not_connect_is_a_failure(stage: Stage, host: Host) -> None:
    stage.world.automation.silent = True
    read = await host.call("screen", budget_ms=10_000)
    await host.advance(5000)
    answer = await host.answer(read)
    assert answer.failure == ("failed", "no")
    assert "UiAutomation" in answer.value["message"]
    stage.world.automation.silent = False
    assert (await host.do("screen")).kind == FrameKind.REPLY


async def test_uiautomation_is_released_after_ten_idle_minutes(stage: Stage, host: Host) -> None:
    world = stage.world
    await host.do("screen")
    passed = 0.0
    while passed < IDLE_RELEASE_SECONDS - 15:
        await host.advance(15_000)
        passed += 15
    assert world.automation.holder is not None
    await host.advance(15_000)
    assert world.automation.holder is None


@pytest.mark.parametrize(
    ("do", "with_"),
    [
        ("screen", {}),
        ("press", {"button": "home"}),
        ("act", {"key": "1:1:-1", "action": "click", "expect": {}, "anchor": None}),
        ("changed", {"after": 0, "within_ms": 10}),
    ],
)
async def test_other_holder_of_uiautomation_is_reported(
    stage: Stage, host: Host, do: str, with_: dict[str, Any]
) -> None:
    stage.world.automation.take("appium")
    answer = await host.do(do, with_)
    assert answer.failure == ("automation_held", "no")
    assert "appium" in answer.value["message"]
    assert [event.kind for event in stage.world.events] == []
    stage.world.automation.release("appium")
    assert (await host.do("screen")).kind == FrameKind.REPLY


async def test_a_phone_that_keeps_uiautomation_is_told_when_it_is_released(
    stage: Stage, host: Host
) -> None:
    stage.world.quirks.keeps_automation = True
    await host.do("screen")
    answer = await host.do("release")
    assert answer.failure == ("failed", "no")
    assert answer.value["message"] == (
        "Android does not take UiAutomation back: Calling from not trusted UID!"
    )
    await host.kill()
    assert stage.world.automation.holder is None


async def test_an_idle_helper_ends_where_the_phone_keeps_uiautomation(
    stage: Stage, host: Host
) -> None:
    stage.world.quirks.keeps_automation = True
    await host.do("screen")
    passed = 0.0
    while passed < IDLE_RELEASE_SECONDS - 15:
        await host.advance(15_000)
        passed += 15
    await stage.clock.advance(15_000)
    assert await host.ended() == 1
    assert stage.world.automation.holder is None
