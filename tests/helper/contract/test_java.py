"""Behaviour of the Java helper alone: abandoned threads, its lock file, its wake lock."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from handheld.helper.protocol import ANSWER_LIMIT, FrameKind
from harness.polling import HANG, until_true

from .host import Host
from .java_stage import JavaStage
from .test_offers import AUTHORITY, PACKAGE, Offering

CALCULATOR = "com.android.calculator2"
MOST_LEFT = 16
CALL = {"authority": AUTHORITY, "method": "x", "arg": None, "extras": None}

pytestmark = pytest.mark.needs_java


@pytest.fixture
async def java() -> AsyncIterator[JavaStage]:
    stage = JavaStage()
    yield stage
    await stage.aclose()


@pytest.fixture
async def to_java(java: JavaStage) -> Host:
    return (await java.start())[0]


async def test_lock_file_names_the_holder_and_is_private(java: JavaStage) -> None:
    await java.start("serve")
    assert json.loads(java.lock_file.read_text("utf-8")) == {
        "host": "here",
        "pid": 7,
        "client": "serve",
    }
    assert java.lock_file.stat().st_mode & 0o777 == 0o600


async def test_content_of_an_unheld_lock_file_is_ignored(java: JavaStage) -> None:
    java.lock_file.write_text("{" * 100_000, "utf-8")
    _, frame = await java.start()
    assert frame.kind == FrameKind.HELLO


async def test_phone_is_kept_awake_while_calls_are_open(java: JavaStage, to_java: Host) -> None:
    swipe = {"strokes": [[[5, 900, 0], [5, 300, 100]]]}
    await to_java.call("touch", swipe, act=True)
    await to_java.do("screen")
    await to_java.advance(100)
    assert java.worlds[0].up == [True, False]


async def test_incomplete_window_is_returned_and_reported_as_missing(
    java: JavaStage, to_java: Host
) -> None:
    java.world.show(CALCULATOR)
    java.worlds[0].incomplete.add(CALCULATOR)
    answer = await to_java.do("screen")
    reported = [window["id"] for window in json.loads(answer.data)["windows"]]
    missing = answer.reply["missing"]
    assert [(item["package"], item["reason"]) for item in missing] == [(CALCULATOR, "incomplete")]
    assert missing[0]["window"] in reported


async def test_calls_that_hang_in_an_app_block_only_their_lane_and_not_forever(
    java: JavaStage, to_java: Host
) -> None:
    app = java.world.install(Offering)
    assert isinstance(app, Offering)
    app.starts, app.calls, app.answer = [], [], None
    java.world.frozen_packages.add(PACKAGE)
    for _ in range(MOST_LEFT):
        number = await to_java.call("provider_call", CALL)
        await to_java.settle()
        await to_java.cancel(number)
        assert (await to_java.answer(number)).failure == ("cancelled", "maybe")
    assert (await to_java.do("provider_call", CALL)).failure == ("busy", "no")
    assert (await to_java.do("screen")).kind == FrameKind.REPLY
    assert (await to_java.do("offers")).kind == FrameKind.REPLY
    java.world.running.crash(app, RuntimeError("gone"))
    java.world.frozen_packages.clear()
    await to_java.advance(1000)
    assert (await to_java.do("provider_call", CALL)).kind == FrameKind.REPLY


async def test_host_that_stops_reading_is_detected_while_answers_are_queued(
    java: JavaStage, to_java: Host
) -> None:
    """A Wi-Fi connection that broke silently: writes are lost without an error."""
    seq = (await to_java.do("screen")).reply["seq"]
    await to_java.call("changed", {"after": seq, "within_ms": 4000}, budget_ms=3000)
    await to_java.settle()
    java.world.clipboard.copy("\x00" * 250_000)  # more than all pipes in between hold
    await to_java.call("clipboard", {"set": None}, budget_ms=30_000)
    await to_java.begin_to_read()

    async def has_ended() -> bool:
        await java.clock.advance_regardless(1000)
        return java.has_ended()

    await until_true(has_ended)
    async with asyncio.timeout(HANG):
        assert await to_java.ended() == 1


async def test_java_error_in_a_window_is_answered_and_does_not_end_the_helper(
    java: JavaStage, to_java: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overflow() -> None:
        raise RecursionError

    with monkeypatch.context() as patched:
        patched.setattr(java.world.automation, "read_windows", overflow)
        assert (await to_java.do("screen")).failure == ("internal", "no")
    assert (await to_java.do("screen")).kind == FrameKind.REPLY


async def test_oversized_screen_fails_and_the_next_call_is_answered(
    java: JavaStage, to_java: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    [*windows] = java.world.automation.read_windows()
    for node in windows[0].nodes[:2]:
        node.text = "x" * (ANSWER_LIMIT // 2)
    with monkeypatch.context() as patched:
        patched.setattr(java.world.automation, "read_windows", lambda: windows)
        assert (await to_java.do("screen")).failure == ("failed", "no")
    assert (await to_java.do("screen")).kind == FrameKind.REPLY
