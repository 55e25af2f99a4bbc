"""Every call gets exactly one answer: numbers, lanes, limits, cancellation, budgets."""

from typing import Any

import pytest

from handheld.helper.protocol import (
    DATA_LIMIT,
    OPEN_CALLS,
    WORK_LANE,
    CallRequest,
    Frame,
    FrameKind,
    encode_call,
    encode_frame,
    encode_json,
)

from .conftest import Stage
from .host import Host
from .vectors import VECTORS, names

LONG = {"strokes": [[[100, 1000, 0], [100, 600, 500], [100, 400, 1000]]]}
TAP = {"strokes": [[[540, 1200, 0]]]}


def touches(stage: Stage) -> list[tuple[object, ...]]:
    """The down and up events; moves are tested elsewhere."""
    return [
        event.details
        for event in stage.world.events
        if event.kind == "touch" and event.details[0] != "move"
    ]


@pytest.mark.parametrize("vector", VECTORS["bad_calls"], ids=names("bad_calls"))
async def test_malformed_call_is_answered_and_has_no_effect(
    stage: Stage, host: Host, vector: dict[str, Any]
) -> None:
    host.number = 1
    await host.write(encode_json(FrameKind.CALL, 1, vector["json"]))
    assert (await host.answer(1)).failure == ("bad_call", "no")
    assert stage.world.events == []
    await host.ping()


async def test_an_unknown_command_is_unsupported(host: Host) -> None:
    assert (await host.do("dance")).failure == ("unsupported", "no")


async def test_touches_run_one_at_a_time_in_order(stage: Stage, host: Host) -> None:
    numbers = [await host.call("touch", LONG, act=True)]
    numbers += [
        await host.call("touch", {"strokes": [[[x, 1200, 0]]]}, act=True) for x in (1, 2, 3)
    ]
    await host.settle()
    assert touches(stage) == [("down", 0, 100, 1000)]
    await host.advance(500)
    assert stage.world.events[-1].details == ("move", 0, 100, 600)
    await host.advance(500)
    assert host.order == numbers
    assert touches(stage)[1:] == [
        ("up", 0, 100, 400),
        *[(action, 0, x, 1200) for x in (1, 2, 3) for action in ("down", "up")],
    ]


async def test_reads_do_not_wait_for_a_gesture(stage: Stage, host: Host) -> None:
    gesture = await host.call("touch", LONG, act=True)
    assert (await host.do("screen")).kind == FrameKind.REPLY
    assert gesture not in host.answers


async def test_waiting_equal_reads_share_the_next_tree_walk(stage: Stage, host: Host) -> None:
    stage.world.show("com.android.calculator2")
    stage.world.frozen_packages.add("com.android.calculator2")
    first = await host.call("screen", budget_ms=10_000)
    await host.settle()
    others = [await host.call("screen", budget_ms=10_000) for _ in range(5)]
    await host.settle()
    assert host.order == []
    await host.advance(2000)
    assert host.order == [first]
    await host.advance(2000)
    assert host.order == [first, *others]
    answers = [host.answers[number] for number in others]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0].reply["missing"][0]["reason"] == "timeout"


async def test_cancelling_a_shared_read_does_not_stop_the_walk(stage: Stage, host: Host) -> None:
    stage.world.show("com.android.calculator2")
    stage.world.frozen_packages.add("com.android.calculator2")
    first = await host.call("screen")
    await host.settle()
    second, third = await host.call("screen"), await host.call("screen")
    await host.advance(2000)
    assert host.order == [first]
    await host.cancel(second)
    assert (await host.answer(second)).failure == ("cancelled", "no")
    await host.advance(2000)
    assert (await host.answer(third)).kind == FrameKind.REPLY


async def test_eight_calls_run_concurrently_and_the_ninth_waits(stage: Stage, host: Host) -> None:
    seq = (await host.do("screen")).reply["seq"]
    wait = {"after": seq, "within_ms": 1000}
    waiting = [await host.call("changed", wait) for _ in range(WORK_LANE)]
    ninth = await host.call("release")
    await host.settle()
    assert set(host.order).isdisjoint([*waiting, ninth])
    await host.cancel(waiting[3])
    assert (await host.answer(ninth)).reply == {"released": True}
    await host.answer(waiting[3])  # each is answered separately, in no particular order
    assert [number for number in waiting if number in host.answers] == [waiting[3]]


async def test_more_than_32_open_calls_are_refused(stage: Stage, host: Host) -> None:
    gesture = await host.call("touch", LONG, act=True)
    waiting = [await host.call("touch", TAP, act=True) for _ in range(OPEN_CALLS - 1)]
    refused = await host.call("touch", TAP, act=True)
    assert (await host.answer(refused)).failure == ("busy", "no")
    assert host.order == [refused]
    await host.advance(1000)
    await host.answer(waiting[-1])
    assert host.order == [refused, gesture, *waiting]
    assert len(touches(stage)) == 2 + 2 * len(waiting)
    assert (await host.do("touch", TAP, act=True)).reply == {}


async def test_cancelled_waiting_call_is_never_run(stage: Stage, host: Host) -> None:
    await host.call("touch", LONG, act=True)
    waiting = await host.call("touch", TAP, act=True)
    await host.cancel(waiting)
    assert (await host.answer(waiting)).failure == ("cancelled", "no")
    await host.advance(1000)
    assert len(touches(stage)) == 2


