"""The person at the terminal that makes a call answers questions about that call there.

The maker of the call passes to `attended` a function that tells the person of a question; the gate
calls it. A call over HTTP is attended if its client has the console's key: the response then
carries the question.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Tell = Callable[[Mapping[str, Any]], None]
"""Receives a question as JSON."""


class _Person:
    def __init__(self, tell: Tell) -> None:
        self.tell: Tell | None = tell
        """None once the call has ended: tasks that it created may continue."""


_PERSON: ContextVar[_Person | None] = ContextVar("person", default=None)


def is_attended() -> bool:
    person = _PERSON.get()
    return person is not None and person.tell is not None


def tell_person(question: Mapping[str, Any]) -> None:
    """Tell the person at the terminal of this call, if there is one."""
    person = _PERSON.get()
    if person is not None and person.tell is not None:
        person.tell(question)


@contextmanager
def attended(tell: Tell) -> Generator[None]:
    """Calls made in this block are attended."""
    person = _Person(tell)
    before = _PERSON.set(person)
    try:
        yield
    finally:
        _PERSON.reset(before)
        person.tell = None
