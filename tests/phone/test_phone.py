"""Actions on a phone take turns."""

import asyncio

import pytest

from handheld.errors import TimedOut
from handheld.phone.phone import Phone
from harness.manual_clock import ManualClock
from harness.polling import HANG

from .world import World


async def take(phone: Phone, call: str) -> None:
    """Take the turn and release it."""
    async with phone.acting(call):
        pass


async def test_actions_take_turns_in_order_of_arrival() -> None:
    phone = Phone("serial", World())
    order: list[int] = []
    inside = 0

    async def act(number: int) -> None:
        nonlocal inside
        async with phone.acting(f"call {number}"):
            inside += 1
            assert inside == 1
            order.append(number)
            await asyncio.sleep(0)
            inside -= 1

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(act(number))
    assert order == list(range(20))


async def test_callers_take_turns_and_each_has_its_own_order() -> None:
    """One that has many calls does not keep another waiting for all of them."""
    phone = Phone("serial", World())
    order: list[str] = []

    async def act(caller: str, number: int) -> None:
        async with phone.acting("tap", caller):
            order.append(f"{caller}{number}")

    async with asyncio.TaskGroup() as group, phone.acting("first"):
        for caller, count in (("many", 4), ("few", 2), ("one", 1)):
            for number in range(count):
                group.create_task(act(caller, number))
        await asyncio.sleep(0)
    assert order == ["many0", "few0", "one0", "many1", "few1", "many2", "many3"]


async def test_a_call_that_is_cancelled_as_the_turn_ends_leaves_it_to_the_next() -> None:
    phone = Phone("serial", World())
    async with phone.acting("first"):
        waiting = [asyncio.create_task(take(phone, name)) for name in ("second", "third")]
        await asyncio.sleep(0)
        waiting[0].cancel()
    async with asyncio.timeout(HANG):
        await waiting[1]
    assert waiting[0].cancelled()


async def test_a_timed_out_action_reports_which_call_holds_the_phone() -> None:
    clock = ManualClock()
    phone = Phone("serial", World(), clock=clock)
    async with phone.acting("android_swipe"):
        clock.put_forward(12)
        tapping = asyncio.create_task(take(phone, "android_tap"))
        await clock.until_waits_only(30)
        await clock.advance(29.9)
        assert not tapping.done()
        await clock.advance(0.1)
        with pytest.raises(TimedOut) as caught:
            await tapping
    assert caught.value.message == (
        "The phone is busy: android_swipe has been using it for 42 s, and android_tap waited 30 s"
        " for its turn. Nothing was done. Try again when android_swipe has ended."
    )
    async with phone.acting("android_tap"):
        pass


async def test_a_failed_or_cancelled_action_releases_its_turn() -> None:
    phone = Phone("serial", World())
    with pytest.raises(RuntimeError):
        async with phone.acting("one"):
            raise RuntimeError
    started = asyncio.Event()

    async def hold() -> None:
        async with phone.acting("two"):
            started.set()
            await asyncio.Event().wait()

    holder = asyncio.create_task(hold())
    await started.wait()
    waiter = asyncio.create_task(hold())
    await asyncio.sleep(0)
    waiter.cancel()
    holder.cancel()
    await asyncio.gather(holder, waiter, return_exceptions=True)
    async with asyncio.timeout(HANG), phone.acting("three"):
        pass


async def test_a_turn_taken_through_another_view_is_reported() -> None:
    clock = ManualClock()
    phone = Phone("serial", World(), clock=clock)
    async with phone.in_active_window().acting("v1's click"):
        tapping = asyncio.create_task(take(phone, "android_tap"))
        await clock.until_waits_only(30)
        await clock.advance(30)
        with pytest.raises(TimedOut, match=r"v1's click has been using it for 30 s"):
            await tapping


async def test_an_action_that_arrives_during_a_handover_waits_behind_earlier_ones() -> None:
    clock = ManualClock()
    phone = Phone("serial", World(), clock=clock)
    took = asyncio.Event()

    async def hold() -> None:
        async with phone.acting("second"):
            took.set()
            await asyncio.Event().wait()

    async with phone.acting("first"):
        waiter = asyncio.create_task(hold())
        await asyncio.sleep(0)
    # The turn is free, but already assigned to the waiter.
    third = asyncio.create_task(take(phone, "third"))
    await took.wait()
    await clock.until_waits_only(30)
    await clock.advance(30)
    with pytest.raises(TimedOut, match=r"second has been using it"):
        await third
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
