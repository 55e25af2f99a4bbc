"""Several steps in one call: each is a call of its own, which is told that others follow."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum


class Step(Enum):
    ALONE = 0
    """A call that is not part of several steps."""
    FOLLOWED = 1
    LAST = 2


_STEP = ContextVar("step", default=Step.ALONE)


@contextmanager
def running(step: Step) -> Generator[None]:
    token = _STEP.set(step)
    try:
        yield
    finally:
        _STEP.reset(token)


def current_step() -> Step:
    return _STEP.get()
