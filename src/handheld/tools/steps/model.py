"""What is kept of steps that were done: words, row and kind of each target, never only a ref."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_STEPS = 50
MOST_PARAMETERS = 20
MOST_CHOICES = 20
LONGEST_WORDS = 200
"""Of a target, its row, a choice or an example."""
LONGEST_TEXT = 5_000
"""Of any other argument, such as a text that is typed, and of the value of a parameter."""
LONGEST_FILLED = 2 * LONGEST_TEXT
"""Of a text with the values of its parameters, each of which it may have many times."""
TARGETS: Mapping[str, tuple[str, ...]] = {
    "tap": ("at",),
    "type": ("into",),
    "scroll": ("within",),
    "swipe": ("at", "to"),
}
"""The arguments of each tool that name an element. All other arguments are kept as they are."""
TOOLS = ("tap", "type", "scroll", "swipe", "press", "open", "wait")
TYPES = ("text", "number", "choice")


class StepsError(Exception):
    """Steps cannot be kept, read or used as they are; the message is one line."""


@dataclass(frozen=True, slots=True)
class SavedTarget:
    words: str = ""
    """Its own words, or its `#id`; empty where it has none."""
    row: str = ""
    """Words of something else in its row; empty where it is alone there."""
    kind: str = ""
    """As the screen prints it; `button` and `text` for what has none there."""
    state: str = ""
    """`on` or `off`, where a tap changes that."""
    place: tuple[int, int] | None = None
    """Its centre in thousandths of the screen: it may be elsewhere, which is told."""

    @property
    def label(self) -> str:
        """How the record and messages call it."""
        return self.words or f'{self.kind} in "{self.row}"'

    def as_json(self) -> dict[str, Any]:
        texts = {"words": self.words, "row": self.row, "kind": self.kind, "state": self.state}
        place = {} if self.place is None else {"place": list(self.place)}
        return {**{name: text for name, text in texts.items() if text}, **place}


@dataclass(frozen=True, slots=True)
class Front:
    """What was in front when a step was done."""

    package: str
    dialog: str | None = None
    """The title of a dialog, which may be empty; None for any other window."""

    def as_json(self) -> dict[str, Any]:
        return {"package": self.package, **({} if self.dialog is None else {"dialog": self.dialog})}


@dataclass(frozen=True, slots=True)
class SavedStep:
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Without those that name an element."""
    targets: Mapping[str, SavedTarget] = field(default_factory=dict[str, SavedTarget])
    front: Front | None = None
    """None where it makes no difference."""
    changed: bool = True
    """Whether the screen changed."""

    def as_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {"tool": self.tool, **self.arguments}
        value |= {name: target.as_json() for name, target in self.targets.items()}
        if self.front is not None:
            value["front"] = self.front.as_json()
        return value if self.changed else {**value, "changed": False}

    @property
    def called(self) -> dict[str, Any]:
        """The arguments of the call."""
        return {**self.arguments, **{name: each.label for name, each in self.targets.items()}}


@dataclass(frozen=True, slots=True)
class StepParameter:
    name: str
    type: str = "text"
    example: str = ""
    """Empty for a secret."""
    choices: tuple[str, ...] = ()
    secret: bool = False

    def as_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {"name": self.name, "type": self.type}
        value |= {"example": self.example} if self.example else {}
        value |= {"choices": list(self.choices)} if self.choices else {}
        return {**value, "secret": True} if self.secret else value


@dataclass(frozen=True, slots=True)
class StepSequence:
    """How a task is done."""

    steps: tuple[SavedStep, ...]
    parameters: tuple[StepParameter, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "parameters": [each.as_json() for each in self.parameters],
            "steps": [each.as_json() for each in self.steps],
        }


@dataclass(frozen=True, slots=True)
class SavedSteps:
    name: str
    sequence: StepSequence
    phone: str = ""
    """The phone that they are for, by slug or serial; empty for every phone."""
    by: str = ""
    """The token of the client that kept them; empty where none was required."""
    origin: str = ""
    """Where they come from, in words."""
    made: float = 0.0
    """In seconds since 1970."""
    owned: bool = False
    """The owner accepted, changed or imported them: every client may use them, and a client that
    wants other steps under this name can only propose them."""
    proposal: StepSequence | None = None
    proposed_by: str = ""

    @property
    def usage(self) -> str:
        """The name with the parameters."""
        return f"{self.name}({', '.join(each.name for each in self.sequence.parameters)})"

    @property
    def digest(self) -> str:
        """Of what is accepted: what is proposed, or else the steps themselves. Whoever accepts
        says what was shown, since a client can replace its steps at any time."""
        text = json.dumps((self.proposal or self.sequence).as_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def as_json(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "name": self.name,
            "phone": self.phone,
            "by": self.by,
            "origin": self.origin,
            "made": self.made,
            "owned": self.owned,
            **self.sequence.as_json(),
        }
        if self.proposal is not None:
            value["proposal"] = {"by": self.proposed_by, **self.proposal.as_json()}
        return value


def describe_step(step: SavedStep) -> str:
    """One line for people."""
    said = " ".join(
        [
            step.tool,
            *(_describe_target(name, each) for name, each in step.targets.items()),
            *(f"{name}={value!r}" for name, value in step.arguments.items()),
        ]
    )
    if step.front is None:
        return said
    dialog = "" if step.front.dialog is None else f' dialog "{step.front.dialog}"'
    return f"{said}  in {step.front.package}{dialog}"


def _describe_target(name: str, target: SavedTarget) -> str:
    row = f' in the row of "{target.row}"' if target.row else ""
    words = f'"{target.words}" ' if target.words else ""
    return f"{name} {words}({target.kind}){row}"


def describe_parameter(parameter: StepParameter) -> str:
    """One line for people."""
    if parameter.secret:
        return f"{parameter.name}: {parameter.type}, secret"
    choices = f" of {', '.join(parameter.choices)}" if parameter.choices else ""
    return f"{parameter.name}: {parameter.type}{choices}, e.g. {parameter.example}"


def same_key(some: SavedSteps, name: str, phone: str) -> bool:
    return some.name == name and some.phone == phone


def texts_of(steps: Sequence[SavedStep]) -> list[str]:
    """Every text of the steps that may have parameters in it."""
    found: list[str] = []
    for step in steps:
        found += [value for value in step.arguments.values() if isinstance(value, str)]
        for target in step.targets.values():
            found += [target.words, target.row]
        if step.front is not None and step.front.dialog:
            found.append(step.front.dialog)
    return found
