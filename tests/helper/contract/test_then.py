"""`then`: an action, the wait until the screen rests, and the screen, in one call."""

import json
from typing import Any

import pytest

from handheld.helper.protocol import THEN_READ_MS, FrameKind, Then, encode_json
from handheld.screen.model import Node
from testbed import show_scene
from testbed.screens import ChangingText

from .conftest import Stage
from .host import Answer, Host
from .test_commands import start_nothing
from .test_seek import list_of, seek

CALCULATOR, FORM = "com.android.calculator2", "dev.handheld.form"
THEN = Then(500, 250, 3000)
BUDGET_MS = 5000 + THEN.most_ms + THEN_READ_MS
NOWHERE = {"strokes": [[[540, 2000, 0]]]}
"""A tap where nothing is."""


def counting(stage: Stage, **extras: str) -> ChangingText:
    scene = show_scene(stage.world, "changing_text", **extras)
    assert isinstance(scene, ChangingText)
    return scene


def node(stage: Stage, name: str) -> Node:
    return next(
        node
        for window in stage.world.automation.read_windows()
        for node in window.nodes
        if (node.resource_id or "").endswith(f":id/{name}")
    )


def target(found: Node) -> dict[str, Any]:
    expect = {"class": found.class_name, "resource_id": found.resource_id}
    return {"key": found.key, "expect": expect, "anchor": None}


def click(stage: Stage, name: str = "more") -> dict[str, Any]:
    return {**target(node(stage, name)), "action": "click"}


async def begin(
    host: Host,
    do: str,
    with_: dict[str, Any],
    then: Then = THEN,
    budget_ms: int = BUDGET_MS,
) -> int:
    number = await host.call(do, with_, budget_ms=budget_ms, act=True, then=then)
    await host.settle()
    return number


def texts(answer: Answer) -> list[str]:
    windows = json.loads(answer.data)["windows"]
    return [row[4] for window in windows for row in window["nodes"] if row[4]]


def outcome(answer: Answer) -> tuple[bool, bool, str | None]:
    """Changed, settled, and the code of the error; a screen is there, or an error."""
    then = answer.reply["then"]
    assert set(then) == {"changed", "settled", "screen", "error"}
    error = then["error"]
    assert (then["screen"] is None) == (error is not None)
    assert bool(answer.data) == (error is None)
    return then["changed"], then["settled"], error and error["code"]


async def test_reply_has_the_screen_once_nothing_changed_for_the_quiet_time(
    stage: Stage, host: Host
) -> None:
    scene = counting(stage)
    number = await begin(host, "act", click(stage))
    assert scene.count == 1
    await host.advance(249)
    assert host.order == []
    await host.advance(1)
    answer = await host.answer(number)
    assert outcome(answer) == (True, True, None)
    assert "1" in texts(answer)
    read = await host.do("screen")
    assert answer.reply == {"then": {**answer.reply["then"], "screen": read.reply}}
    assert answer.data == read.data


async def test_each_change_begins_the_quiet_time_anew(stage: Stage, host: Host) -> None:
    scene = counting(stage)
    stage.world.timers.after(200, scene.more)
    stage.world.timers.after(400, scene.more)
    number = await begin(host, "act", click(stage))
    await host.advance(649)
    assert host.order == []
    await host.advance(1)
    answer = await host.answer(number)
    assert outcome(answer) == (True, True, None)
    assert "3" in texts(answer)


async def test_first_change_is_awaited_for_its_time(stage: Stage, host: Host) -> None:
    scene = counting(stage)
    stage.world.timers.after(450, scene.more)
    number = await begin(host, "touch", NOWHERE)
    await host.advance(699)
    assert host.order == []
    await host.advance(1)
    assert outcome(await host.answer(number)) == (True, True, None)


async def test_action_without_effect_is_answered_after_the_first_time(
    stage: Stage, host: Host
) -> None:
    counting(stage)
    number = await begin(host, "touch", NOWHERE)
    await host.advance(499)
    assert host.order == []
    await host.advance(1)
    answer = await host.answer(number)
    assert outcome(answer) == (False, True, None)
    assert "0" in texts(answer)


