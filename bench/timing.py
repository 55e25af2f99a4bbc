"""Measures calls, and compares two kinds of them."""

import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Call = Callable[[], Awaitable[object]]
Clock = Callable[[], float]


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

    spent_ratios: list[float] = field(default_factory=list[float])
    """The processor times of each round, where they are measured."""

    def add(self, baseline: list[float], measured: list[float]) -> None:
        base, ours = statistics.median(baseline), statistics.median(measured)
        self.baseline += baseline
        self.measured += measured
        self.ratios.append(ours / base)
        self.differences.append(ours - base)


async def time_in_turns(
    baseline: Call,
    measured: Call,
    rounds: int,
    count: int,
    spent: tuple[Clock, Clock] | None = None,
) -> Compared:
    """Make so many calls of each kind in every round, after a warm-up round that is not counted.
    Every other round begins with the other kind. `spent` tells the processor time of the server
    that serves each kind."""
    await time_calls(baseline, count)
    await time_calls(measured, count)
    compared = Compared()
    calls = (baseline, measured)
    times: list[list[float]] = [[], []]
    for number in range(rounds):
        cost = [0.0, 0.0]
        for kind in (1, 0) if number % 2 else (0, 1):
            before = spent[kind]() if spent else 0.0
            times[kind] = await time_calls(calls[kind], count)
            cost[kind] = (spent[kind]() if spent else 0.0) - before
        compared.add(*times)
        if spent:
            compared.spent_ratios.append(cost[1] / cost[0])
    return compared
