"""The parameters of kept steps: `{text}` in a step is one, `{n:number}` and `{size:S|M|L}` say its
type."""

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from .model import (
    LONGEST_FILLED,
    LONGEST_TEXT,
    MOST_CHOICES,
    MOST_PARAMETERS,
    SavedStep,
    StepParameter,
    StepsError,
)

MARK = re.compile(r"\{([A-Za-z][A-Za-z0-9_]{0,30})(?::([^{}]{1,500}))?\}")
_PARAMETER = re.compile(r"[a-z][a-z0-9_]{0,30}")
_PHONE = ("phone", "device", "phone_device", "serial")
"""They choose the phone."""
_SCHEMA_WORDS = {
    *("type", "description", "enum", "properties", "required", "items", "default", "title", "not"),
    *("if", "then", "else", "const", "format", "pattern", "minimum", "maximum", "examples"),
    *("anyof", "oneof", "allof", "additionalproperties"),
}
"""Some clients confuse parameters of these names with the schema's own words."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,9})?")


def read_name(name: str) -> str:
    """Return the name under which steps are kept, from one as a model may say it. Raises
    StepsError."""
    plain = re.sub(r"[\s-]+", "_", name.strip().lower()).removeprefix("my_")
    if not _NAME.fullmatch(plain):
        raise StepsError(
            f"{name[:60]!r} is no name for steps: it has 1 to 40 of a-z, 0-9 and _, and begins with"
            " a letter"
        )
    return plain


def find_parameters(texts: Iterable[str]) -> dict[str, StepParameter]:
    """Return the parameters in these texts. Raises StepsError."""
    found: dict[str, StepParameter] = {}
    for text in texts:
        for mark in MARK.finditer(text):
            name, declared = mark[1].lower(), mark[2]
            if declared is None:
                found.setdefault(name, StepParameter(name))
                continue
            parameter = _declared(name, declared)
            if name in found and found[name].type != "text" and found[name] != parameter:
                raise StepsError(f"{{{name}}} is declared in two ways")
            found[name] = parameter
    for name in found:
        if name in _PHONE:
            raise StepsError(f"{{{name}}} names the phone: choose another name")
        if name in _SCHEMA_WORDS or keyword.iskeyword(name):
            raise StepsError(f"{{{name}}} is a word of JSON Schema or of Python: take another name")
    if len(found) > MOST_PARAMETERS:
        raise StepsError(f"steps have at most {MOST_PARAMETERS} parameters")
    return found


def _declared(name: str, declared: str) -> StepParameter:
    if declared.strip().lower() in ("text", "number"):
        return StepParameter(name, declared.strip().lower())
    choices = tuple(dict.fromkeys(each.strip() for each in declared.split("|")))
    if len(choices) < 2 or len(choices) > MOST_CHOICES or not all(choices):
        raise StepsError(
            f"{{{name}:…}} takes text, number, or 2 to {MOST_CHOICES} choices such as S|M|L"
        )
    return StepParameter(name, "choice", choices=choices)


def undeclared(text: str) -> str:
    """Return a text with its parameters by their names alone."""
    return MARK.sub(lambda mark: f"{{{mark[1].lower()}}}", text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of its parameters, each once: a value is never read as a
    parameter. What has no value stays as it is."""
    return MARK.sub(lambda mark: values.get(mark[1].lower(), mark[0]), text)


def check_filled(texts: Iterable[str], values: Mapping[str, str]) -> None:
    """Raises StepsError if a text would grow too long by the values of its parameters. None is
    filled for this."""
    for text in texts:
        added = sum(
            len(values.get(mark[1].lower(), mark[0])) - len(mark[0]) for mark in MARK.finditer(text)
        )
        if added > 0 and len(text) + added > LONGEST_FILLED:
            raise StepsError(
                f"with its values, a text has {len(text) + added} characters, and"
                f" {LONGEST_FILLED} are the most"
            )


def fill_arguments(arguments: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: fill(value, values) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def fill_step(step: SavedStep, values: Mapping[str, str]) -> SavedStep:
    """Return the step with the values of its parameters."""
    front = step.front
    if front is not None and front.dialog:
        front = replace(front, dialog=fill(front.dialog, values))
    return replace(
        step,
        arguments=fill_arguments(step.arguments, values),
        targets={
            name: replace(each, words=fill(each.words, values), row=fill(each.row, values))
            for name, each in step.targets.items()
        },
        front=front,
    )


def read_values(given: Any) -> dict[str, str]:
    """Return values as models send them: `["text=Milk"]`, or an object. Raises StepsError."""
    if given is None:
        return {}
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        items = cast("Mapping[str, Any]", given).items()
        return {str(name).strip().lower(): _as_text(value) for name, value in items}
    values: dict[str, str] = {}
    for each in cast("list[Any]", given) if isinstance(given, list) else [None]:
        if isinstance(each, Mapping):
            values |= read_values(each)
            continue
        name, equals, value = each.partition("=") if isinstance(each, str) else ("", "", "")
        if not equals or not _PARAMETER.fullmatch(name.strip().lower()):
            raise StepsError('values are texts such as "text=Milk"')
        values[name.strip().lower()] = value
    return values


def _as_text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def check_values(parameters: Iterable[StepParameter], values: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each parameter. Raises StepsError."""
    found: dict[str, str] = {}
    for parameter in parameters:
        value = values.get(parameter.name)
        if value is None:
            example = parameter.example or (parameter.choices or ("…",))[0]
            raise StepsError(
                f'{parameter.name} has no value: add values: ["{parameter.name}={example}"]'
            )
        found[parameter.name] = _checked(parameter, value)
    return found


def _checked(parameter: StepParameter, value: str) -> str:
    if len(value) > LONGEST_TEXT:
        raise StepsError(f"{parameter.name} is longer than {LONGEST_TEXT} characters")
    if parameter.type == "number" and not _NUMBER.fullmatch(value.strip()):
        raise StepsError(f"{parameter.name} is a number")
    if parameter.type == "choice":
        same = [each for each in parameter.choices if each.casefold() == value.strip().casefold()]
        if not same:
            raise StepsError(f"{parameter.name} is one of {', '.join(parameter.choices)}")
        return same[0]
    return value.strip() if parameter.type == "number" else value


def example_of(value: str) -> str:
    """A value as an example: on one line, and short."""
    plain = " ".join(value.split())
    return plain if len(plain) <= 40 else f"{plain[:39]}…"
