"""Runs many cases in processes of their own, so that one that hangs or takes all memory is found.

A worker notes the number of each case before it begins: if the worker ends or does not come back,
that case is the one to blame.
"""

import gc
import multiprocessing
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized

from .trial import Target, attempt

MEMORY = 64 * 1024 * 1024
"""Bytes by which a worker may grow."""
ADDRESSES = 512 * 1024 * 1024
"""Bytes of address space that a worker gets beyond what it has: a larger request fails at once."""
ENDLESS_SECONDS = 10.0
"""Of processor time: a case that takes longer ends its process."""
HANGS_SECONDS = 300.0
"""A worker that neither computes nor ends is ended after this time without a new case."""
SHOWN = 3
"""Faults of one target that are kept."""


@dataclass
class Tally:
    """What became of the cases of one target."""

    cases: int = 0
    slowest: float = 0.0
    slowest_case: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter[str])
    grown: int = 0
    """Bytes by which the largest worker grew."""
    faults: dict[int, str] = field(default_factory=dict[int, str])
    """By the number of the case."""

    def add(self, other: "Tally") -> None:
        self.cases += other.cases
        self.seconds += other.seconds
        self.kinds += other.kinds
        self.grown = max(self.grown, other.grown)
        if other.slowest > self.slowest:
            self.slowest, self.slowest_case = other.slowest, other.slowest_case
        self.faults |= other.faults


def run_cases(
    target: Target, seed: int, numbers: Sequence[int], current: "Synchronized[int] | None" = None
) -> Tally:
    """Run these cases in this process."""
    tally = Tally()
    for number in numbers:
        if current is not None:
            current.value = number
            signal.setitimer(signal.ITIMER_PROF, ENDLESS_SECONDS)
        outcome = attempt(target, target.case(seed, number))
        tally.cases += 1
        tally.seconds += outcome.seconds
        tally.kinds[outcome.kind] += 1
        if outcome.seconds > tally.slowest:
            tally.slowest, tally.slowest_case = outcome.seconds, number
        if outcome.fault:
            tally.faults[number] = outcome.fault
            if len(tally.faults) == SHOWN:
                break
    return tally


def _work(
    target: Target, seed: int, numbers: range, current: "Synchronized[int]", answer: Connection
) -> None:
    _limit_addresses()
    run_cases(target, seed, numbers[:1], current)  # loads what the parser imports on its first use
    # What was there before is not searched again with every collection of garbage.
    gc.collect()
    gc.freeze()
    before = _most_memory()
    tally = run_cases(target, seed, numbers, current)
    tally.grown = _most_memory() - before
    if tally.grown > MEMORY:
        which = f"cases {numbers.start} to {numbers.stop - 1} made the process grow"
        tally.faults[numbers.start] = f"{which} by {tally.grown} bytes"
    answer.send(tally)


def _limit_addresses() -> None:
    # Only Linux says what a process has, and only there the limit is certain to work.
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            has = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + ADDRESSES, has + ADDRESSES))


def _most_memory() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


class _Worker:
    def __init__(self, target: Target, seed: int, numbers: range) -> None:
        context = multiprocessing.get_context("fork")
        target.sources  # noqa: B018 - made once, not by each process
        self.target, self.numbers = target, numbers
        self._current: Synchronized[int] = context.Value("q", numbers.start)
        self._seen, self._since = -1, time.monotonic()
        self.answer, theirs = context.Pipe(duplex=False)
        self.process: BaseProcess = context.Process(
            target=_work, args=(target, seed, numbers, self._current, theirs), daemon=True
        )
        self.process.start()
        theirs.close()

    def tally(self) -> Tally | None:
        """Return what it found; None while it works."""
        if self.answer.poll():
            try:
                found: Tally = self.answer.recv()
            except EOFError:
                self.process.join()
                if self.process.exitcode == -signal.SIGPROF:
                    return self._blame(f"it took over {ENDLESS_SECONDS:g} s of processor time")
                return self._blame(f"the process ended with exit code {self.process.exitcode}")
            self.process.join()
            return found
        now, number = time.monotonic(), self._current.value
        if number != self._seen:
            self._seen, self._since = number, now
        elif now - self._since > HANGS_SECONDS:
            self.process.kill()
            self.process.join()
            return self._blame(f"it did not end within {HANGS_SECONDS:g} s")
        return None

    def _blame(self, fault: str) -> Tally:
        number = self._current.value
        return Tally(cases=number - self.numbers.start, faults={number: fault})


def run_all(
    parts: Sequence[tuple[Target, range]], seed: int, processes: int
) -> Iterator[tuple[Target, range, Tally]]:
    """Run the cases in so many processes at a time; yield what each found as it ends."""
    waiting, working = list(reversed(parts)), list[_Worker]()
    while waiting or working:
        while waiting and len(working) < processes:
            target, numbers = waiting.pop()
            working.append(_Worker(target, seed, numbers))
        wait([worker.answer for worker in working], timeout=1.0)
        for worker in list(working):
            tally = worker.tally()
            if tally is not None:
                working.remove(worker)
                worker.answer.close()
                yield worker.target, worker.numbers, tally
