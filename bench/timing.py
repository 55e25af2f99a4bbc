"""How long calls take, and how two kinds of them compare."""

import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Asked = Callable[[], Awaitable[object]]


async def time_calls(call: Asked, count: int) -> list[float]:
    """Milliseconds of each of so many calls, one after the other."""
    times: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        await call()
        times.append((time.perf_counter() - start) * 1000)
    return times


@dataclass(slots=True)
class Compared:
    """Two kinds of calls, made in turns: whatever else the machine does falls on both. Rounds are
    compared, not all calls together, so that a disturbance spoils the rounds it falls into alone.
    """

    ones: list[float] = field(default_factory=list[float])
    """Milliseconds of each call."""
    others: list[float] = field(default_factory=list[float])
    ratios: list[float] = field(default_factory=list[float])
    """Of each round: the others' median against the ones'."""
    differences: list[float] = field(default_factory=list[float])
    """Of each round: by how much the others' median is above the ones', in milliseconds."""

    def add(self, ones: list[float], others: list[float]) -> None:
        one, other = statistics.median(ones), statistics.median(others)
        self.ones += ones
        self.others += others
        self.ratios.append(other / one)
        self.differences.append(other - one)


async def time_in_turns(one: Asked, other: Asked, rounds: int, count: int) -> Compared:
    """So many calls of each in every round. A round before the first warms them up and is not
    counted; every other round begins with the other kind."""
    await time_calls(one, count)
    await time_calls(other, count)
    compared = Compared()
    for number in range(rounds):
        if number % 2:
            others = await time_calls(other, count)
            compared.add(await time_calls(one, count), others)
        else:
            compared.add(await time_calls(one, count), await time_calls(other, count))
    return compared
