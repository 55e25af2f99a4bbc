"""Makes what is kept from steps that were done, without secrets, and steps that can be done from
what is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..audit import Masks
from ..screen.rows.words import fold
from ..tools.agent.keys import key_name
from ..tools.agent.steps import StepNotes
from ..tools.steps import (
    MARK,
    MOST_STEPS,
    TARGETS,
    SavedStep,
    SavedTarget,
    StepParameter,
    StepSequence,
    StepsError,
    check_filled,
    check_values,
    example_of,
    fill,
    find_parameters,
    undeclared,
)
from ..tools.steps.model import LONGEST_FILLED, texts_of
from .step_run import DoneStep, PlannedStep

_ANYWHERE = ("home",)
"""Keys that do the same in every app."""
_QUOTED = 4
"""So many characters of a secret are a part of it; fewer are in every sentence."""


class GivenStep(NamedTuple):
    tool: str
    arguments: Mapping[str, Any]
    """As the client gave them, with their parameters, under the names that the tool declares."""


def make_way(
    steps: Sequence[GivenStep],
    done: Sequence[DoneStep],
    parameters: Mapping[str, StepParameter],
    values: Mapping[str, str],
    masks: Masks,
) -> StepSequence:
    """Raises StepsError if a step cannot be kept."""
    maker = _Maker(dict(parameters), dict(values), masks)
    for given, each in zip(steps, done, strict=True):
        maker.find_secret(given, each.keeping)
    kept = tuple(
        maker.make(number, given, each)
        for number, (given, each) in enumerate(zip(steps, done, strict=True), 1)
    )
    return _with_used(kept, maker.parameters())


class _Maker:
    def __init__(
        self, parameters: dict[str, StepParameter], values: dict[str, str], masks: Masks
    ) -> None:
        self._parameters = parameters
        self._values = values
        self._masks = masks
        self._asked: dict[int, str] = {}
        """What is asked for instead of a text that was typed, by the step's identity."""

    def parameters(self) -> list[StepParameter]:
        return [
            replace(each, example="" if each.secret else example_of(self._values[each.name]))
            for each in self._parameters.values()
        ]

    def find_secret(self, step: GivenStep, keeping: StepNotes) -> None:
        """A text that was typed into a field for secrets is asked for each time."""
        secret = keeping.secret or self._hides(keeping) or self._masks.typing
        text = step.arguments.get("text")
        if step.tool != "type" or not secret or not isinstance(text, str):
            return
        alone = MARK.fullmatch(text.strip())
        name = alone[1].lower() if alone else self._new_name(keeping.secret or "text")
        if not alone:
            self._values[name] = fill(text, self._values)
        known = self._parameters.get(name, StepParameter(name))
        self._parameters[name] = replace(known, secret=True, example="")
        self._asked[id(step)] = name

    def _new_name(self, name: str) -> str:
        names = [name, *(f"{name}_{number}" for number in range(2, MOST_STEPS + 2))]
        return next(each for each in names if each not in self._parameters)

    def _hides(self, keeping: StepNotes) -> bool:
        """Whether what is on that screen is not recorded."""
        return keeping.screen is not None and self._masks.hides(keeping.screen)

    def make(self, number: int, step: GivenStep, done: DoneStep) -> SavedStep:
        keeping = done.keeping
        try:
            return self._make(step, keeping, done.changed)
        except StepsError as problem:
            raise StepsError(f"step {number}, {step.tool}: {problem}") from None

    def _make(self, step: GivenStep, keeping: StepNotes, changed: bool) -> SavedStep:
        if keeping.problems:
            raise StepsError(next(iter(keeping.problems.values())))
        named = TARGETS.get(step.tool, ())
        row = ("within",) if step.tool == "tap" else ()
        arguments = {
            name: self._without_secrets(undeclared(value)) if isinstance(value, str) else value
            for name, value in step.arguments.items()
            if name not in named and name not in row
        }
        if asked := self._asked.get(id(step)):
            arguments["text"] = f"{{{asked}}}"
        targets: dict[str, SavedTarget] = {}
        for name in named:
            if name in keeping.targets:
                targets[name] = self._target(step, keeping, name)
            elif name in step.arguments:
                raise StepsError(f"what {name} stands for has no words")
        front = keeping.front
        if step.tool == "press" and key_name(str(arguments.get("key"))) in _ANYWHERE:
            front = None
        if front is not None and front.dialog:
            if self._hides(keeping):
                raise StepsError("this screen is not recorded")
            front = replace(front, dialog=self._general_part(front.dialog))
        return SavedStep(step.tool, arguments, targets, front, changed)

    def _target(self, step: GivenStep, keeping: StepNotes, name: str) -> SavedTarget:
        target, hidden = keeping.targets[name], self._hides(keeping)
        words, row = self._general(target.words), self._general(target.row)
        if name in keeping.spoken:
            words = self._without_secrets(undeclared(str(step.arguments[name]).strip().strip('"')))
        elif hidden and target.words:
            raise StepsError("this screen is not recorded: name it by its words")
        if "within" in keeping.spoken and name == "at":
            row = self._without_secrets(undeclared(str(step.arguments["within"]).strip()))
        elif MARK.fullmatch(words):
            row = ""  # the caller says what is meant; what is beside it is another one's row
        elif hidden and row:
            if keeping.listed:
                raise StepsError("this screen is not recorded: add within, in words")
            row = ""
        return replace(target, words=words, row=row)

    def _general(self, words: str) -> str:
        """Return words of the screen, or the parameter whose value they are."""
        for name, value in self._values.items():
            if value.strip() and fold(value) == fold(words):
                return f"{{{name}}}"
        if MARK.search(words):
            raise StepsError("its words look like a parameter")
        return words

    def _general_part(self, words: str) -> str:
        if MARK.search(words):
            raise StepsError("the title of its dialog looks like a parameter")
        for name, value in self._values.items():
            if len(value) > 1 and value in words:
                return words.replace(value, f"{{{name}}}")
        return words

    def _without_secrets(self, text: str) -> str:
        for name, parameter in self._parameters.items():
            value = self._values.get(name, "")
            if parameter.secret and len(value) >= _QUOTED and value in text:
                # A name may hold the next value, several times.
                if len(text) + text.count(value) * len(name) > LONGEST_FILLED:
                    raise StepsError(f"it holds the value of {name} too often")
                text = text.replace(value, f"{{{name}}}")
        return text


