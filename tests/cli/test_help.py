"""What `--help` and `--help-all` show, at a terminal of 80 columns."""

import re

import pytest

from handheld.cli.arguments import COMMANDS, parse, print_help
from handheld.cli.parsers import GROUPS
from handheld.settings import options

MOST_LINES = 40
WITH_OPTIONS = [name for name in COMMANDS if name != "virtual"]
"""Those that take options; the virtual phone has a help of its own."""


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")  # Python 3.14 colours help


def read_help(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def flags_in(text: str) -> set[str]:
    return set(re.findall(r"^  (?:-\w(?: \w+)?, )?(--[\w-]+)", text, re.MULTILINE))


@pytest.mark.parametrize("command", WITH_OPTIONS)
def test_the_short_help_of_a_command_fits_a_screen(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = read_help(capsys, command, "--help").splitlines()
    assert len(lines) <= MOST_LINES
    assert [line for line in lines if len(line) > 80 and "Example" not in line] == []


@pytest.mark.parametrize("command", WITH_OPTIONS)
def test_every_option_of_a_command_is_in_its_whole_help(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    short = read_help(capsys, command, "--help")
    whole = read_help(capsys, command, "--help-all")
    taken = [option for option in options() if command in option.commands]
    assert {option.flag for option in taken} <= flags_in(whole)
    common = {option.flag for option in taken if option.common}
    assert flags_in(short) & {option.flag for option in taken} == common
    assert ("--help-all" in flags_in(short)) == (len(common) < len(taken))
    assert f"handheld {command}" in short.partition("\nExample: ")[2]
    assert flags_in(short) - {"--help-all"} <= flags_in(whole)


def test_the_commands_are_listed_by_what_one_wants_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_help()
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if len(line) > 80] == []
    listed = {
        title: re.findall(r"^  (\w+) ", rows, re.MULTILINE)
        for title, rows in re.findall(r"^(\w.*):\n((?:  .*\n)+)", text, re.MULTILINE)
    }
    assert tuple(listed) == GROUPS
    assert listed == {
        group: [name for name, command in COMMANDS.items() if command.group == group]
        for group in GROUPS
    }
    assert sum(map(len, listed.values())) == len(COMMANDS)


@pytest.mark.parametrize("flag", ["-h", "--help", "--help-all"])
def test_help_before_a_command_lists_the_commands(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read_help(capsys, flag).startswith("usage: handheld [-h] [--version] COMMAND ...\n")


def test_every_command_is_in_its_module() -> None:
    for name in WITH_OPTIONS:
        assert callable(COMMANDS[name].function(name)), name
