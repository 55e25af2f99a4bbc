"""Typing: what is asked of a phone, what it tells, and why it cannot. Lengths are UTF-16 units."""

from dataclasses import dataclass
from typing import Any, Literal

from ..ui.model import Window
from ..ui.text import units

PER_CHARACTER_MS = 250
"""What a phone may need for a character beside its pause: a web page shows it late."""
SLACK_MS = 10_000
MOST_BY_CHARACTER = 2000
MOST_AT_ONCE = 100_000
"""What Android carries to an app in one go is at least twice that."""


@dataclass(frozen=True, slots=True)
class Search:
    """The first place where a text stands, which is replaced."""

    text: str


Where = Literal["end", "all"] | int | Search
"""At the end, in place of everything, at an offset, or in place of a text."""


@dataclass(frozen=True, slots=True)
class Typing:
    """What is typed, where in the field, and how fast: a pause before each character but the
    first, which varies evenly by up to `variance_ms`. Without a pause it goes in at once."""

    text: str = ""
    where: Where = "end"
    delay_ms: int = 70
    variance_ms: int = 15

    @property
    def length(self) -> int:
        return units(self.text)

    @property
    def budget_ms(self) -> int:
        longest = self.delay_ms + min(self.variance_ms, self.delay_ms)
        characters = min(self.length, MOST_BY_CHARACTER)  # more go in at once
        return characters * (longest + PER_CHARACTER_MS) + SLACK_MS

    def describe(self) -> dict[str, Any]:
        """As the helper takes it."""
        where: Any = self.where
        if isinstance(where, int):
            where = {"offset": where}
        elif isinstance(where, Search):
            where = {"search": where.text}
        return {
            "where": where,
            "text": self.text,
            "delay_ms": self.delay_ms,
            "variance_ms": min(self.variance_ms, self.delay_ms),
        }


@dataclass(frozen=True, slots=True)
class Typed:
    """What became of it."""

    content: str | None
    """What the field shows now: bullets for a password; None when it could not be read."""
    typed: int
    removed: int
    password: bool
    matches: bool | None
    """Whether that is what should be there, of a password only the length; None: unknown."""
    window: Window | None = None
    """The field's, read afterwards, where that is known."""


class CannotType(Exception):
    """The phone is fine, the field is not. Nothing was typed, except where `FieldLost` and
    `FieldUnseen` say so."""


class NotEditable(CannotType):
    """The element is no field, or did not get the focus."""


class NoField(CannotType):
    """No field has the focus."""


class OutsideText(CannotType):
    """The offset is beyond the field's text or, with `around`, inside one of its characters."""

    def __init__(self, length: int, around: tuple[int, int] | None) -> None:
        super().__init__(f"outside a text of {length}")
        self.length = length
        self.around = around


class TextNotFound(CannotType):
    def __init__(self, password: bool) -> None:
        super().__init__("not found")
        self.password = password
        """Whether nothing could be found, because the field's text cannot be read."""


class FieldLost(CannotType):
    """The field went away after `typed` of the text."""

    def __init__(self, typed: int) -> None:
        super().__init__(f"lost after {typed}")
        self.typed = typed


class FieldUnseen(CannotType):
    """The field was not to be seen after something was `done`, so nobody knows what that did."""

    def __init__(self, done: str, why: str) -> None:
        super().__init__(why)
        self.done = done
        self.why = why
