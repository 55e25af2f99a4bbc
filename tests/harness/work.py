"""How much work something is, counted: executed lines of Python, and bytes that were asked for.
Neither depends on the machine, on what else it does or on how its allocator keeps memory; seconds
and resident memory do, and decide in `make bench` alone.

What runs inside C, as the search of a regular expression does, is in no count. A test of it gives
so much input that a cost that grows with its square would take hours: pytest ends a test that takes
ten minutes (`faulthandler_timeout`), and no machine is so slow that the rest takes that long.
"""

import gc
import sys
import tracemalloc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

TIMES = 10
PROPORTIONATE = 12
"""The largest factor by which the lines may grow when the input grows by `TIMES`: in proportion,
and a little more for what is sorted."""


class TooMuch(BaseException):
    """Not an Exception: what is counted must not handle it."""


class Count:
    value = 0


@contextmanager
def lines(most: int = sys.maxsize) -> Generator[Count]:
    """Count the lines of Python that the block executes in this thread, iterations of a loop one by
    one, and end it after so many."""
    found = Count()
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        if count > most:
            raise TooMuch(f"more than {most} lines of Python")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield found
    finally:
        sys.settrace(before)
        found.value = count
    if count > most:  # where a destructor was ended, Python prints that and goes on
        raise TooMuch(f"more than {most} lines of Python")


def count_lines(work: Callable[[], object]) -> int:
    with lines() as found:
        work()
    return found.value


def growth(prepare: Callable[[int], Callable[[], object]], size: int) -> float:
    """By what factor the lines grow when the size grows by `TIMES`. `prepare` makes the work for a
    size, and is not counted."""
    prepare(size)()  # loads what only the first use does
    few, many = (count_lines(prepare(count)) for count in (size, TIMES * size))
    return many / few


@contextmanager
def memory(most: int = sys.maxsize) -> Generator[Count]:
    """Count the bytes that the block had asked for and not freed when these were most, in every
    thread. More than `most` fail it."""
    found = Count()
    tracemalloc.start()
    try:
        yield found
        found.value = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if found.value > most:
        raise TooMuch(f"{found.value} bytes at a time")


def count_left(work: Callable[[], object]) -> int:
    """How many bytes the work asked for that are still in use after it."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
