"""One case: an input, what the parser may do with it, and whether it did."""

import hashlib
import random
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from harness.work import TooMuch, lines, memory

from .mutation import LARGEST, Sources, mutate

MOST_LINES, LINES_PER_BYTE = 20_000, 100
"""Of Python, that are executed for one input, whatever it is, and for each of its bytes."""
ENDLESS = 20_000_000
"""Lines after which a case is ended."""
MOST_BYTES, BYTES_PER_BYTE = 24 * 1024 * 1024, 200
"""That are asked for at a time, in the same way. Files are read into room for the largest."""
LARGE, EVERY = 2 * 1024 * 1024, 10
"""Bytes of one of so many inputs, for what is in no count: here a regular expression whose cost
grows with the square of the input takes hours, and its process is ended."""


@dataclass(frozen=True)
class Target:
    """A parser."""

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Sequence[bytes]]
    """Valid inputs, of which the others are made."""
    errors: tuple[type[Exception], ...] = ()
    """What it may raise."""
    tokens: tuple[bytes, ...] = ()
    """Words of its format."""
    share: int = 1
    """How many cases it gets, in proportion to the other targets."""

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.seeds(), self.tokens)

    @cached_property
    def _large_sources(self) -> Sources:
        return Sources(self.sources.seeds, self.tokens, LARGE)

    def case(self, seed: int, number: int) -> bytes:
        """Return the input with this number: the same on every machine, whatever ran before."""
        drawn = hashlib.sha256(f"{seed}/{self.name}/{number}".encode()).digest()
        sources = self._large_sources if number % EVERY == EVERY // 2 else self.sources
        return mutate(sources, random.Random(int.from_bytes(drawn[:8])))


@dataclass(frozen=True)
class Outcome:
    kind: str
    """The name of the error, or `accepted`."""
    fault: str = ""
    """What is wrong; empty where nothing is."""
    lines: int = 0
    bytes: int = 0
    """Both 0 where they were not counted."""


def attempt(target: Target, data: bytes, *, weigh: bool = True) -> Outcome:
    """Run one case and judge it. `weigh`: run it once more to count the bytes."""
    if len(data) > LARGEST:
        return run_once(target, data)
    outcome = _count(target, data)
    if _takes_long(outcome, data):  # the first to reach a part of the parser loads that, too
        outcome = _count(target, data)
    if _takes_long(outcome, data):
        return replace(outcome, fault=f"it took {outcome.lines} lines of Python")
    if outcome.fault or not weigh:
        return outcome
    with memory() as asked:
        run_once(target, data)
    most = MOST_BYTES + BYTES_PER_BYTE * len(data)
    fault = f"it asked for {asked.value} bytes" if asked.value > most else ""
    return replace(outcome, fault=fault, bytes=asked.value)


def _takes_long(outcome: Outcome, data: bytes) -> bool:
    return not outcome.fault and outcome.lines > MOST_LINES + LINES_PER_BYTE * len(data)


def _count(target: Target, data: bytes) -> Outcome:
    try:
        with lines(ENDLESS) as executed:
            outcome = run_once(target, data)
    except TooMuch as reason:
        return Outcome("ended", str(reason), ENDLESS)
    return replace(outcome, lines=executed.value)


def run_once(target: Target, data: bytes) -> Outcome:
    """Run one case and judge its errors alone."""
    kind = "accepted"
    fault = ""
    try:
        target.run(data)
    except target.errors as error:
        kind = type(error).__name__
    except Exception as error:
        kind = type(error).__name__
        fault = "".join(traceback.format_exception(error, limit=-4))
    return Outcome(kind, fault)
