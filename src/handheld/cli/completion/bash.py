"""The completion script for bash, without what bash 3.2 lacks, which macOS has."""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .tree import Argument, CommandTree, kind_of

_SCRIPT = """\
# bash completion for handheld, written by `handheld completion bash`.

# What follows a flag, or stands at a place, of a command: sets kind or found.
_handheld_kind() {
  kind= found=()
  case $1 in
@KINDS@
  *) return 1 ;;
  esac
}

_handheld_flags() {
  case $1 in
@FLAGS@
  esac
}

_handheld_arguments() {
  case $1 in
@ARGUMENTS@
  esac
}

_handheld() {
  local IFS=$'\\n' words=() word glue= i place=0 skip=0 command tool= flag= cur kind= found=()
  # bash splits words at : and =, which are part of ours.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ -z $word && ${COMP_LINE:COMP_POINT-1:1} == [[:space:]] ]] && glue=
    if [[ -n $glue || $word == [:=]* ]] && ((i > 1)); then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    glue=
    [[ $word == *[:=] ]] && glue=1
  done
  COMPREPLY=()
  cur=${words[${#words[@]}-1]} command=${words[1]}
  if ((${#words[@]} == 2)); then
    found=(@COMMANDS@ --help --version)
  else
    for ((i = 2; i < ${#words[@]} - 1; i++)); do
      if ((skip)); then
        skip=0
      elif [[ ${words[i]} == -* ]]; then
        [[ ${words[i]} != *=* ]] && _handheld_kind "$command ${words[i]}" && skip=1
      else
        ((place += 1))
        ((place == 1)) && tool=${words[i]}
      fi
    done
    if [[ $cur == -*=* ]]; then
      flag=${cur%%=*} cur=${cur#*=}
    elif ((skip)); then
      flag=${words[${#words[@]}-2]}
    fi
    kind= found=()
    if [[ -n $flag ]]; then
      _handheld_kind "$command $flag"
    elif [[ $cur == -* ]]; then
      found=($(_handheld_flags "$command"))
    else
      _handheld_kind "$command $((place + 1))"
    fi
  fi
  case $kind in
  phones) found=($("${COMP_WORDS[0]}" completion --words phones 2>/dev/null)) ;;
  tools) found=(@TOOL_NAMES@) ;;
  arguments) found=($(_handheld_arguments "$tool"))
    compopt -o nospace 2>/dev/null ;;
  files) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null; return ;;
  folders) COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2>/dev/null; return ;;
  esac
  for word in "${found[@]}"; do
    printf -v word %q "$word"
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
  # Only what follows the last : or = is replaced.
  for glue in : =; do
    if [[ $cur == *$glue* && $COMP_WORDBREAKS == *$glue* ]]; then
      word=${cur%"${cur##*$glue}"}
      COMPREPLY=("${COMPREPLY[@]#"$word"}")
    fi
  done
}

complete -F _handheld handheld
"""


def write_script(commands: Sequence[CommandTree], tools: Mapping[str, Sequence[str]]) -> str:
    kinds: defaultdict[str, list[str]] = defaultdict(list)
    for command in commands:
        for argument in command.flags:
            if argument.values:
                for flag in argument.flags:
                    kinds[_answer(argument)].append(shlex.quote(f"{command.name} {flag}"))
        for place, argument in enumerate(command.places, 1):
            where = f"[{place}-9]*" if argument.repeats else str(place)
            kinds[_answer(argument)].append(f"'{command.name} '{where}")
    return _fill(
        KINDS=(f"  {' | '.join(cases)}) {answer} ;;" for answer, cases in kinds.items()),
        FLAGS=(
            f"  {command.name}) printf '%s\\n' {_words(_flags(command))} ;;" for command in commands
        ),
        ARGUMENTS=(
            f"  {name}) printf '%s\\n' {_words(f'{argument}=' for argument in arguments)} ;;"
            for name, arguments in tools.items()
            if arguments
        ),
        COMMANDS=[_words(command.name for command in commands)],
        TOOL_NAMES=[_words(tools)],
    )


def _flags(command: CommandTree) -> Iterable[str]:
    return (flag for argument in command.flags for flag in argument.flags)


def _answer(argument: Argument) -> str:
    if argument.choices:
        return f"found=({_words(argument.choices)})"
    return f"kind={kind_of(argument.values[-1])}"


def _words(words: Iterable[str]) -> str:
    return " ".join(map(shlex.quote, words))


def _fill(**parts: Iterable[str]) -> str:
    text = _SCRIPT
    for name, lines in parts.items():
        text = text.replace(f"@{name}@", "\n".join(lines))
    return text.rstrip()
