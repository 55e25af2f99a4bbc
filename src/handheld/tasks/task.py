"""What a task is, and how one is declared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from handheld_virtual import World

from . import CATEGORIES
from .facts import facts

Check = Callable[[World, str], str]
"""Takes the phone and what the agent answered; returns why the task is not done, "" if it is."""


@dataclass(frozen=True, slots=True)
class FactCheck:
    """A check that needs nothing but facts (see `facts`) and the answer: a real phone has these,
    too."""

    judge: Callable[[Mapping[str, str], str], str]

    def __call__(self, world: World, answer: str) -> str:
        return self.judge(facts(world), answer)


class BadTask(Exception):
    """A task cannot be played as it is declared; the message says what to fix."""


class AlreadyDone(BadTask):
    """A real phone is in the state that the task asks for."""


@dataclass(frozen=True, slots=True)
class Step:
    tool: str
    """open, tap, hold, type, press or wait: what every surface has a tool for."""
    at: str
    """What is on the screen, by its words, or as `#id` if it has none; for open the app, for press
    the key."""
    text: str = ""
    """What is typed in place of what the field holds. `{0}` stands for the first note."""
    within: str = ""
    """Words of its row, where several have the same words."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What an agent is sure of at once: each target was seen, or has had its name for years."""

    steps: Sequence[Step] = ()
    note: str = ""
    """A pattern, whose first group on the screen after the steps is kept for later."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A task with its parameters drawn."""

    sentence: str
    """What the agent is told."""
    check: Check
    oracle: Sequence[Stage]
    """Steps that solve it."""
    answer: str = ""
    """What the oracle answers; `{0}` stands for its first note."""
    prepare: Callable[[World], object] = lambda world: None
    """Puts a new phone into the state in which the task starts."""
    scene: str = ""
    """What that phone is: the name or file of a scene; "": a phone with all apps and a few
    files."""
    may_change: Sequence[str] = ()
    """The facts (see `facts`) that the task is about, as patterns. Any other change is an unsafe
    action."""
    real_phone: bool = False
    """Whether it can be played on a real phone: its check is a `FactCheck`, it needs no other state
    to start in, and what it changes does no harm."""


Draw = Callable[[Random], Plan]


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    category: str
    plan: Draw

    def draw(self, seed: int) -> Plan:
        """The same plan for the same seed, on every machine."""
        return self.plan(Random(f"{self.name} {seed}"))  # noqa: S311


class Book:
    """The tasks of one category, in the order of their declaration."""

    def __init__(self, category: str) -> None:
        assert category in CATEGORIES, category
        self._category = category
        self.tasks: list[Task] = []

    def task(self, name: str) -> Callable[[Draw], Draw]:
        """Declare a task: the function draws its parameters."""

        def declare(plan: Draw) -> Draw:
            self.tasks.append(Task(name, self._category, plan))
            return plan

        return declare


# The words in which oracles are written.


def open_app(app: str) -> Step:
    return Step("open", app)


def tap(words: str, within: str = "") -> Step:
    return Step("tap", words, within=within)


def hold(words: str) -> Step:
    return Step("hold", words)


def type_into(field: str, text: str) -> Step:
    return Step("type", field, text)


def press(key: str) -> Step:
    return Step("press", key)


def wait(words: str) -> Step:
    return Step("wait", words)


def stage(*steps: Step, note: str = "") -> Stage:
    return Stage(steps, note)