async def test_cancelling_a_gesture_lifts_every_finger_that_is_down(
    stage: Stage, host: Host
) -> None:
    strokes = [
        [[100, 1000, 0], [100, 600, 1000]],
        [[200, 1000, 0], [200, 900, 100]],
        [[300, 1000, 50], [300, 600, 1000]],
        [[400, 1000, 700], [400, 600, 1000]],
    ]
    gesture = await host.call("touch", {"strokes": strokes}, act=True)
    following = await host.call("touch", TAP, act=True)
    await host.advance(200)
    await host.cancel(gesture)
    assert (await host.answer(gesture)).failure == ("cancelled", "partly")
    assert (await host.answer(following)).reply == {}
    assert touches(stage) == [
        ("down", 0, 100, 1000),
        ("down", 1, 200, 1000),
        ("down", 2, 300, 1000),
        ("up", 1, 200, 900),
        ("cancel", 0, 100, 920),
        ("cancel", 2, 300, pytest.approx(1000 - 400 * 150 / 950)),
        ("down", 0, 540, 1200),
        ("up", 0, 540, 1200),
    ]


async def test_gesture_cancelled_before_its_first_touch_had_no_effect(
    stage: Stage, host: Host
) -> None:
    gesture = await host.call("touch", {"strokes": [[[1, 1, 500], [1, 2, 600]]]}, act=True)
    await host.settle()
    await host.cancel(gesture)
    assert (await host.answer(gesture)).failure == ("cancelled", "no")
    assert touches(stage) == []


async def test_a_call_and_its_cancel_in_one_write_get_one_answer(stage: Stage, host: Host) -> None:
    host.number = 1
    call = encode_call(1, CallRequest("touch", LONG, 5000, True))
    await host.write(call + encode_frame(Frame(FrameKind.CANCEL, 1)))
    answer = await host.answer(1)
    assert answer.failure in [("cancelled", "no"), ("cancelled", "partly")]
    await host.settle()
    downs = [touch for touch in touches(stage) if touch[0] == "down"]
    ups = [touch for touch in touches(stage) if touch[0] == "cancel"]
    assert len(downs) == len(ups) == (answer.failure[1] == "partly")
    assert (await host.do("touch", TAP, act=True)).reply == {}


async def test_cancelling_a_running_read_or_wait_ends_it(stage: Stage, host: Host) -> None:
    seq = (await host.do("screen")).reply["seq"]
    wait = await host.call("changed", {"after": seq, "within_ms": 4000})
    await host.settle()
    await host.cancel(wait)
    assert (await host.answer(wait)).failure == ("cancelled", "no")
    stage.world.show("com.android.calculator2")
    stage.world.frozen_packages.add("com.android.calculator2")
    read = await host.call("screen")
    await host.settle()
    await host.cancel(read)
    assert (await host.answer(read)).failure == ("cancelled", "no")
    again = await host.call("screen")
    await host.settle()
    await host.advance(2000)
    assert (await host.answer(again)).kind == FrameKind.REPLY


async def test_repeated_late_or_unknown_cancels_are_ignored(stage: Stage, host: Host) -> None:
    done = await host.call("touch", TAP, act=True)
    await host.answer(done)
    await host.cancel(done)
    await host.cancel(12345)
    gesture = await host.call("touch", LONG, act=True)
    await host.settle()
    await host.cancel(gesture)
    await host.cancel(gesture)
    assert (await host.answer(gesture)).failure == ("cancelled", "partly")
    await host.settle()
    assert host.order == [done, gesture]


async def test_a_gesture_over_its_budget_is_stopped(stage: Stage, host: Host) -> None:
    gesture = await host.call("touch", LONG, budget_ms=695, act=True)
    await host.advance(694)
    assert host.order == []
    await host.advance(1)
    assert (await host.answer(gesture)).failure == ("out_of_time", "partly")
    assert touches(stage)[-1] == ("cancel", 0, 100, 524)


async def test_budget_counts_from_receipt_including_the_time_in_the_queue(
    stage: Stage, host: Host
) -> None:
    gesture = await host.call("touch", LONG, act=True)
    waiting = await host.call("touch", TAP, budget_ms=300, act=True)
    await host.advance(299)
    assert host.order == []
    await host.advance(1)
    assert (await host.answer(waiting)).failure == ("out_of_time", "no")
    await host.advance(700)
    assert host.order == [waiting, gesture]
    assert len(touches(stage)) == 2


async def test_reads_and_waits_end_at_their_budget(stage: Stage, host: Host) -> None:
    seq = (await host.do("screen")).reply["seq"]
    wait = await host.call("changed", {"after": seq, "within_ms": 4000}, budget_ms=1000)
    await host.settle()
    await host.advance(1000)
    assert (await host.answer(wait)).failure == ("out_of_time", "no")
    stage.world.show("com.android.calculator2")
    stage.world.frozen_packages.add("com.android.calculator2")
    short = await host.call("screen", budget_ms=500)
    await host.settle()
    await host.advance(500)
    assert (await host.answer(short)).failure == ("out_of_time", "no")


async def test_data_is_sent_in_chunks_of_64_kib(stage: Stage, host: Host) -> None:
    arguments = {"max_size": None, "format": "png", "quality": 80}
    answer = await host.do("capture", arguments)
    assert len(answer.data) > DATA_LIMIT
    *full, last = host.pieces
    assert set(full) == {DATA_LIMIT}
    assert 0 < last <= DATA_LIMIT


async def test_exception_in_a_command_is_answered_as_internal_error(
    stage: Stage, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a view threw")

    monkeypatch.setattr(stage.world, "touch", fail)
    monkeypatch.setattr(stage.world.automation, "read_windows", fail)
    assert (await host.do("touch", TAP, act=True)).failure == ("internal", "maybe")
    assert (await host.do("screen")).failure == ("internal", "no")
    assert (await host.do("release")).reply == {"released": True}
