"""How far a long call has come, for whoever asked to be told.

What does the work reports it and need not know who listens: in a call that nobody watches,
`report` does nothing. Messages are sentences of ours, without names, paths and other arguments,
since nothing masks them.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Watch = Callable[[float, float | None, str], None]
"""Is told what is done, of how much, if that is known, and what goes on. What is done rises over
all stages of a call; of how much grows when another stage begins."""


class _Course:
    """The stages of one call, one after the other."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self._before: float = 0
        self._done: float = 0
        self._total: float | None = None
        self._message = ""

    def report(self, done: float, total: float | None, message: str) -> None:
        if message != self._message or done < self._done:
            self._before += max(self._done, self._total or 0)
            self._message = message
        self._done, self._total = done, total
        whole = None if total is None else self._before + total
        self.watch(self._before + done, whole, message)


_COURSE: ContextVar[_Course | None] = ContextVar("course", default=None)


def report(done: float, total: float | None, message: str) -> None:
    """Say what is done of a stage of this call. Another message begins another stage, and so does
    less than was done before. The end of a stage needs no report: that of the next one says it."""
    if (course := _COURSE.get()) is not None:
        course.report(done, total, message)


def relay(progress: float, total: float | None, message: str) -> None:
    """Pass on what another process reports of this call, over all of its stages."""
    if (course := _COURSE.get()) is not None:
        course.watch(progress, total, message)


def is_watched() -> bool:
    return _COURSE.get() is not None


@contextmanager
def watched(watch: Watch) -> Generator[None]:
    """Tell `watch` what is reported in this block, and in the tasks that it creates."""
    before = _COURSE.set(_Course(watch))
    try:
        yield
    finally:
        _COURSE.reset(before)
