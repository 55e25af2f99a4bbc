"""The completion script for fish."""

from collections.abc import Iterator, Mapping, Sequence

from .tree import FILES, FOLDERS, PHONES, TOOL_ARGUMENTS, TOOLS, Argument, CommandTree, kind_of

_WORDS = {
    PHONES: "(__handheld_phones)",
    TOOLS: "(__handheld_tools)",
    TOOL_ARGUMENTS: "(__handheld_arguments)",
    FOLDERS: "(__fish_complete_directories)",
}
_SCRIPT = """\
# fish completion for handheld, written by `handheld completion fish`.

# The command of the line, and what stands at its places.
function __handheld_places
    set -l words (commandline -opc)[2..-1]
    set -q words[1]; or return
    set -l valued
    switch $words[1]
{valued}
    end
    set -l skip 0
    for word in $words
        if test $skip = 1
            set skip 0
        else if string match -q -- '-*' $word
            contains -- $word $valued; and set skip 1
        else
            echo $word
        end
    end
end

# Whether the line is of this command; with a number: whether this place is next.
function __handheld_in
    set -l places (__handheld_places)
    test "$places[1]" = "$argv[1]"; or return
    set -q argv[2]; or return 0
    test (count $places) $argv[3] $argv[2]
end

function __handheld_phones
    set -l program (commandline -opc)[1]
    $program completion --words phones 2>/dev/null
end

function __handheld_tools
    printf '%s\\n' {tools}
end

function __handheld_arguments
    switch (__handheld_places)[2]
{arguments}
    end
end

complete -c handheld -f
complete -c handheld -n '__handheld_in ""' -s h -l help -d 'List the commands'
complete -c handheld -n '__handheld_in ""' -l version -d 'Show the version'
{completions}"""


def write_script(commands: Sequence[CommandTree], tools: Mapping[str, Sequence[str]]) -> str:
    return _SCRIPT.format(
        valued="\n".join(
            f"        case {command.name}\n            set valued {' '.join(_valued(command))}"
            for command in commands
            if any(_valued(command))
        ),
        tools=" ".join(map(_quote, tools)),
        arguments="\n".join(
            f"        case {name}\n            printf '%s=\\n' {' '.join(arguments)}"
            for name, arguments in tools.items()
            if arguments
        ),
        completions="\n".join(line for command in commands for line in _lines(command)),
    )


def _valued(command: CommandTree) -> list[str]:
    return [flag for argument in command.flags if argument.values for flag in argument.flags]


def _lines(command: CommandTree) -> Iterator[str]:
    yield _line('""', ["-a", command.name], command.help)
    for argument in command.flags:
        names = [
            part
            for flag in argument.flags
            for part in (("-l", flag[2:]) if flag.startswith("--") else ("-s", flag[1:]))
        ]
        value = _value(argument) if argument.values and not argument.optional else []
        yield _line(command.name, [*names, *value], argument.brief)
    for place, argument in enumerate(command.places, 1):
        next_place = f"{command.name} {place} {'-ge' if argument.repeats else '-eq'}"
        if offered := _value(argument)[1:]:
            yield _line(next_place, offered)


def _value(argument: Argument) -> list[str]:
    """The flags for what a value may be; the first says that there is one."""
    kind = kind_of(argument.values[-1])
    if argument.choices:
        return ["-x", "-a", _quote(" ".join(map(_quote, argument.choices)))]
    if kind == FILES:
        return ["-r", "-F"]
    return ["-x", "-a", _quote(_WORDS[kind])] if kind else ["-x"]


def _line(where: str, flags: Sequence[str], text: str = "") -> str:
    about = ["-d", _quote(text)] if text else []
    return " ".join(["complete -c handheld -n", _quote(f"__handheld_in {where}"), *flags, *about])


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
