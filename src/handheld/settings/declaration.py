"""Declares options: each is one field of a frozen dataclass, created by `option`.

Everything else follows from the declaration: the key in `handheld.toml`, the `HANDHELD_…` variable,
the flag, the commands that take it, and the row in docs/settings.md.
"""

from collections.abc import Iterator
from dataclasses import field, fields, is_dataclass
from typing import Any, NamedTuple, get_type_hints

PREFIX = "HANDHELD_"

OWNER_COMMANDS = ("serve", "stdio", "demo", "call", "record", "host")
"""Commands that may own a phone, and so make its calls."""
TOOL_COMMANDS = (*OWNER_COMMANDS, "tools")
"""Commands that list or call tools."""
LIMIT_COMMANDS = (*TOOL_COMMANDS, "gateway")
"""Commands that switch tools off and on."""
PHONE_COMMANDS = (
    *("serve", "stdio", "call", "record", "tools", "phones", "apps", "console", "doctor", "host"),
)
"""Commands that work with the phones the user chooses."""
ADB_COMMANDS = (*PHONE_COMMANDS, "connect", "pair", "disconnect")
"""Commands that talk to the adb server."""
HTTP_COMMANDS = ("serve", "demo", "doctor", "host", "gateway")
"""Commands that listen for HTTP clients, or check whether they could."""
OAUTH_COMMANDS = ("serve", "doctor", "gateway")
"""Commands that other people's programs connect to."""


def option(
    default: Any,
    help: str,
    *,
    commands: tuple[str, ...],
    bounds: tuple[int, int] | None = None,
    choices: tuple[str, ...] = (),
    shown: str = "",
    value: str = "NAME",
    secret: bool = False,
    common: bool = False,
    short: str = "",
) -> Any:
    """Declare an option. `commands` take its flag, under a `short` name if that is clear enough
    there, with a value that help calls `value`. `shown` describes the default if that is clearer
    than its value. A `secret` option is left out of reprs and messages; a `common` one is in the
    short help."""
    metadata = {
        "help": help,
        "commands": commands,
        "bounds": bounds,
        "choices": choices,
        "shown": shown,
        "value": value,
        "secret": secret,
        "common": common,
        "short": short,
    }
    return field(default=default, repr=not secret, metadata=metadata)


class Option(NamedTuple):
    """A declared option and the names derived from it."""

    path: tuple[str, ...]
    type: Any
    default: Any
    help: str
    commands: tuple[str, ...]
    bounds: tuple[int, int] | None
    choices: tuple[str, ...]
    shown: str
    value: str
    secret: bool
    common: bool
    short: str

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        return PREFIX + "_".join(self.path).upper()

    @property
    def flag(self) -> str:
        """`--no-…` for an option that is on by default."""
        no = ("no",) if self.default is True else ()
        words = (self.short,) if self.short else self.path
        return "--" + "-".join((*no, *words)).replace("_", "-")

    @property
    def dest(self) -> str:
        return "_".join(self.path)

    @property
    def repeats(self) -> bool:
        return self.type in (tuple[str, ...], tuple[int, ...])

    @property
    def item(self) -> Any:
        """The type of each value of a repeatable option."""
        return int if self.type == tuple[int, ...] else str

    @property
    def wanted(self) -> str:
        """The valid values, for error messages."""
        if self.type is bool:
            return "true or false"
        if self.type is int:
            low, high = self.bounds or (0, 2**31)
            return f"a whole number from {low} to {high}"
        if self.choices:
            return ("some of " if self.repeats else "one of ") + ", ".join(self.choices)
        if self.repeats and self.item is int:
            return "a whole number or a list of them"
        return "a text or a list of texts" if self.repeats else "a text"


def declared_options(kind: type, path: tuple[str, ...] = ()) -> Iterator[Option]:
    """The options of a dataclass and of the groups in it, in order of declaration."""
    hints = get_type_hints(kind)
    for item in fields(kind):
        hint = hints[item.name]
        if "help" in item.metadata:
            yield Option((*path, item.name), hint, item.default, **item.metadata)
        elif isinstance(hint, type) and is_dataclass(hint):
            yield from declared_options(hint, (*path, item.name))
