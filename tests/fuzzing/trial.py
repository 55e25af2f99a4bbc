"""One case: an input, what the parser may do with it, and whether it did."""

import hashlib
import random
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .mutation import LARGEST, Sources, mutate

MOST_SECONDS = 0.1
"""Of processor time, for one input."""
AGAIN = 3
"""How often a slow case is tried again: another program may have slowed it down."""


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
    largest: int = LARGEST
    """Bytes of an input."""

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.seeds(), self.tokens)

    def case(self, seed: int, number: int) -> bytes:
        """Return the input with this number: the same on every machine, whatever ran before."""
        drawn = hashlib.sha256(f"{seed}/{self.name}/{number}".encode()).digest()
        return mutate(self.sources, random.Random(int.from_bytes(drawn[:8])))[: self.largest]


@dataclass(frozen=True)
class Outcome:
    kind: str
    """The name of the error, or `accepted`."""
    seconds: float
    fault: str = ""
    """What is wrong; empty where nothing is."""


def attempt(target: Target, data: bytes) -> Outcome:
    """Run one case and judge it."""
    outcome = run_once(target, data)
    for _ in range(AGAIN):
        if outcome.fault or outcome.seconds <= MOST_SECONDS:
            return outcome
        again = run_once(target, data)
        outcome = min(outcome, again, key=lambda one: one.seconds)
    if outcome.seconds <= MOST_SECONDS:
        return outcome
    fault = f"it took {outcome.seconds * 1000:.0f} ms of processor time"
    return Outcome(outcome.kind, outcome.seconds, fault)


def run_once(target: Target, data: bytes) -> Outcome:
    """Run one case and judge its errors, not its time."""
    kind = "accepted"
    fault = ""
    begun = time.thread_time()
    try:
        target.run(data)
    except target.errors as error:
        kind = type(error).__name__
    except Exception as error:
        kind = type(error).__name__
        fault = "".join(traceback.format_exception(error, limit=-4))
    return Outcome(kind, time.thread_time() - begun, fault)
