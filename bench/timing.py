"""Measures calls, and compares two kinds of them."""

import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Call = Callable[[], Awaitable[object]]


async def time_calls(call: Call, count: int) -> list[float]:
    """Return the milliseconds of each of so many sequential calls."""
    times: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        await call()
        times.append((time.perf_counter() - start) * 1000)
    return times


@dataclass(slots=True)
class Compared:
    """Two kinds of calls, made in turns, so that other load on the machine affects both. Rounds are
    compared, not all calls together, so that a disturbance affects only single rounds.
    """

    baseline: list[float] = field(default_factory=list[float])
    """Milliseconds of each call."""
    measured: list[float] = field(default_factory=list[float])
    ratios: list[float] = field(default_factory=list[float])
    """The medians of each round, measured against baseline."""
    differences: list[float] = field(default_factory=list[float])
    """The differences of the medians of each round, in milliseconds."""

    def add(self, baseline: list[float], measured: list[float]) -> None:
        base, ours = statistics.median(baseline), statistics.median(measured)
        self.baseline += baseline
        self.measured += measured
        self.ratios.append(ours / base)
        self.differences.append(ours - base)


async def time_in_turns(baseline: Call, measured: Call, rounds: int, count: int) -> Compared:
    """Make so many calls of each kind in every round, after a warm-up round that is not counted.
    Every other round begins with the other kind."""
    await time_calls(baseline, count)
    await time_calls(measured, count)
    compared = Compared()
    for number in range(rounds):
        if number % 2:
            times = await time_calls(measured, count)
            compared.add(await time_calls(baseline, count), times)
        else:
            compared.add(await time_calls(baseline, count), await time_calls(measured, count))
    return compared