async def test_screen_that_keeps_changing_is_read_after_the_longest_time(
    stage: Stage, host: Host
) -> None:
    counting(stage, every="200")
    number = await begin(host, "touch", NOWHERE)
    await host.advance(2999)
    assert host.order == []
    await host.advance(1)
    answer = await host.answer(number)
    assert outcome(answer) == (True, False, None)
    assert "More" in texts(answer)


async def test_a_text_that_ticked_before_the_action_does_not_count(
    stage: Stage, host: Host
) -> None:
    scene = counting(stage, every="400")
    await host.do("screen")
    await host.advance(1000)
    number = await begin(host, "touch", NOWHERE)
    count = scene.count
    await host.advance(499)
    assert number not in host.order
    await host.advance(1)
    assert outcome(await host.answer(number)) == (False, True, None)
    assert scene.count > count


async def test_a_text_that_ticked_longer_than_2_s_ago_counts(stage: Stage, host: Host) -> None:
    scene = counting(stage)
    await host.do("screen")
    scene.more()
    await host.advance(2001)
    stage.world.timers.after(100, scene.more)
    number = await begin(host, "touch", NOWHERE)
    await host.advance(350)
    assert outcome(await host.answer(number)) == (True, True, None)


async def test_another_change_counts_while_a_text_ticks(stage: Stage, host: Host) -> None:
    scene = counting(stage, every="200")
    await host.do("screen")
    await host.advance(1000)
    stage.world.timers.after(250, lambda: setattr(scene.button, "enabled", False))
    number = await begin(host, "touch", NOWHERE)
    await host.advance(500)
    assert number not in host.order
    await host.advance(150)
    assert outcome(await host.answer(number)) == (True, True, None)


async def test_changes_during_the_action_count(stage: Stage, host: Host) -> None:
    scene = counting(stage)
    stage.world.timers.after(100, scene.more)
    drag = {"strokes": [[[540, 2000, 0], [540, 1990, 300]]]}
    number = await begin(host, "touch", drag)
    await host.advance(549)
    assert host.order == []
    await host.advance(1)
    assert outcome(await host.answer(number)) == (True, True, None)


async def test_refused_action_is_answered_at_once_and_as_without_then(
    stage: Stage, host: Host
) -> None:
    counting(stage)
    wanted = {**click(stage), "key": "1:99:-1"}
    plain = await host.do("act", wanted, act=True)
    answer = await host.answer(await begin(host, "act", wanted))
    assert answer.failure == plain.failure == ("gone", "no")
    assert "then" not in answer.value
    stage.world.input_refused = True
    answer = await host.answer(await begin(host, "touch", NOWHERE))
    assert answer.failure == ("input_refused", "no")


async def test_without_uiautomation_nothing_is_done(stage: Stage, host: Host) -> None:
    stage.world.automation.take("another")
    answer = await host.answer(await begin(host, "touch", NOWHERE))
    assert answer.failure == ("automation_held", "no")
    assert stage.world.events == []


async def test_action_is_done_though_no_window_can_be_read_afterwards(
    stage: Stage, host: Host
) -> None:
    scene = counting(stage)
    wanted = click(stage)
    stage.world.timers.after(
        100,
        lambda: stage.world.rootless_packages.update(
            window.package for _, window, _ in stage.world.automation.listed_windows()
        ),
    )
    number = await begin(host, "act", wanted)
    await host.advance(500)
    answer = await host.answer(number)
    assert outcome(answer) == (True, True, "no_windows")
    assert answer.reply["then"]["error"]["data"]["missing"]
    assert scene.count == 1


