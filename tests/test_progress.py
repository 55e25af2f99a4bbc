"""How far a call has come: the stages of a course, and how its caller is told."""

import asyncio

import pytest

from handheld.calls.course import PAUSE, telling
from handheld.progress import is_watched, relay, report, watched
from harness.manual_clock import ManualClock

Word = tuple[float, float | None, str]


class Listener:
    def __init__(self) -> None:
        self.heard: list[Word] = []
        self.listens = asyncio.Event()
        self.listens.set()
        self.begun = asyncio.Event()

    async def __call__(self, progress: float, total: float | None, message: str) -> None:
        self.begun.set()
        await self.listens.wait()
        self.heard.append((progress, total, message))


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_what_nobody_watches_is_reported_to_nobody() -> None:
    assert not is_watched()
    report(1, 2, "a")
    relay(1, 2, "a")
    with watched(lambda *_: None):
        assert is_watched()
    assert not is_watched()


def test_stages_are_one_course_that_rises() -> None:
    seen: list[Word] = []
    with watched(lambda *word: seen.append(word)):
        for done, total, message in (
            (0, 10, "copy"),
            (7, 10, "copy"),
            (0, 100, "send"),
            (40, 100, "send"),
            (0, 0, "check"),
            (0, None, "wait"),
            (5, None, "wait"),
            (0, 3, "send"),
            (2, 3, "send"),
            (1, 3, "send"),  # another file
        ):
            report(done, total, message)
    assert seen == [
        (0, 10, "copy"),
        (7, 10, "copy"),
        (10, 110, "send"),
        (50, 110, "send"),
        (110, 110, "check"),
        (110, None, "wait"),
        (115, None, "wait"),
        (115, 118, "send"),
        (117, 118, "send"),
        (119, 121, "send"),
    ]


def test_what_another_process_reports_is_passed_on_as_it_is() -> None:
    seen: list[Word] = []
    with watched(lambda *word: seen.append(word)):
        relay(10, 110, "send")
        relay(110, 110, "check")
    assert seen == [(10, 110, "send"), (110, 110, "check")]


async def test_a_stage_is_told_a_few_times_a_second_and_its_successor_at_once() -> None:
    clock, listener = ManualClock(), Listener()
    async with telling(listener, clock):
        for done in range(100):
            report(done, 1000, "send")
        await turns()
        assert listener.heard == [(0, 1000, "send")]
        await clock.advance(PAUSE)
        report(100, 1000, "send")
        report(101, 1000, "send")
        await turns()
        report(0, 0, "check")
        await turns()
    assert listener.heard == [(0, 1000, "send"), (100, 1000, "send"), (1000, 1000, "check")]


async def test_what_does_not_rise_is_not_told() -> None:
    clock, listener = ManualClock(), Listener()
    async with telling(listener, clock):
        for progress, message in ((5, "a"), (5, "b"), (4, "c"), (6, "d")):
            relay(progress, None, message)
            await turns()
    assert listener.heard == [(5, None, "a"), (6, None, "d")]


async def test_one_who_does_not_listen_holds_up_nothing_and_hears_the_latest_of_each_stage() -> (
    None
):
    clock, listener = ManualClock(), Listener()
    listener.listens.clear()
    async with telling(listener, clock):
        report(0, 9, "copy")
        await listener.begun.wait()
        for stage in ("copy", "send", "check"):
            for done in range(1, 9):
                await clock.advance(PAUSE)
                report(done, 9, stage)
        listener.listens.set()
        await turns()
    assert listener.heard == [
        (0, 9, "copy"),
        (8, 9, "copy"),
        (17, 18, "send"),
        (26, 27, "check"),
    ]


async def test_nothing_is_told_after_the_end_not_even_by_what_goes_on() -> None:
    clock, listener = ManualClock(), Listener()
    go_on = asyncio.Event()

    async def linger() -> None:
        await go_on.wait()
        report(9, 10, "late")

    async with telling(listener, clock):
        lingering = asyncio.create_task(linger())
        await turns()
    go_on.set()
    await lingering
    await turns()
    assert listener.heard == []


async def test_what_is_being_told_is_told_to_its_end_when_a_call_is_cancelled() -> None:
    clock, listener = ManualClock(), Listener()
    listener.listens.clear()

    async def work() -> None:
        async with telling(listener, clock):
            report(1, 2, "a")
            await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await listener.begun.wait()
    working.cancel()
    await turns()
    assert not working.done()
    listener.listens.set()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert listener.heard == [(1, 2, "a")]


async def test_a_caller_who_cannot_be_told_does_not_fail_the_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def tell(*_: object) -> None:
        raise ValueError("gone")

    async with telling(tell, ManualClock()):
        report(1, 2, "a")
        await turns()
        report(0, 0, "b")
        await turns()
    assert len(caplog.records) == 1
