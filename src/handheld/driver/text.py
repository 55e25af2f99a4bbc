"""Typing and the clipboard: the protocols and their values. Lengths are UTF-16 units."""

from typing import Any, Literal, NamedTuple, Protocol

from ..screen.model import Window
from ..screen.text import units
from .target import Target

PER_CHARACTER_MS = 250
"""Time for a character in addition to its pause: web pages show it late."""
SLACK_MS = 10_000
MOST_BY_CHARACTER = 2000
MOST_AT_ONCE = 100_000
"""Android can pass at least twice this length to an app in one call."""


class TextSearch(NamedTuple):
    """The first occurrence of a text, which is replaced."""

    text: str


Where = Literal["end", "all", "cursor"] | int | TextSearch
"""The end, everything, the selection, an offset, or a text to replace."""


class Typing(NamedTuple):
    """A text to type, the place in the field, and the speed: the pause before each character but
    the first varies uniformly by up to `variance_ms`. Without a pause the text is set in one
    step."""

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
        characters = min(self.length, MOST_BY_CHARACTER)  # longer texts are set in one step
        return characters * (longest + PER_CHARACTER_MS) + SLACK_MS

    def describe(self) -> dict[str, Any]:
        """Return the arguments of the helper's call."""
        where: Any = self.where
        if isinstance(where, int):
            where = {"offset": where}
        elif isinstance(where, TextSearch):
            where = {"search": where.text}
        return {
            "where": where,
            "text": self.text,
            "delay_ms": self.delay_ms,
            "variance_ms": min(self.variance_ms, self.delay_ms),
        }


class Typed(NamedTuple):
    """The result of typing."""

    content: str | None
    """The field's text afterwards: bullets for a password; None when it could not be read."""
    typed: int
    removed: int
    password: bool
    matches: bool | None
    """Whether it is the expected text (for a password: its length); None when unknown."""
    window: Window | None = None
    """The field's window as read afterwards, if available."""


class CannotType(Exception):
    """The field does not allow it. Nothing was typed, except with `FieldLost` and
    `FieldUnseen`."""


class NotEditable(CannotType):
    """The element is not a text field, or did not get the focus."""


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
        """Whether the field's text cannot be read at all."""


class FieldLost(CannotType):
    """The field disappeared after `typed` characters."""

    def __init__(self, typed: int) -> None:
        super().__init__(f"lost after {typed}")
        self.typed = typed


class FieldUnseen(CannotType):
    """The field was not visible after something was `done`, so its effect is unknown."""

    def __init__(self, done: str, why: str) -> None:
        super().__init__(why)
        self.done = done
        self.why = why


class TextDriver(Protocol):
    async def type(self, target: Target, typing: Typing) -> Typed:
        """Type into a field and read it back. Raises TargetMissing, CannotType."""
        ...

    async def key(self, key: str) -> None:
        """Press enter, del, tab or space at the cursor of the focused field. Raises NoField."""
        ...


class ClipboardDriver(Protocol):
    async def get_clipboard(self) -> str | None:
        """Return the text on the clipboard; None when there is none."""
        ...

    async def set_clipboard(self, text: str) -> None: ...
