"""Calls that wake a screen that is off."""

from typing import Any

import pytest

from handheld.helper.protocol import FrameKind, encode_json

from .conftest import Stage
from .host import Host

WAKEUP = ("key", 224)
CALCULATOR = "com.android.calculator2"
ACTIONS: list[tuple[str, dict[str, Any]]] = [
    ("touch", {"strokes": [[[540, 1200, 0]]]}),
    ("scroll", {"direction": "down", "share": 0.5, "duration_ms": 1}),
    ("pinch", {"x": 540, "y": 1200, "scale": 2, "duration_ms": 1}),
    ("press", {"button": "home"}),
    ("launch", {"package": CALCULATOR}),
]


def keys(stage: Stage) -> list[tuple[object, ...]]:
    return [(event.kind, *event.details) for event in stage.world.events if event.kind == "key"]


@pytest.mark.parametrize(("do", "arguments"), ACTIONS, ids=[do for do, _ in ACTIONS])
async def test_wake_flag_switches_the_screen_on_before_the_action(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    stage.world.awake = False
    number = await host.call(do, arguments, act=True, wake=True)
    await host.advance(1000)
    assert "code" not in (await host.answer(number)).value
    assert stage.world.awake
    assert keys(stage) == []


@pytest.mark.parametrize(("ignored", "after"), [(False, 0), (True, 1000)])
async def test_wakeup_key_is_used_where_nothing_else_wakes_the_screen(
    stage: Stage, host: Host, ignored: bool, after: int
) -> None:
    stage.world.awake = False
    stage.world.wake_refused, stage.world.wake_ignored = not ignored, ignored
    number = await host.call("press", {"button": "home"}, act=True, wake=True)
    await host.advance(after)
    assert (await host.answer(number)).reply == {"woken": True}
    assert stage.world.awake
    assert keys(stage) == [WAKEUP]


async def test_call_cancelled_while_waking_does_not_act(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    stage.world.wake_ignored = True
    number = await host.call("press", {"button": "home"}, act=True, wake=True)
    await host.advance(500)
    await host.cancel(number)
    assert (await host.answer(number)).failure == ("cancelled", "no")
    await host.advance(1000)
    assert stage.world.events == []


async def test_wake_has_no_effect_on_a_screen_that_is_on(stage: Stage, host: Host) -> None:
    await host.do("touch", {"strokes": [[[5, 5, 0]]]}, act=True, wake=True)
    assert keys(stage) == []


async def test_waking_does_not_unlock(stage: Stage, host: Host) -> None:
    stage.world.keyguard.lock()
    stage.world.awake = False
    await host.do("touch", {"strokes": [[[5, 5, 0]]]}, act=True, wake=True)
    assert (stage.world.awake, stage.world.locked) == (True, True)
    answer = await host.do("launch", {"package": CALCULATOR}, act=True, wake=True)
    assert answer.failure == ("locked", "no")


@pytest.mark.parametrize(
    ("do", "arguments"),
    [("screen", {}), ("clipboard", {"set": "x"}), ("changed", {"after": 0, "within_ms": 0})],
)
async def test_commands_without_the_screen_leave_it_off(
    stage: Stage, host: Host, do: str, arguments: dict[str, Any]
) -> None:
    stage.world.awake = False
    await host.do(do, arguments, wake=True)
    assert not stage.world.awake


async def test_phone_that_refuses_input_is_still_woken(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    stage.world.input_refused = True
    answer = await host.do("press", {"button": "home"}, act=True, wake=True)
    assert answer.reply == {"woken": True}
    assert stage.world.awake
    answer = await host.do("touch", {"strokes": [[[5, 5, 0]]]}, act=True, wake=True)
    assert answer.failure == ("input_refused", "no")


async def test_phone_that_refuses_both_ways_stays_off(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    stage.world.wake_refused = stage.world.input_refused = True
    answer = await host.do("press", {"button": "home"}, act=True, wake=True)
    assert answer.failure == ("input_refused", "no")
    assert not stage.world.awake


async def test_wake_is_true_or_false(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    call = {"do": "press", "with": {"button": "home"}, "budget_ms": 5000, "wake": "yes"}
    host.number = 1
    await host.write(encode_json(FrameKind.CALL, 1, call))
    assert (await host.answer(1)).failure == ("bad_call", "no")
    assert not stage.world.awake


async def test_reply_of_an_action_tells_what_it_met(stage: Stage, host: Host) -> None:
    world, tap = stage.world, {"strokes": [[[540, 1200, 0]]]}
    assert (await host.do("touch", tap, act=True, wake=True)).reply == {}
    world.keyguard.lock()
    assert (await host.do("touch", tap, act=True, wake=True)).reply == {"locked": True}
    world.awake = False
    answer = await host.do("press", {"button": "back"}, act=True, wake=True)
    assert answer.reply == {"woken": True, "locked": True}


async def test_failure_of_an_action_tells_what_it_met(stage: Stage, host: Host) -> None:
    stage.world.keyguard.lock()
    stage.world.awake = False
    for do, arguments in ACTIONS[:4]:
        answer = await host.do(do, arguments, act=True)
        assert answer.failure == ("failed", "no")
        assert answer.value["data"] == {"dark": True, "locked": True}
    assert stage.world.events == []
    target = {"key": "1:2:3", "action": "click", "expect": {}, "anchor": None}
    answer = await host.do("act", target, act=True, wake=True)
    assert answer.failure == ("gone", "no")
    assert answer.value["data"] == {"woken": True, "locked": True}


async def test_other_commands_do_not_tell_it(stage: Stage, host: Host) -> None:
    stage.world.keyguard.lock()
    assert "locked" not in (await host.do("changed", {"after": 0, "within_ms": 0})).reply
