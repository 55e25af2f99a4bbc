"""The completion script for zsh, by its own `_arguments`."""

import re
from collections.abc import Iterable, Mapping, Sequence

from .tree import FILES, FOLDERS, PHONES, TOOL_ARGUMENTS, TOOLS, Argument, CommandTree, kind_of

_ACTIONS = {
    PHONES: "_handheld_phones",
    TOOLS: "_handheld_tools",
    TOOL_ARGUMENTS: "_handheld_arguments",
    FILES: "_files",
    FOLDERS: "_files -/",
}
_SCRIPT = """\
#compdef handheld
# zsh completion for handheld, written by `handheld completion zsh`.

_handheld_phones() {{
  local expl phones=(${{(f)"$(_call_program phones ${{(q)program}} completion --words phones)"}})
  _wanted phones expl phone compadd -a phones
}}

_handheld_tools() {{
  local expl tools=({tools})
  _wanted tools expl tool compadd -a tools
}}

_handheld_arguments() {{
  local expl names=()
  case ${{line[1]}} in
{arguments}
  esac
  compset -P '*=' || _wanted arguments expl argument compadd -S '' -a names
}}

_handheld() {{
  local curcontext=$curcontext state ret=1 program=$words[1]
  local -a line commands=(
{commands}
  )
  typeset -A opt_args
  _arguments -C '(- *)'{{-h,--help}}'[list the commands]' '(- *)--version[show the version]' \\
    '1:command:->command' '*::argument:->argument' && return
  case $state in
  command) _describe command commands && ret=0 ;;
  argument)
    curcontext=${{curcontext%:*}}-$words[1]:
    case $words[1] in
{cases}
    esac ;;
  esac
  return ret
}}

if [[ $funcstack[1] == _handheld ]]; then
  _handheld "$@"
else
  compdef _handheld handheld
fi"""


def write_script(commands: Sequence[CommandTree], tools: Mapping[str, Sequence[str]]) -> str:
    return _SCRIPT.format(
        tools=" ".join(map(_quote, tools)),
        arguments="\n".join(
            f"  {name}) names=({' '.join(f'{argument}=' for argument in arguments)}) ;;"
            for name, arguments in tools.items()
            if arguments
        ),
        commands="\n".join(
            f"    {_quote(command.name + ':' + command.help)}" for command in commands
        ),
        cases="\n".join(map(_case, commands)),
    )


def _case(command: CommandTree) -> str:
    specs = [spec for argument in command.flags for spec in _flag_specs(argument)]
    specs += [_place_spec(*place) for place in enumerate(command.places, 1)]
    lines = " \\\n        ".join(map(_quote, specs))
    return f"    {command.name})\n      _arguments \\\n        {lines} && ret=0 ;;"


def _flag_specs(argument: Argument) -> Iterable[str]:
    """A specification for each name of the flag; each name excludes the others."""
    first = "*" if argument.repeats else f"({' '.join(argument.flags)})"
    if "--help" in argument.flags or "--help-all" in argument.flags:
        first = "(- *)"
    optional = ":" if argument.optional else ""
    values = "".join(
        f":{optional}{_message(value)}:{_action(argument, value)}" for value in argument.values
    )
    for flag in argument.flags:
        equals = "=" if argument.values and flag.startswith("--") else ""
        yield f"{first}{flag}{equals}[{_bracketed(argument.brief)}]{values}"


def _place_spec(place: int, argument: Argument) -> str:
    where = "*" if argument.repeats else f"{place}:" if argument.optional else str(place)
    (value,) = argument.values
    return f"{where}:{_message(value or 'action')}:{_action(argument, value)}"


def _action(argument: Argument, value: str) -> str:
    if argument.choices:
        return f"({' '.join(choice.replace(' ', chr(92) + ' ') for choice in argument.choices)})"
    return _ACTIONS.get(kind_of(value), " ")


def _message(text: str) -> str:
    return re.sub(r"([:\\])", r"\\\1", text or "value")


def _bracketed(text: str) -> str:
    return re.sub(r"([\[\]\\:])", r"\\\1", text)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
