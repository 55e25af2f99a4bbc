"""Which request begins first while several tokens send some."""

import asyncio

from handheld.server.running import FairQueue
from harness.manual_clock import ManualClock
from harness.polling import HANG


async def test_requests_of_a_single_token_begin_at_once() -> None:
    starts = FairQueue(ManualClock())
    for _ in range(100):
        starting = starts.begin("one")
        # It does not even wait for the next turn of the event loop.
        try:
            starting.send(None)
        except StopIteration:
            continue
        raise AssertionError("it waits")


async def test_tokens_begin_their_requests_in_turns() -> None:
    starts, order = FairQueue(ManualClock()), list[str]()

    async def ask(token: str) -> None:
        await starts.begin(token)
        order.append(token)

    await starts.begin("busy")
    async with asyncio.timeout(HANG), asyncio.TaskGroup() as group:
        for token in ("many", "many", "many", "many", "few", "few", "one"):
            group.create_task(ask(token))
    assert order == ["many", "few", "one", "many", "few", "many", "many"]


async def test_a_request_that_is_cancelled_before_it_begins_delays_nobody() -> None:
    starts = FairQueue(ManualClock())
    await starts.begin("busy")
    waiting = [asyncio.create_task(starts.begin("other")) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    async with asyncio.timeout(HANG):
        await waiting[1]
    assert waiting[0].cancelled()


async def test_a_second_after_the_last_request_of_another_token_they_begin_at_once_again() -> None:
    clock = ManualClock()
    starts = FairQueue(clock)
    await starts.begin("one")
    await starts.begin("other")
    starts.end("other")
    clock.put_forward(1.1)
    starting = starts.begin("one")
    try:
        starting.send(None)
    except StopIteration:
        return
    raise AssertionError("it waits")