def begins_alike(old: StepSequence, new: StepSequence) -> bool:
    """Whether the new way begins where the old one did: it does not go on with it."""

    def first(sequence: StepSequence) -> tuple[str, list[str]]:
        return sequence.steps[0].tool, [each.label for each in sequence.steps[0].targets.values()]

    return new.steps[0].tool == "open" or first(old) == first(new)


def join_ways(
    first: Sequence[SavedStep], known: Sequence[StepParameter], rest: StepSequence
) -> StepSequence:
    """Return the steps that were done before, and those that were done then. Raises StepsError."""
    steps = (*first, *rest.steps)
    if len(steps) > MOST_STEPS:
        raise StepsError(f"together they are more than {MOST_STEPS} steps")
    both = {each.name: each for each in (*rest.parameters, *known)}
    return _with_used(steps, list(both.values()))


def _with_used(steps: Sequence[SavedStep], parameters: Sequence[StepParameter]) -> StepSequence:
    used = find_parameters(texts_of(steps))
    return StepSequence(tuple(steps), tuple(each for each in parameters if each.name in used))


def plan_steps(sequence: StepSequence, values: Mapping[str, str]) -> list[PlannedStep]:
    """Return the steps to do, and what their parameters stand for. Raises StepsError."""
    values = check_values(sequence.parameters, values)
    check_filled(texts_of(sequence.steps), values)
    return [PlannedStep(step.tool, {}, step, values) for step in sequence.steps]
