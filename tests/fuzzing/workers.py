"""Runs many cases in processes of their own, so that one that hangs or takes all memory is found.

A worker notes the number of each case before it begins: if the worker ends or does not come back,
that case is the one to blame.
"""

import gc
import multiprocessing
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized

from harness.polling import HANG
from harness.work import count_left

from .mutation import LARGEST
from .trial import Target, attempt, run_once

WEIGHED = 4
"""The bytes of one of so many cases are counted, which takes longer than all else."""
REPEATED, MOST_LEFT = 10, 128 * 1024
"""So many cases, run once more, may leave so many bytes in use."""
ADDRESSES = 2 * 1024**3
"""Bytes of address space of a worker: a larger request fails at once, and the machine survives."""
SHOWN = 3
"""Faults of one target that are kept."""


@dataclass
class Tally:
    """What became of the cases of one target."""

    cases: int = 0
    lines: int = 0
    """Of all cases together."""
    most_lines: int = 0
    most_bytes: int = 0
    """Of one case."""
    kinds: Counter[str] = field(default_factory=Counter[str])
    faults: dict[int, str] = field(default_factory=dict[int, str])
    """By the number of the case."""

    def add(self, other: "Tally") -> None:
        self.cases += other.cases
        self.lines += other.lines
        self.most_lines = max(self.most_lines, other.most_lines)
        self.most_bytes = max(self.most_bytes, other.most_bytes)
        self.kinds += other.kinds
        self.faults |= other.faults


def run_cases(
    target: Target, seed: int, numbers: Sequence[int], current: "Synchronized[int] | None" = None
) -> Tally:
    """Run these cases in this process."""
    tally = Tally()
    for number in numbers:
        if current is not None:
            current.value = number
            signal.alarm(HANG)
        data = target.case(seed, number)
        outcome = attempt(target, data, weigh=number % WEIGHED == 0)
        tally.cases += 1
        tally.lines += outcome.lines
        tally.most_lines = max(tally.most_lines, outcome.lines)
        tally.most_bytes = max(tally.most_bytes, outcome.bytes)
        tally.kinds[outcome.kind] += 1
        if outcome.fault:
            tally.faults[number] = outcome.fault
            if len(tally.faults) == SHOWN:
                break
    return tally


def _work(
    target: Target, seed: int, numbers: range, current: "Synchronized[int]", answer: Connection
) -> None:
    _limit_addresses()
    signal.alarm(HANG)
    for data in target.sources.seeds:  # loads what the parser imports on its first use
        attempt(target, data, weigh=False)
    # What was there before is not searched again with every collection of garbage.
    gc.collect()
    gc.freeze()
    tally = run_cases(target, seed, numbers, current)
    again = [
        case for number in numbers[:REPEATED] if len(case := target.case(seed, number)) <= LARGEST
    ]
    left = 0 if tally.faults else count_left(lambda: [run_once(target, data) for data in again])
    if left > MOST_LEFT:
        tally.faults[numbers.start] = (
            f"the {len(again)} cases from this on left {left} bytes in use"
        )
    answer.send(tally)


def _limit_addresses() -> None:
    # Only there the limit is certain to work.
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))


class _Worker:
    def __init__(self, target: Target, seed: int, numbers: range) -> None:
        context = multiprocessing.get_context("fork")
        target.sources  # noqa: B018 - made once, not by each process
        self.target, self.numbers = target, numbers
        self._current: Synchronized[int] = context.Value("q", numbers.start)
        self.answer, theirs = context.Pipe(duplex=False)
        self.process: BaseProcess = context.Process(
            target=_work, args=(target, seed, numbers, self._current, theirs), daemon=True
        )
        self.process.start()
        theirs.close()

    def tally(self) -> Tally:
        """Return what it found; call it when `answer` is ready."""
        try:
            found: Tally = self.answer.recv()
        except EOFError:
            found = Tally()
        self.process.join()
        self.answer.close()
        if not self.process.exitcode:
            return found
        number = self._current.value
        fault = f"the process ended with exit code {self.process.exitcode}"
        if self.process.exitcode == -signal.SIGALRM:
            fault = f"it did not end within {HANG} s"
        return Tally(number - self.numbers.start, faults={number: fault})


def run_all(
    parts: Sequence[tuple[Target, range]], seed: int, processes: int
) -> Iterator[tuple[Target, range, Tally]]:
    """Run the cases in so many processes at a time; yield what each found as it ends."""
    waiting, working = list(reversed(parts)), list[_Worker]()
    while waiting or working:
        while waiting and len(working) < processes:
            target, numbers = waiting.pop()
            working.append(_Worker(target, seed, numbers))
        ready = wait([worker.answer for worker in working])
        for worker in [worker for worker in working if worker.answer in ready]:
            working.remove(worker)
            yield worker.target, worker.numbers, worker.tally()
