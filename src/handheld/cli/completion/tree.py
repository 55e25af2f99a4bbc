"""The commands and their arguments as values, for shells and for the manual page."""

import argparse
import re
from collections.abc import Iterator
from typing import NamedTuple

from ...settings import options
from ..arguments import COMMANDS
from ..clients.catalog import BY_ID

PHONES, TOOLS, TOOL_ARGUMENTS, FILES, FOLDERS = "phones", "tools", "arguments", "files", "folders"
_KINDS = (
    (r"\b(PHONE|SERIAL)\b", PHONES),
    (r"\bTOOL\b", TOOLS),
    (r"^NAME=VALUE$", TOOL_ARGUMENTS),
    (r"\bFOLDER\b", FOLDERS),
    (r"\bFILE\b|\.\w+", FILES),
)
"""What a value is, by what help calls it."""


class Argument(NamedTuple):
    """A flag, or an argument by its place."""

    flags: tuple[str, ...]
    """Empty for an argument by its place."""
    values: tuple[str, ...]
    """What help calls each value; empty for a flag without any."""
    help: str
    choices: tuple[str, ...]
    optional: bool
    """Its value, or an argument by its place, may be left out."""
    repeats: bool

    @property
    def brief(self) -> str:
        """The beginning of its help, for a list."""
        return re.split(r"\. |; ", self.help)[0].removesuffix(".")


def kind_of(value: str) -> str:
    """Return what a value is that help calls so; "" if nothing is known about it."""
    return next((kind for pattern, kind in _KINDS if re.search(pattern, value)), "")


class CommandTree(NamedTuple):
    name: str
    help: str
    group: str
    example: str
    arguments: tuple[Argument, ...]

    @property
    def flags(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.flags]

    @property
    def places(self) -> list[Argument]:
        return [argument for argument in self.arguments if not argument.flags]


def command_trees() -> Iterator[CommandTree]:
    """Every command, with everything that it takes."""
    for name, command in COMMANDS.items():
        parser = command.make_parser(name)
        choices = {option.dest: option.choices for option in options() if name in option.commands}
        choices["client"] = tuple(BY_ID)
        actions = parser._actions  # pyright: ignore[reportPrivateUsage]
        arguments = tuple(
            _argument(action, choices.get(action.dest, ()))
            for action in actions
            if action.help != argparse.SUPPRESS or "--help-all" in action.option_strings
        )
        yield CommandTree(name, command.help, command.group, command.example, arguments)


def _argument(action: argparse.Action, choices: tuple[str, ...]) -> Argument:
    values: tuple[str, ...] = ()
    if action.nargs != 0:
        named = action.metavar or ("" if action.choices else action.dest.upper())
        values = named if isinstance(named, tuple) else (named,)
    help = action.help or ""
    if "--help-all" in action.option_strings:
        help = "show every option and exit"
    return Argument(
        tuple(action.option_strings),
        values,
        help.replace("%%", "%"),
        tuple(action.choices or choices),
        optional=action.nargs in ("?", "*"),
        repeats=action.nargs == "*" or isinstance(action, argparse._AppendAction),  # pyright: ignore[reportPrivateUsage]
    )
