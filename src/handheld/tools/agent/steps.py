"""Several steps in one call: each is a separate call, which is told that others follow, and says
what its targets are where it is to be kept."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ...screen.model import Screen
from ..steps import Front, SavedStep, SavedTarget


class AgentStep(Enum):
    ALONE = 0
    """A call that is not part of several steps."""
    FOLLOWED = 1
    LAST = 2


@dataclass(slots=True)
class StepNotes:
    """What one step is to be like, and what it was."""

    given: Mapping[str, Any]
    """The arguments of the call."""
    expected: SavedStep | None = None
    """The step that was kept, with the values of its parameters; None where it is done first."""
    targets: dict[str, SavedTarget] = field(default_factory=dict[str, SavedTarget])
    spoken: set[str] = field(default_factory=set[str])
    """The arguments by whose own words the target is found: `at`, or its row by `within`."""
    front: Front | None = None
    """What was in front."""
    screen: Screen | None = None
    """On which it was done."""
    listed: bool = False
    """A target is in a list."""
    problems: dict[str, str] = field(default_factory=dict[str, str])
    """Why it cannot be kept, by argument."""
    secret: str = ""
    """For a field that holds a secret: what to call that."""
    already: bool = False
    """Its target was as a tap makes it, and was not tapped."""
    moved: bool = False
    """A target is at another place than when it was kept."""

    def expects(self, at: str) -> SavedTarget | None:
        """The kept target that is called so."""
        kept = () if self.expected is None else self.expected.targets.values()
        return next((each for each in kept if each.label == at), None)


_STEP = ContextVar("step", default=AgentStep.ALONE)
_NOTES: ContextVar[StepNotes | None] = ContextVar("notes", default=None)


@contextmanager
def running(step: AgentStep, notes: StepNotes | None = None) -> Generator[None]:
    token, before = _STEP.set(step), _NOTES.set(notes)
    try:
        yield
    finally:
        _STEP.reset(token)
        _NOTES.reset(before)


def current_step() -> AgentStep:
    return _STEP.get()


def current_notes() -> StepNotes | None:
    return _NOTES.get()