async def test_action_is_done_though_reading_fails(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a view threw")

    counting(stage)
    number = await begin(host, "touch", NOWHERE)
    monkeypatch.setattr(stage.world.automation, "read_windows", fail)
    await host.advance(500)
    assert outcome(await host.answer(number)) == (False, True, "internal")


async def test_action_is_done_though_another_program_takes_uiautomation(
    stage: Stage, host: Host
) -> None:
    counting(stage)
    number = await begin(host, "touch", NOWHERE)
    await host.do("release")
    stage.world.automation.take("another")
    await host.advance(500)
    assert outcome(await host.answer(number)) == (False, True, "automation_held")


async def test_window_of_a_frozen_app_is_missing_from_the_screen(stage: Stage, host: Host) -> None:
    stage.world.show(CALCULATOR)
    stage.world.frozen_packages.add(CALCULATOR)
    number = await begin(host, "keycode", {"code": 24, "meta": 0})
    await host.advance(2499)
    assert host.order == []
    await host.advance(1)
    answer = await host.answer(number)
    assert outcome(answer) == (False, True, None)
    missing = answer.reply["then"]["screen"]["missing"]
    assert [(each["package"], each["reason"]) for each in missing] == [(CALCULATOR, "timeout")]


async def test_cancel_ends_the_wait_and_the_action_is_done(stage: Stage, host: Host) -> None:
    scene = counting(stage, every="200")
    number = await begin(host, "act", click(stage))
    count = scene.count
    await host.advance(100)
    await host.cancel(number)
    assert outcome(await host.answer(number)) == (True, False, "cancelled")
    assert scene.count == count


async def test_cancel_while_the_screen_is_read_leaves_nothing_running(
    stage: Stage, host: Host
) -> None:
    stage.world.show(CALCULATOR)
    stage.world.frozen_packages.add(CALCULATOR)
    for _ in range(20):  # more than a lane may leave behind
        number = await begin(host, "press", {"button": "back"}, Then(0, 0, 0))
        assert host.order[-1:] != [number]
        await host.cancel(number)
        assert outcome(await host.answer(number))[2] == "cancelled"
    stage.world.frozen_packages.clear()
    await host.advance(6000)
    number = await begin(host, "press", {"button": "back"}, Then(0, 0, 0))
    assert outcome(await host.answer(number))[2] is None


async def test_waiting_call_that_is_cancelled_is_not_done(stage: Stage, host: Host) -> None:
    counting(stage)
    first = await begin(host, "touch", NOWHERE)
    second = await begin(host, "touch", NOWHERE)
    await host.cancel(second)
    assert (await host.answer(second)).failure == ("cancelled", "no")
    await host.advance(500)
    assert outcome(await host.answer(first)) == (False, True, None)


async def test_budget_that_ends_during_the_wait_leaves_the_action_done(
    stage: Stage, host: Host
) -> None:
    counting(stage, every="200")
    number = await begin(host, "touch", NOWHERE, budget_ms=1000)
    await host.advance(999)
    assert host.order == []
    await host.advance(1)
    assert outcome(await host.answer(number)) == (True, False, "out_of_time")


async def test_actions_wait_for_the_rest_of_the_one_before(stage: Stage, host: Host) -> None:
    scene = counting(stage)
    wanted = click(stage)
    first = await begin(host, "act", wanted)
    second = await begin(host, "act", wanted)
    assert scene.count == 1
    await host.advance(250)
    await host.advance(250)
    assert host.order == [first, second]
    assert scene.count == 2


async def test_typing_has_the_whole_screen_instead_of_the_window(stage: Stage, host: Host) -> None:
    stage.world.show(FORM)
    typing = {"where": "end", "text": "Ann", "delay_ms": 0, "variance_ms": 0}
    number = await begin(host, "type", {**target(node(stage, "name")), **typing})
    await host.advance(1000)
    answer = await host.answer(number)
    assert outcome(answer) == (True, True, None)
    assert (answer.reply["content"], answer.reply["matches"]) == ("Ann", True)
    read = await host.do("screen")
    assert answer.data == read.data
    assert "Ann" in texts(answer)


async def test_app_that_is_opened_is_read_at_rest(stage: Stage, host: Host) -> None:
    number = await begin(host, "launch", {"package": CALCULATOR})
    await host.advance(THEN.most_ms)
    answer = await host.answer(number)
    assert outcome(answer) == (True, True, None)
    assert answer.reply["package"] == CALCULATOR


async def test_launch_that_stays_in_the_background_fails_before_the_time_for_the_rest(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_nothing(stage, monkeypatch)
    number = await begin(host, "launch", {"package": CALCULATOR})
    await host.advance(4999)
    assert host.order == []
    await host.advance(1)
    assert (await host.answer(number)).failure == ("failed", "partly")


async def test_screen_that_was_off_is_switched_on_first(stage: Stage, host: Host) -> None:
    counting(stage)
    stage.world.awake = False
    number = await host.call("touch", NOWHERE, budget_ms=BUDGET_MS, act=True, wake=True, then=THEN)
    await host.advance(1500)
    answer = await host.answer(number)
    assert answer.reply["then"]["screen"]["awake"] is True
    assert answer.reply["woken"] is True


async def test_reply_also_tells_what_the_action_met(stage: Stage, host: Host) -> None:
    stage.world.keyguard.lock()
    number = await begin(host, "touch", NOWHERE)
    await host.advance(THEN.most_ms)
    answer = await host.answer(number)
    assert outcome(answer)[2] is None
    assert answer.reply == {"then": answer.reply["then"], "locked": True}


async def test_cancelled_wait_still_tells_what_the_action_met(stage: Stage, host: Host) -> None:
    stage.world.keyguard.lock()
    number = await begin(host, "touch", NOWHERE)
    await host.cancel(number)
    answer = await host.answer(number)
    assert outcome(answer)[2] == "cancelled"
    assert answer.reply == {"then": answer.reply["then"], "locked": True}
    assert "data" not in answer.reply["then"]["error"]


async def test_failed_action_tells_what_it_met_as_without_then(stage: Stage, host: Host) -> None:
    stage.world.awake = False
    answer = await host.answer(await begin(host, "touch", NOWHERE))
    assert answer.failure == ("failed", "no")
    assert answer.value["data"] == {"dark": True}


async def test_list_that_was_scrolled_for_a_row_is_read_at_rest(stage: Stage, host: Host) -> None:
    _, rows = list_of(stage)
    number = await begin(host, "seek", seek(rows, 40), budget_ms=60_000)
    for _ in range(100):
        if number in host.answers:
            break
        await host.advance(100)
    answer = await host.answer(number)
    assert outcome(answer) == (True, True, None)
    assert answer.reply["found"] is True
    assert "Row 40" in texts(answer)


async def test_commands_that_do_not_act_on_the_screen_ignore_it(stage: Stage, host: Host) -> None:
    answer = await host.do("clipboard", {"set": "x"}, act=True, then=THEN)
    assert answer.reply == {}
    answer = await host.do("screen", then=THEN)
    assert "then" not in answer.reply


@pytest.mark.parametrize(
    "then",
    [
        True,
        [],
        {},
        {"first_ms": 1, "quiet_ms": 1},
        {"first_ms": 1, "quiet_ms": 1, "most_ms": 1, "more": 1},
        {"first_ms": -1, "quiet_ms": 1, "most_ms": 1},
        {"first_ms": 1, "quiet_ms": 1.5, "most_ms": 1},
        {"first_ms": 1, "quiet_ms": 1, "most_ms": 60_001},
        {"first_ms": 1, "quiet_ms": True, "most_ms": 1},
    ],
    ids=json.dumps,
)
async def test_malformed_then_is_a_bad_call(stage: Stage, host: Host, then: Any) -> None:
    call = {"do": "touch", "with": NOWHERE, "budget_ms": 5000, "act": True, "then": then}
    host.number = 1
    await host.write(encode_json(FrameKind.CALL, 1, call))
    assert (await host.answer(1)).failure == ("bad_call", "no")
    assert stage.world.events == []
