"""Write the manual page from the commands, their arguments and the options."""

import re
from collections.abc import Iterator

from handheld import __version__
from handheld.cli.completion.tree import Argument, CommandTree, command_trees
from handheld.cli.parsers import GROUPS
from handheld.settings import PLACES, Option, options

_ABOUT = """\
Handheld is an MCP server that lets AI agents use Android phones. It reaches phones over adb, and \
nothing is installed on them. A virtual phone is built in.

Without a command, at a terminal, it shows what is connected and what is wrong, and offers what to \
do next.

Every command takes \\-\\-help, and \\-\\-help\\-all for all its options."""
_SETTINGS = """\
Each is a flag of the commands that are named with it, a variable, and a key in handheld.toml; a \
flag wins over a variable, and a variable over the file."""
_CODES = (("0", "Success."), ("1", "A failure."), ("2", "Wrong usage."))


def write_manual() -> str:
    """The page in man's own macros."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    commands = [*command_trees()]
    yield '.\\" Written by scripts/docs.py: change the code, then run `make docs`.'
    yield f'.TH HANDHELD 1 "" "Handheld {__version__}" "User Commands"'
    yield from (".nh", ".ad l")  # a name that is broken cannot be copied
    yield ".SH NAME"
    yield "handheld \\- Android phones in the hands of an AI agent, over MCP"
    yield ".SH SYNOPSIS"
    yield ".B handheld"
    yield ".RI [ COMMAND \\~[ ARGUMENT \\~...]]"
    yield ".SH DESCRIPTION"
    yield from _ABOUT.replace("\n\n", "\n.PP\n").split("\n")
    yield ".SH COMMANDS"
    for group in GROUPS:
        yield f".SS {_quoted(group)}"
        for command in commands:
            if command.group == group:
                yield from _command(command)
    yield ".SH SETTINGS"
    yield _SETTINGS
    for option in options():
        yield from _option(option)
    yield ".SH ENVIRONMENT"
    for name, help in PLACES.items():
        yield from _tagged(f"\\fB{_text(name)}\\fR", _text(help))
    yield ".SH EXIT STATUS"
    for code, meaning in _CODES:
        yield from _tagged(f"\\fB{code}\\fR", meaning)
    yield ".SH SEE ALSO"
    yield ".BR adb (1)"


def _command(command: CommandTree) -> Iterator[str]:
    """What it does, its own arguments, and an example; its settings are described once for all."""
    settings = {option.flag for option in options() if command.name in option.commands}
    known = {*settings, "--help", "--help-all"}
    own = [argument for argument in command.arguments if not known.intersection(argument.flags)]
    places = "".join(f" {_place(argument)}" for argument in own if not argument.flags)
    yield from _tagged(f"\\fBhandheld {command.name}\\fR{places}", _text(command.help))
    if own:
        yield ".RS"
        for argument in own:
            yield from _tagged(_form(argument), _sentence(argument))
        yield ".RE"
    yield ".IP"
    yield f"Example: \\fB{_text(command.example)}\\fR"


def _place(argument: Argument) -> str:
    form = f"\\fI{_text(_name(argument))}\\fR" + ("\\~..." if argument.repeats else "")
    return f"[{form}]" if argument.optional else form


def _name(argument: Argument) -> str:
    (value,) = argument.values
    return value or "ACTION"


def _form(argument: Argument) -> str:
    if not argument.flags:
        return _place(argument)
    flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in argument.flags)
    values = " ".join(f"\\fI{_text(value or 'NAME')}\\fR" for value in argument.values)
    if not values:
        return flags
    return f"{flags} [{values}]" if argument.optional else f"{flags} {values}"


def _sentence(argument: Argument) -> str:
    help = f"{argument.help[:1].upper()}{argument.help[1:].removesuffix('.')}."
    choices = f" One of {', '.join(argument.choices)}." if argument.choices else ""
    return _text(help + choices)


def _option(option: Option) -> Iterator[str]:
    flag = f"\\fB{_text(option.flag)}\\fR"
    if option.type is not bool:
        flag += f" \\fI{_text(option.value)}\\fR"
    default = option.shown
    if not default:
        values = option.default if option.repeats else [option.default]
        default = ", ".join(
            str(value).lower() if option.type is bool else str(value) for value in values
        )
    parts = [option.help]
    if option.choices:
        parts.append(f"One of {', '.join(option.choices)}.")
    parts.append(f"Default: {default or 'none'}.")
    yield from _tagged(flag, _text(" ".join(parts)))
    yield ".br"
    names = f"Key {option.key}, variable {option.variable}. Commands: {', '.join(option.commands)}."
    yield _text(names)


def _tagged(tag: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield tag
    yield text


def _text(text: str) -> str:
    """Plain text: nothing in it is a request, an escape or a hyphen that may break a name."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "").replace("“", "\\(lq")
    text = text.replace("”", "\\(rq").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", text)


def _quoted(text: str) -> str:
    return f'"{_text(text)}"'
