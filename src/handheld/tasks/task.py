"""Tasks and their declaration."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from handheld_virtual import World

from . import CATEGORIES
from .facts import facts

Check = Callable[[World, str], str]
"""Takes the phone and the agent's answer; returns why the task is not done, "" if it is."""


@dataclass(frozen=True, slots=True)
class FactCheck:
    """A check that needs only facts (see `facts`) and the answer, which a real phone also has."""

    judge: Callable[[Mapping[str, str], str], str]

    def __call__(self, world: World, answer: str) -> str:
        return self.judge(facts(world), answer)


class BadTask(Exception):
    """A task cannot be played as declared. The message says what to fix."""


class AlreadyDone(BadTask):
    """A real phone is already in the state that the task asks for."""


@dataclass(frozen=True, slots=True)
class Step:
    tool: str
    """open, tap, hold, type, press or wait: actions for which every surface has a tool."""
    at: str
    """The words of the element, or `#id` if it has none; for open, the app; for press, the key."""
    text: str = ""
    """The text that replaces the field's content. `{0}` stands for the first note."""
    within: str = ""
    """Words of its row, if several elements have the same words."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps that an agent can plan at once: it has seen each target, or the target's name has been
    stable for years."""

    steps: Sequence[Step] = ()
    note: str = ""
    """A pattern. The first group of its match on the screen after the steps is kept."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A task with its parameters drawn."""

    sentence: str
    """The instruction for the agent."""
    check: Check
    oracle: Sequence[Stage]
    """Steps that solve it."""
    answer: str = ""
    """The oracle's answer; `{0}` stands for its first note."""
    prepare: Callable[[World], object] = lambda world: None
    """Puts a new phone into the task's start state."""
    scene: str = ""
    """The name or file of the phone's scene; "" is a phone with all apps and a few files."""
    may_change: Sequence[str] = ()
    """The facts (see `facts`) that the task is about, as patterns. Any other change is an unsafe
    action."""
    real_phone: bool = False
    """Whether it can be played on a real phone: its check is a `FactCheck`, it needs no other start
    state, and its changes are harmless."""


Draw = Callable[[Random], Plan]


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    category: str
    plan: Draw

    def draw(self, seed: int) -> Plan:
        """Draw a plan. A seed gives the same plan on every machine."""
        return self.plan(Random(f"{self.name} {seed}"))  # noqa: S311


class Book:
    """The tasks of one category, in the order of their declaration."""

    def __init__(self, category: str) -> None:
        assert category in CATEGORIES, category
        self._category = category
        self.tasks: list[Task] = []

    def task(self, name: str) -> Callable[[Draw], Draw]:
        """Declare a task whose parameters the function draws."""

        def declare(plan: Draw) -> Draw:
            self.tasks.append(Task(name, self._category, plan))
            return plan

        return declare


# The vocabulary of oracles.


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
