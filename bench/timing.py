"""How long calls take, and how two kinds of them compare."""

import time
from collections.abc import Awaitable, Callable

Asked = Callable[[], Awaitable[object]]


async def time_calls(call: Asked, count: int) -> list[float]:
    """Milliseconds of each of so many calls, one after the other."""
    times: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        await call()
        times.append((time.perf_counter() - start) * 1000)
    return times


async def time_in_turns(
    one: Asked, other: Asked, rounds: int, count: int
) -> tuple[list[float], list[float]]:
    """So many calls of each in every round, so that whatever else the machine does falls on both.
    A round before the first warms them up and is not counted."""
    ones: list[float] = []
    others: list[float] = []
    for number in range(rounds + 1):
        some, more = await time_calls(one, count), await time_calls(other, count)
        if number:
            ones += some
            others += more
    return ones, others
