"""Awkward screens, started as a person at a shell would, read by the tools."""

import pytest

from handheld.adb.shell import run
from handheld.errors import ActionFailed
from harness.phones import link_to
from testbed import installed_testbed

from .conftest import Bench


async def start(bench: Bench, scene: str, *more: str) -> None:
    installed_testbed(bench.world)
    async with link_to(bench.device) as link:
        answer = await run(link, ["am", "start", "-n", f"dev.handheld.testbed/.{scene}", *more])
        assert (answer.code, answer.stderr) == (0, b"")


async def headers(bench: Bench) -> list[str]:
    """The applications' windows and what is between them, without their numbers."""
    lines = (await bench.call("get_screen_state")).split("\n")
    return [
        line.partition(" ")[2].partition(" ")[2]
        for line in lines
        if line.startswith("--- window:") and "title:Status" not in line and "title:Nav" not in line
    ]


async def test_both_halves_of_a_split_screen_are_read(bench: Bench) -> None:
    await start(bench, "SplitScreen")
    assert await headers(bench) == [
        "type:SPLIT_SCREEN_DIVIDER pkg:com.android.systemui title:Divider layer:2 focused:false"
        " ---",
        "type:APPLICATION pkg:dev.handheld.testbed title:Testbed activity:.SplitScreen layer:1"
        " focused:true ---",
        "type:APPLICATION pkg:com.android.calculator2 title:Calculator layer:0 focused:false ---",
    ]
    await bench.call("click_element", element_id=await bench.id_of("7"))
    await bench.call("click_element", element_id=await bench.id_of("Tap"))
    texts = [row[2] for row in await bench.rows()]
    assert texts.count("7") == 2, "typed, and on its key"
    assert "Taps: 1" in texts


async def test_a_dialog_stands_above_its_app(bench: Bench) -> None:
    await start(bench, "Dialogs")
    assert await headers(bench) == [
        "type:APPLICATION pkg:dev.handheld.testbed title:Allow Testbed to ask? activity:.Dialogs"
        " layer:1 focused:true ---",
        "type:APPLICATION pkg:dev.handheld.testbed title:Testbed layer:0 focused:false ---",
    ]
    await bench.call("click_element", element_id=await bench.id_of("Yes"))
    found = await bench.call("wait_for_element", by="text", value="answered yes", timeout=1000)
    assert found.startswith('{"found":true,')


@pytest.mark.by_helper("it has another name in dumpsys: see test_without_helper")
async def test_a_secure_screen_is_reported_and_not_captured(bench: Bench) -> None:
    await start(bench, "Secure")
    failure = await bench.failure("get_screen_state", include_screenshot=True)
    assert type(failure) is ActionFailed
    assert failure.message == (
        "Screenshot capture failed: the secure window 'Testbed' may not be captured and would be"
        " black. Work with the element list."
    )
    assert "Balance: 1,234.56" in failure.details[0]


@pytest.mark.by_helper(
    "a dump waits 5 s for an app that does not answer, the helper 2 s: see test_without_helper"
)
async def test_a_frozen_app_is_noted_as_missing(bench: Bench) -> None:
    await start(bench, "Freezing")
    await bench.call("click_element", element_id=await bench.id_of("Freeze"))
    text = await bench.passing(bench.call("get_screen_state"))
    [note] = [line for line in text.split("\n") if "dev.handheld.testbed" in line]
    assert note.startswith("note:window ")
    assert note.endswith(" dev.handheld.testbed did not answer in time and is missing")


@pytest.mark.parametrize(("every", "message"), [("16", "Operation timed out"), ("9999", "UI is")])
@pytest.mark.by_helper("it is not read at all while it moves: see test_without_helper")
async def test_a_screen_that_moves_is_not_idle(bench: Bench, every: str, message: str) -> None:
    await start(bench, "Restless", "--es", "every", every)
    reply = await bench.passing(bench.call("wait_for_idle", timeout=1500))
    assert reply.startswith('{"message":"' + message)
