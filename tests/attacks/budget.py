"""Limits of what an attack may cost, in processor time and in memory: neither depends on what else
the machine does."""

import signal
import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager

SECONDS = 2.0
"""Several times what each attack takes now, and a fraction of what it took."""


class TooExpensive(BaseException):
    """Not an Exception: what is attacked must not handle it."""


@contextmanager
def processor_time(seconds: float = SECONDS) -> Generator[None]:
    """Stop the block when it has used so much processor time."""

    def stop(*_: object) -> None:
        raise TooExpensive(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def memory(limit: int) -> Generator[None]:
    """Fail if the block had more than so many bytes allocated at a time."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= limit, f"{peak} bytes"
