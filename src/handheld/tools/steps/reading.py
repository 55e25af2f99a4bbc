"""Kept steps read from JSON: from our own file, or one that somebody wrote or sent."""

import re
from collections.abc import Mapping
from typing import Any, cast

from .model import (
    LONGEST_TEXT,
    LONGEST_WORDS,
    MOST_CHOICES,
    MOST_PARAMETERS,
    MOST_STEPS,
    TARGETS,
    TOOLS,
    TYPES,
    Front,
    SavedStep,
    SavedSteps,
    SavedTarget,
    StepParameter,
    StepSequence,
    StepsError,
    texts_of,
)
from .parameters import find_parameters, read_name

_OURS = ("tool", "front", "changed")
_MOST_ARGUMENTS = 12
_LAST = 253_402_300_800.0
"""The end of the year 9999, beyond which no calendar goes."""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character, which no file can hold."""
_ARGUMENT = re.compile(r"[a-z_]{1,20}")


def read_steps(value: Any) -> SavedSteps:
    """Raises StepsError."""
    given = _object(value, "Kept steps")
    proposal = given.get("proposal")
    made = given.get("made", 0.0)
    if isinstance(made, bool) or not isinstance(made, int | float) or not 0 <= made < _LAST:
        raise StepsError("made is a time in seconds")
    return SavedSteps(
        read_name(_text(given, "name", 60)),
        read_sequence(given),
        _text(given, "phone", 256),
        _text(given, "by", 64),
        _text(given, "origin", 500),
        float(made),
        given.get("owned") is True,
        None if proposal is None else read_sequence(proposal),
        "" if proposal is None else _text(_object(proposal, "proposal"), "by", 64),
    )


def read_sequence(value: Any) -> StepSequence:
    """Raises StepsError."""
    given = _object(value, "Kept steps")
    steps = _list(given.get("steps"), "steps", MOST_STEPS)
    if not steps:
        raise StepsError("there are no steps")
    parameters = _list(given.get("parameters", []), "parameters", MOST_PARAMETERS)
    sequence = StepSequence(tuple(map(_step, steps)), tuple(map(_parameter, parameters)))
    used, known = (
        set(find_parameters(texts_of(sequence.steps))),
        {each.name for each in sequence.parameters},
    )
    if missing := sorted(used - known):
        raise StepsError(f"{{{missing[0]}}} is not among the parameters")
    if unused := sorted(known - used):
        raise StepsError(f"no step uses the parameter {unused[0]}")
    if len(known) < len(sequence.parameters):
        raise StepsError("two parameters have the same name")
    return sequence


def _step(value: Any) -> SavedStep:
    given = _object(value, "a step")
    tool = given.get("tool")
    if tool not in TOOLS:
        raise StepsError(f"a step's tool is one of {', '.join(TOOLS)}")
    named = TARGETS.get(tool, ())
    arguments = {
        name: each for name, each in given.items() if name not in _OURS and name not in named
    }
    if len(arguments) > _MOST_ARGUMENTS:
        raise StepsError("a step has too many arguments")
    for name, each in arguments.items():
        if not _ARGUMENT.fullmatch(name) or not isinstance(each, str | int | float | bool):
            raise StepsError(f"a step's argument is a text, a number or true or false: {name[:20]}")
        if isinstance(each, str) and len(each) > LONGEST_TEXT:
            raise StepsError(f"{name} is longer than {LONGEST_TEXT} characters")
        if isinstance(each, str) and _SURROGATE.search(each):
            raise StepsError(f"{name} has half a character")
    targets = {name: _target(given[name], name) for name in named if name in given}
    if tool in ("tap", "type", "swipe") and named[0] not in targets:
        raise StepsError(f"{tool} needs {named[0]}")
    front = given.get("front")
    return SavedStep(
        tool,
        arguments,
        targets,
        None if front is None else _front(front),
        given.get("changed") is not False,
    )


def _target(value: Any, name: str) -> SavedTarget:
    given = _object(value, name)
    target = SavedTarget(
        _text(given, "words"),
        _text(given, "row"),
        _text(given, "kind", 40),
        _text(given, "state", 10),
        _place(given.get("place")),
    )
    if not (target.words or target.row) or not target.kind:
        raise StepsError(f"{name} has its words, or those of its row, and its kind")
    return target


def _place(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    parts = _list(value, "place", 2)
    if len(parts) != 2 or not all(type(part) is int and 0 <= part <= 1000 for part in parts):
        raise StepsError("place is two numbers from 0 to 1000")
    return parts[0], parts[1]


def _front(value: Any) -> Front:
    given = _object(value, "front")
    package = _text(given, "package", 256)
    return Front(package, _text(given, "dialog") if "dialog" in given else None)


def _parameter(value: Any) -> StepParameter:
    given = _object(value, "a parameter")
    name, kind = _text(given, "name", 31), given.get("type", "text")
    if [*find_parameters([f"{{{name}}}"])] != [name]:
        raise StepsError("a parameter's name has 1 to 31 of a-z, 0-9 and _")
    if kind not in TYPES:
        raise StepsError(f"{name} is of the type {', '.join(TYPES)}")
    choices = _list(given.get("choices", []), "choices", MOST_CHOICES)
    for each in choices:
        if not _text({"choice": each}, "choice"):
            raise StepsError(f"a choice of {name} is empty")
    if (kind == "choice") != bool(choices):
        raise StepsError(f"choices are for the type choice: {name}")
    secret = given.get("secret") is True
    example = "" if secret else _text(given, "example")
    return StepParameter(name, kind, example, tuple(choices), secret)


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise StepsError(f"{what} must be a JSON object")
    return cast("Mapping[str, Any]", value)


def _list(value: Any, what: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise StepsError(f"{what} must be a list")
    found = cast("list[Any]", value)
    if len(found) > most:
        raise StepsError(f"{what} has more than {most} entries")
    return found


def _text(given: Mapping[str, Any], name: str, most: int = LONGEST_WORDS) -> str:
    value = given.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise StepsError(f"{name} is a text of at most {most} characters")
    if _SURROGATE.search(value):
        raise StepsError(f"{name} has half a character")
    if any(character < " " or character == "\x7f" for character in value):
        raise StepsError(f"{name} has control characters")
    return value
