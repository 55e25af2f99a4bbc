"""How a command is declared, and its parser: flags that set an option come from its declaration."""

import argparse
import re
import textwrap
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

from ..settings import Option, Settings, options

CONNECT = "Connect phones and clients"
USE = "Use a phone yourself"
DECIDE = "Decide what agents may do, and see what they did"
TEST = "Test apps and agents"
OPERATE = "Operate it, on one computer or on many"
GROUPS = (CONNECT, USE, DECIDE, TEST, OPERATE)
"""What one wants to do; `handheld --help` lists the commands by it."""


class Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest command or flag for a misspelled one."""

    def error(self, message: str) -> NoReturn:
        nearest = ""
        _, _, choice = message.partition("invalid choice: '")
        typed, _, choices = choice.partition("' (choose from ")
        if unknown := re.search(r"unrecognized arguments: (--[\w-]+)", message):
            known = [*self._option_string_actions]  # pyright: ignore[reportPrivateUsage]
            nearest = _nearest(unknown[1], known)
        elif choices:
            nearest = _nearest(typed, re.findall(r"[\w-]+", choices))
        super().error(message + nearest)


def _nearest(typed: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(typed, known, 1)
    return f". Did you mean {near[0]}?" if near else ""


class MainParser(Parser):
    """The parser of what stands before a command."""

    def __init__(self, commands: Mapping[str, "Command"], version: str) -> None:
        super().__init__(
            prog="handheld",
            usage="handheld [-h] [--version] COMMAND ...",
            description="Android phones in an AI agent's hands, over MCP.",
            add_help=False,
            allow_abbrev=False,
        )
        self._commands = commands
        self.add_argument("-h", "--help", "--help-all", action="help")
        self.add_argument("--version", action="version", version=f"handheld {version}")

    def refuse(self, arguments: Sequence[str]) -> NoReturn:
        """Exit for a line that does not begin with a command."""
        self.parse_known_args(arguments)  # --help and --version exit
        typed = arguments[0] if arguments else ""
        if typed.startswith("-"):
            self.error(f"{typed} is not known here; the options of a command follow it")
        self.error(f"there is no command {typed!r}{_nearest(typed, [*self._commands])}")

    def format_help(self) -> str:
        """The commands by what one wants to do, which argparse cannot."""
        width = max(map(len, self._commands))
        parts = [self.format_usage(), f"\n{self.description}\n"]
        for group in GROUPS:
            parts.append(f"\n{group}:\n")
            parts += [
                f"  {name:<{width}}  {command.help}\n"
                for name, command in self._commands.items()
                if command.group == group
            ]
        parts.append(
            "\n`handheld` alone shows what is connected; `handheld COMMAND --help` describes a"
            "\ncommand, --help-all with every option. Without a phone: handheld demo\n"
        )
        return "".join(parts)


Run = Callable[[argparse.Namespace, Settings], int | Coroutine[Any, Any, int]]
"""Runs a command, in an event loop if it returns a coroutine."""


@dataclass(frozen=True)
class Command:
    """A command. Its module, which is imported when the command is used, has a function of its name
    that runs it, and `add_<name>_arguments` if it has arguments of its own."""

    module: str
    help: str
    """One line of `handheld --help`."""
    example: str
    group: str = CONNECT
    serves: bool = False
    """It runs until it is stopped, which is no failure."""

    def function(self, name: str) -> Run:
        return getattr(import_module(f"{__package__}.{self.module}"), name)

    def make_parser(self, name: str, *, everything: bool = True) -> Parser:
        """Without `everything` its help leaves out what few need."""
        parser = Parser(prog=f"handheld {name}", allow_abbrev=False, description=self.help)
        taken = [option for option in options() if name in option.commands]
        hidden = [] if everything else [option for option in taken if not option.common]
        parser.add_argument(
            "--help-all",
            action="help",
            dest="help",
            help=f"show every option, {len(hidden)} more, and exit"
            if hidden
            else argparse.SUPPRESS,
        )
        for option in taken:
            help = argparse.SUPPRESS if option in hidden else _help(option, briefly=not everything)
            _add_option(parser, option, help)
        module = import_module(f"{__package__}.{self.module}")
        getattr(module, f"add_{name}_arguments", bool)(parser)
        parser.usage = _usage(parser)
        parser.epilog = f"Example: {self.example}"
        return parser


def _usage(parser: argparse.ArgumentParser) -> str:
    """A line or two: argparse would begin with every flag, which follow anyway."""
    words = [parser.prog, "[OPTION ...]"]
    for action in parser._get_positional_actions():  # pyright: ignore[reportPrivateUsage]
        choices = f"{{{','.join(action.choices)}}}" if action.choices else ""
        name = str(action.metavar or choices or action.dest)
        words.append(
            {"?": f"[{name}]", "*": f"[{name}\N{NO-BREAK SPACE}...]"}.get(str(action.nargs), name)
        )
    lines = textwrap.fill(" ".join(words), 73, subsequent_indent=" " * 7)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _add_option(parser: argparse.ArgumentParser, option: Option, help: str) -> None:
    if option.type is bool:
        parser.add_argument(
            option.flag,
            dest=option.dest,
            action="store_const",
            const=not option.default,
            help=help,
        )
    else:
        parser.add_argument(
            option.flag,
            dest=option.dest,
            action="append" if option.repeats else "store",
            metavar=option.value,
            help=help,
        )


def _help(option: Option, *, briefly: bool) -> str:
    """What the flag does, and the default without it; briefly in one sentence."""
    text = option.help
    if briefly:
        text = re.split(r"\. |; ", text)[0].removesuffix(".") + "."
    if option.type is bool:
        parts = [f"Do not {text[0].lower()}{text[1:]}" if option.default is True else text]
    else:
        default = option.shown
        if not default:
            default = ", ".join(option.default) if option.repeats else str(option.default)
        parts = [text]
        if option.choices:
            parts.append(f"One of {', '.join(option.choices)}.")
        if default and default != "none":
            parts.append(f"Default: {default}.")
    return " ".join(parts).replace("%", "%%").replace("`", "")
