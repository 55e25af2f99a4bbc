"""One action at a time."""

import asyncio

import pytest

from handheld.errors import TimedOut
from handheld.phone import Phone

from .world import World


class Still:
    """A clock that stands."""

    def now(self) -> float:
        return 100.0

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


async def test_actions_take_turns_in_the_order_they_came() -> None:
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


async def test_who_waits_too_long_is_told_who_holds_the_phone() -> None:
    phone = Phone("serial", World(), patience=0.01, clock=Still())
    async with phone.acting("android_swipe"):
        with pytest.raises(TimedOut) as caught:
            async with phone.acting("android_tap"):
                pytest.fail("two had the phone at once")
    assert caught.value.message == (
        "The phone is busy: android_swipe has been using it for 0 s, and android_tap waited 0 s for"
        " its turn. Nothing was done. Try again when android_swipe has ended."
    )
    async with phone.acting("android_tap"):
        pass


async def test_a_failed_or_cancelled_action_gives_its_turn_on() -> None:
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
    async with asyncio.timeout(60), phone.acting("three"):
        pass


async def test_who_holds_the_phone_is_known_whichever_way_it_was_taken() -> None:
    phone = Phone("serial", World(), patience=0.01, clock=Still())
    async with phone.in_active_window().acting("v1's click"):
        with pytest.raises(TimedOut, match=r"v1's click has been using it for 0 s"):
            async with phone.acting("android_tap"):
                pytest.fail("two had the phone at once")


async def test_who_comes_in_the_moment_of_a_change_is_behind_those_who_wait() -> None:
    phone = Phone("serial", World(), patience=0.01, clock=Still())
    took = asyncio.Event()

    async def hold() -> None:
        async with phone.acting("second"):
            took.set()
            await asyncio.Event().wait()

    async with phone.acting("first"):
        waiter = asyncio.create_task(hold())
        await asyncio.sleep(0)
    # The turn is free and has been promised.
    with pytest.raises(TimedOut, match=r"second has been using it"):
        async with asyncio.timeout(60), phone.acting("third"):
            pytest.fail("it went before its turn")
    assert took.is_set()
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
